#include "checkpoint/torch_stream.h"

#include <string_view>
#include <unordered_map>

#include "base/checked.h"
#include "base/cursor.h"
#include "base/fail.h"
#include "checkpoint/torch_object.h"

namespace voxport {
namespace {

using P = PickleValue::Kind;

// 0x1950a86a20f9469cfc6c, as LONG1 and as LONG have it.
constexpr std::string_view kMagic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
constexpr std::string_view kMagicDigits = "L119547037146038801333356L\n.";
constexpr std::int64_t kProtocolVersion = 1001;

// The pickles of a stream, one after the other.
class PickleStream {
 public:
  explicit PickleStream(Blob file) : file_(std::move(file)) {}

  PickleTree next(std::string_view what) {
    return in_context(cat("reading ", what), [&] {
      PickleTree tree = read_pickle(file_.slice(at_, file_.size() - at_), at_);
      at_ += tree.length();
      return tree;
    });
  }
  std::uint64_t offset() const { return at_; }

 private:
  Blob file_;
  std::uint64_t at_ = 0;
};

void check_magic(const PickleValue& magic) {
  const bool is_magic = magic.is(P::kBigInt) &&
                        magic.text().substr(0, magic.text().find_last_not_of('\0') + 1) == kMagic;
  if (!is_magic) fail(Error::kCorrupt, "the stream does not start with PyTorch's magic number");
}

void check_protocol(const PickleValue& version) {
  if (!version.is(P::kInt) || version.integer != kProtocolVersion) {
    fail(Error::kCorrupt, "the protocol version of the stream is ",
         version.is(P::kInt) ? std::to_string(version.integer) : std::string(name_of(version.kind)),
         ", expected ", kProtocolVersion);
  }
}

void check_system(const PickleValue& info) {
  const Object value = interpret(info, no_persistent);
  const Object* little_endian = value.find("little_endian");
  if (little_endian && little_endian->is(Object::Kind::kBool) && little_endian->as_int() == 0)
    fail(Error::kUnsupported, "the checkpoint was written on a big-endian machine");
}

// The storages that follow the pickles: for each key, in the order of the list, a count and bytes.
class StreamStorages {
 public:
  StreamStorages(const Blob& file, std::uint64_t offset, const PickleTree& object,
                 const PickleTree& keys);

  Persistent find(const PickleValue& persistent_id) const;

 private:
  std::unordered_map<std::string_view, DType> dtypes_of(const PickleTree& object) const;

  std::unordered_map<std::string, std::shared_ptr<const Storage>> by_key_;
};

std::unordered_map<std::string_view, DType> StreamStorages::dtypes_of(
    const PickleTree& object) const {
  std::unordered_map<std::string_view, DType> dtypes;
  for (const PickleValue& id : object.persistent_ids()) {
    if (is_module_id(id)) continue;
    const StorageId storage = read_storage_id(id);
    const auto [known, is_new] = dtypes.emplace(storage.key, storage.dtype);
    if (!is_new && known->second != storage.dtype)
      fail(Error::kCorrupt, "storage ", in_quotes(storage.key), " is said to hold both ",
           name_of(known->second), " and ", name_of(storage.dtype));
  }
  return dtypes;
}

StreamStorages::StreamStorages(const Blob& file, std::uint64_t offset, const PickleTree& object,
                               const PickleTree& keys) {
  if (!keys.root().is(P::kList))
    fail(Error::kCorrupt, "the storage keys are ", name_of(keys.root().kind), ", expected a list");
  const auto dtypes = dtypes_of(object);
  Cursor cursor(file.bytes().subspan(offset), offset);
  for (const PickleValue& key : keys.root().node->items()) {
    if (!key.is(P::kString))
      fail(Error::kCorrupt, "a storage key is ", name_of(key.kind), ", expected a string");
    const auto dtype = dtypes.find(key.text());
    if (dtype == dtypes.end())
      fail(Error::kCorrupt, "storage ", in_quotes(key.text()), " is used by no tensor");
    const std::string what = cat("storage ", in_quotes(key.text()));
    const auto numel = cursor.read<std::int64_t>(what);
    const auto size = numel < 0
                          ? std::nullopt
                          : checked_mul(numel, static_cast<std::int64_t>(size_of(dtype->second)));
    if (!size) fail(Error::kCorrupt, what, " has ", numel, " elements");
    const std::uint64_t start = cursor.offset();
    cursor.take(static_cast<std::uint64_t>(*size), what);
    const Blob bytes = file.slice(start, static_cast<std::uint64_t>(*size));
    const bool is_new = by_key_.emplace(key.text(), storage_of(bytes)).second;
    if (!is_new) fail(Error::kCorrupt, what, " is listed twice");
  }
  if (!cursor.at_end())
    fail(Error::kCorrupt, cursor.left(), " bytes follow the last storage at byte ",
         cursor.offset());
}

// A view, in files of the first versions, is (key, offset, size) in elements of its storage.
std::shared_ptr<const Storage> view_of(const std::shared_ptr<const Storage>& whole,
                                       const StorageId& id) {
  const bool is_view = id.view->is(P::kTuple) && id.view->node->items().size() == 3 &&
                       id.view->node->items()[1].is(P::kInt) &&
                       id.view->node->items()[2].is(P::kInt);
  if (!is_view)
    fail(Error::kCorrupt, "the view of storage ", in_quotes(id.key), " is ", name_of(id.view->kind),
         ", expected (key, offset, size)");
  return part_of(*whole, id.dtype, id.view->node->items()[1].integer,
                 id.view->node->items()[2].integer);
}

Persistent StreamStorages::find(const PickleValue& persistent_id) const {
  const StorageId id = read_storage_id(persistent_id);
  TypedStorage typed;
  typed.dtype = id.dtype;
  typed.untyped = id.untyped;
  const auto found = by_key_.find(std::string(id.key));
  if (found == by_key_.end())
    fail(Error::kCorrupt, "storage ", in_quotes(id.key), " is not in the file");
  if (found->second->size() != id.size) {
    fail(Error::kCorrupt, "storage ", in_quotes(id.key), " holds ", found->second->size(),
         " bytes, but the pickle says ", id.size);
  }
  typed.storage = id.view ? view_of(found->second, id) : found->second;
  return typed;
}

}  // namespace

bool recognise_torch_stream(Bytes bytes) {
  const std::string_view text = as_text(bytes);
  if (text.starts_with(kMagicDigits)) return true;  // protocols 0 and 1
  constexpr std::size_t kProto = 2;                 // PROTO n, then from protocol 4 on FRAME
  constexpr std::size_t kFrame = 9;
  const std::string long1 = cat("\x8a\x0a", kMagic);
  if (!text.starts_with('\x80')) return false;
  return text.substr(std::min(kProto, text.size())).starts_with(long1) ||
         text.substr(std::min(kProto + kFrame, text.size())).starts_with(long1);
}

Checkpoint read_torch_stream(const Blob& file) {
  PickleStream stream(file);
  check_magic(stream.next("the magic number").root());
  check_protocol(stream.next("the protocol version").root());
  check_system(stream.next("the system information").root());
  const PickleTree object = stream.next("the object");
  const PickleTree keys = stream.next("the storage keys");
  const StreamStorages storages(file, stream.offset(), object, keys);

  Checkpoint checkpoint;
  checkpoint.kind = FileKind::kTorchStream;
  checkpoint.writer = "PyTorch 0.2 to 1.5, or newer in its old format";
  checkpoint.root = interpret(object, [&](const PickleValue& id) { return storages.find(id); });
  return checkpoint;
}

}  // namespace voxport

#include "checkpoint/torch_tar.h"

#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>

#include "base/checked.h"
#include "base/cursor.h"
#include "base/fail.h"
#include "checkpoint/torch_object.h"

namespace voxport {
namespace {

using P = PickleValue::Kind;

constexpr std::uint64_t kBlock = 512;
constexpr std::int64_t kMaxRank = 64;

// A number in octal digits, ended by a space or a zero byte; nothing when it is anything else.
std::optional<std::uint64_t> octal(std::string_view field) {
  std::uint64_t number = 0;
  bool any = false;
  for (const char c : field) {
    if (c == ' ' && !any) continue;
    if (c == ' ' || c == '\0') break;
    if (c < '0' || c > '7') return std::nullopt;
    number = number * 8 + static_cast<std::uint64_t>(c - '0');  // at most 12 digits: 36 bits
    any = true;
  }
  return any ? std::optional(number) : std::nullopt;
}

std::uint64_t header_sum(Bytes header) {
  std::uint64_t sum = 8 * ' ';  // the checksum's own eight bytes count as spaces
  for (std::size_t i = 0; i < header.size(); ++i)
    if (i < 148 || i >= 156) sum += std::to_integer<std::uint64_t>(header[i]);
  return sum;
}

std::string_view up_to_zero(std::string_view field) { return field.substr(0, field.find('\0')); }

}  // namespace

std::map<std::string, Blob> read_tar(const Blob& file) {
  std::map<std::string, Blob> members;
  std::uint64_t at = 0;
  while (file.size() - at >= kBlock) {
    const Bytes header = file.bytes().subspan(at, kBlock);
    const std::string_view text = as_text(header);
    if (text.find_first_not_of('\0') == std::string_view::npos) break;  // the end
    const std::string name(up_to_zero(text.substr(0, 100)));
    if (octal(text.substr(148, 8)) != header_sum(header))
      fail(Error::kCorrupt, "the tar header at byte ", at, " does not match its checksum");
    const auto size = octal(text.substr(124, 12));
    if (!size) fail(Error::kCorrupt, "the tar member ", in_quotes(name), " has no readable size");
    const char type = text[156];
    if (type != '0' && type != '\0')
      fail(Error::kUnsupported, "the tar member ", in_quotes(name), " is not a regular file");
    at += kBlock;
    const std::uint64_t padded = (*size + kBlock - 1) / kBlock * kBlock;
    if (padded > file.size() - at) {
      fail(Error::kCorrupt, "the tar member ", in_quotes(name), " of ", *size, " bytes at byte ",
           at, " reaches past the end of the file");
    }
    if (!members.emplace(name, file.slice(at, *size)).second)
      fail(Error::kCorrupt, "the tar archive has two members named ", in_quotes(name));
    at += padded;
  }
  const std::string_view rest = file.text().substr(at);
  if (rest.size() < 2 * kBlock || rest.find_first_not_of('\0') != std::string_view::npos)
    fail(Error::kCorrupt, "the tar archive has no proper end after byte ", at);
  return members;
}

namespace {

const Blob& member(const std::map<std::string, Blob>& members, const std::string& name) {
  const auto found = members.find(name);
  if (found == members.end()) {
    fail(Error::kUnsupported, "this tar archive is no PyTorch file: it has no member ",
         in_quotes(name));
  }
  return found->second;
}

// A member that mixes pickles with plain numbers.
class Mixed {
 public:
  explicit Mixed(Blob blob) : blob_(std::move(blob)) {}

  PickleTree pickle() {
    PickleTree tree = read_pickle(blob_.slice(at_, blob_.size() - at_), at_);
    at_ += tree.length();
    return tree;
  }

  Cursor cursor() const { return Cursor(blob_.bytes().subspan(at_), at_); }
  void move_to(const Cursor& cursor) { at_ = cursor.offset(); }
  Blob slice(std::uint64_t offset, std::uint64_t size) const { return blob_.slice(offset, size); }
  bool at_end() const { return at_ == blob_.size(); }
  std::uint64_t left() const { return blob_.size() - at_; }

 private:
  Blob blob_;
  std::uint64_t at_ = 0;
};

// Objects are known by a number, pickled as an int or as its digits.
std::int64_t object_key(const PickleValue& key) {
  if (key.is(P::kInt)) return key.integer;
  std::int64_t number = 0;
  if (key.is(P::kString)) {
    const std::string_view digits = key.text();
    const bool is_short = !digits.empty() && digits.size() <= 18;
    if (is_short && digits.find_first_not_of("0123456789") == std::string_view::npos) {
      for (const char c : digits) number = number * 10 + (c - '0');
      return number;
    }
  }
  fail(Error::kCorrupt, "an object's key is ", name_of(key.kind), ", expected a number");
}

std::int64_t count_of(const PickleValue& value, std::uint64_t limit) {
  if (!value.is(P::kInt) || value.integer < 0 || static_cast<std::uint64_t>(value.integer) > limit)
    fail(Error::kCorrupt, "a count is ",
         value.is(P::kInt) ? std::to_string(value.integer) : "no int", ", expected at most ",
         limit);
  return value.integer;
}

std::span<const PickleValue> fields_of(const PickleValue& value, std::size_t count) {
  if (!value.is(P::kTuple) || value.node->items.size() != count)
    fail(Error::kCorrupt, "a description is ", name_of(value.kind), ", expected a tuple of ",
         count);
  return value.node->items;
}

using Objects = std::unordered_map<std::int64_t, Persistent>;

void add(Objects& objects, std::int64_t key, Persistent object) {
  if (!objects.emplace(key, std::move(object)).second)
    fail(Error::kCorrupt, "object ", key, " is listed twice");
}

const TypedStorage& storage_named(const Objects& objects, std::int64_t key) {
  const auto found = objects.find(key);
  const TypedStorage* storage =
      found == objects.end() ? nullptr : std::get_if<TypedStorage>(&found->second);
  if (!storage) fail(Error::kCorrupt, "there is no storage ", key);
  return *storage;
}

// A count; for each storage (key, location, class), its number of elements and its bytes; then a
// list of (key, key of the whole, offset, size) for storages that are parts of others.
void read_storages(const Blob& blob, Objects& objects) {
  Mixed mixed(blob);
  const std::int64_t count = count_of(mixed.pickle().root(), blob.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const PickleTree tree = mixed.pickle();
    const auto fields = fields_of(tree.root(), 3);
    TypedStorage typed = read_storage_class(fields[2]);
    Cursor cursor = mixed.cursor();
    const auto numel = cursor.read<std::int64_t>("a storage");
    const auto size = numel < 0
                          ? std::nullopt
                          : checked_mul(numel, static_cast<std::int64_t>(size_of(typed.dtype)));
    if (!size) fail(Error::kCorrupt, "a storage has ", numel, " elements");
    const std::uint64_t start = cursor.offset();
    cursor.take(static_cast<std::uint64_t>(*size), "a storage");
    const Blob bytes = mixed.slice(start, static_cast<std::uint64_t>(*size));
    mixed.move_to(cursor);
    typed.storage = std::make_shared<Storage>(bytes.size(), [bytes] { return bytes; });
    add(objects, object_key(fields[0]), typed);
  }
  const PickleTree views = mixed.pickle();
  if (!views.root().is(P::kList))
    fail(Error::kCorrupt, "the storage views are ", name_of(views.root().kind),
         ", expected a list");
  for (const PickleValue& view : views.root().node->items) {
    const auto fields = fields_of(view, 4);
    TypedStorage part = storage_named(objects, object_key(fields[1]));
    const std::int64_t offset = fields[2].is(P::kInt) ? fields[2].integer : -1;
    const std::int64_t numel = fields[3].is(P::kInt) ? fields[3].integer : -1;
    const Tensor inside = make_tensor(part.dtype, {numel}, {1}, offset, part.storage);
    const std::uint64_t start = static_cast<std::uint64_t>(offset) * size_of(part.dtype);
    part.storage = std::make_shared<Storage>(
        inside.size_in_bytes(), [whole = part.storage, start, size = inside.size_in_bytes()] {
          return whole->blob().slice(start, size);
        });
    add(objects, object_key(fields[0]), part);
  }
  if (!mixed.at_end()) fail(Error::kCorrupt, mixed.left(), " bytes follow the last storage");
}

// A count; for each tensor (key, key of its storage, class), then the number of dimensions in 8
// bytes, the sizes, the strides and the offset.
void read_tensors(const Blob& blob, Objects& objects) {
  Mixed mixed(blob);
  const std::int64_t count = count_of(mixed.pickle().root(), blob.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const PickleTree tree = mixed.pickle();
    const auto fields = fields_of(tree.root(), 3);
    const TypedStorage typed = storage_named(objects, object_key(fields[1]));
    Cursor cursor = mixed.cursor();
    const auto rank = cursor.read<std::int32_t>("a tensor's rank");
    cursor.take(4, "a tensor's rank");
    if (rank < 0 || rank > kMaxRank)
      fail(Error::kCorrupt, "a tensor has ", rank, " dimensions, expected at most ", kMaxRank);
    std::vector<std::int64_t> shape(static_cast<std::size_t>(rank));
    std::vector<std::int64_t> strides(static_cast<std::size_t>(rank));
    for (std::int64_t& size : shape) size = cursor.read<std::int64_t>("a tensor's shape");
    for (std::int64_t& stride : strides) stride = cursor.read<std::int64_t>("a tensor's strides");
    const auto offset = cursor.read<std::int64_t>("a tensor's offset");
    mixed.move_to(cursor);
    add(objects, object_key(fields[0]),
        make_tensor(typed.dtype, std::move(shape), std::move(strides), offset, typed.storage));
  }
  if (!mixed.at_end()) fail(Error::kCorrupt, mixed.left(), " bytes follow the last tensor");
}

}  // namespace

bool recognise_tar(Bytes bytes) {
  return bytes.size() >= kBlock && as_text(bytes.subspan(257, 5)) == "ustar";
}

Checkpoint read_torch_tar(const Blob& file) {
  const std::map<std::string, Blob> members = read_tar(file);
  const Blob& pickle = member(members, "pickle");
  Objects objects;
  in_context("reading 'storages'", [&] { read_storages(member(members, "storages"), objects); });
  in_context("reading 'tensors'", [&] { read_tensors(member(members, "tensors"), objects); });

  Checkpoint checkpoint;
  checkpoint.kind = FileKind::kTorchTar;
  checkpoint.writer = "PyTorch 0.1";
  in_context("reading 'pickle'", [&] {
    const PickleTree tree = read_pickle(pickle);
    if (tree.length() != pickle.size())
      fail(Error::kCorrupt, pickle.size() - tree.length(), " bytes follow the end of the pickle");
    checkpoint.root = interpret(tree.root(), [&](const PickleValue& id) {
      const auto found = objects.find(object_key(id));
      if (found == objects.end()) fail(Error::kCorrupt, "there is no object ", object_key(id));
      return found->second;
    });
  });
  return checkpoint;
}

}  // namespace voxport

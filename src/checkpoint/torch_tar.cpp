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
constexpr std::uint64_t kMaxPadding = 1 << 20;  // after the last member; writers fill up 10 kB
constexpr std::int64_t kMaxTarRank = 64;

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
  std::uint64_t sum = std::uint64_t{8} * ' ';  // the checksum's own eight bytes count as spaces
  for (std::size_t i = 0; i < header.size(); ++i)
    if (i < 148 || i >= 156) sum += std::to_integer<std::uint64_t>(header[i]);
  return sum;
}

// The number that Python's tarfile reads in a field, or at least that one among others: int(text,
// 8) is generous with signs, prefixes and spaces, and GNU tar writes large numbers in binary.
std::uint64_t python_number(std::string_view field) {
  const bool is_binary = field[0] == '\x80' || field[0] == '\xff';
  std::uint64_t number = 0;
  for (const char c : field.substr(is_binary ? 1 : 0)) {
    if (c == '\0' && !is_binary) break;
    if (is_binary) number = number * 256 + static_cast<unsigned char>(c);
    if (!is_binary && c >= '0' && c <= '7')
      number = number * 8 + static_cast<unsigned char>(c - '0');
  }
  return number;
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
  const bool is_end = rest.size() >= 2 * kBlock && rest.size() <= kMaxPadding &&
                      rest.find_first_not_of('\0') == std::string_view::npos;
  if (!is_end) fail(Error::kCorrupt, "the tar archive has no proper end after byte ", at);
  return members;
}

namespace {

const Blob& member(const std::map<std::string, Blob>& members, const std::string& name) {
  const auto found = members.find(name);
  if (found == members.end()) {
    fail(Error::kUnsupported, "this tar archive is not a PyTorch file: it has no member ",
         in_quotes(name));
  }
  return found->second;
}

// A member that mixes pickles with plain numbers.
class Mixed {
 public:
  Mixed(std::string name, Blob blob, const PickleListener& listen)
      : name_(std::move(name)), blob_(std::move(blob)), listen_(listen) {}

  PickleTree pickle() {
    const Blob rest = blob_.slice(at_, left());
    if (listen_) listen_(name_, rest, at_);
    PickleTree tree = read_pickle(rest, at_);
    at_ += tree.length();
    return tree;
  }

  Cursor cursor() const { return Cursor(blob_.bytes().subspan(at_), at_); }
  void move_to(const Cursor& cursor) { at_ = cursor.offset(); }
  Blob slice(std::uint64_t offset, std::uint64_t size) const { return blob_.slice(offset, size); }
  bool at_end() const { return at_ == blob_.size(); }
  std::uint64_t left() const { return blob_.size() - at_; }

 private:
  std::string name_;
  Blob blob_;
  const PickleListener& listen_;
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

std::int64_t count_of(const PickleValue& value, std::string_view what, std::uint64_t limit) {
  if (!value.is(P::kInt))
    fail(Error::kCorrupt, "the number of ", what, " is ", name_of(value.kind), ", expected an int");
  if (value.integer < 0 || static_cast<std::uint64_t>(value.integer) > limit) {
    fail(Error::kCorrupt, "the number of ", what, " is ", value.integer, ", expected 0 to ", limit);
  }
  return value.integer;
}

std::span<const PickleValue> fields_of(const PickleValue& value, std::string_view what,
                                       std::size_t count) {
  if (!value.is(P::kTuple) || value.node->items().size() != count) {
    fail(Error::kCorrupt, "the description of ", what, " is ", name_of(value.kind),
         value.is(P::kTuple) ? cat(" of ", value.node->items().size()) : std::string(),
         ", expected a tuple of ", count);
  }
  return value.node->items();
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
void read_storages(Mixed mixed, Objects& objects) {
  const std::uint64_t size_of_all = mixed.left();
  const std::int64_t count = count_of(mixed.pickle().root(), "storages", size_of_all);
  for (std::int64_t i = 0; i < count; ++i) {
    const PickleTree tree = mixed.pickle();
    const auto fields = fields_of(tree.root(), "a storage", 3);
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
    typed.storage = storage_of(bytes);
    add(objects, object_key(fields[0]), typed);
  }
  const PickleTree views = mixed.pickle();
  if (!views.root().is(P::kList))
    fail(Error::kCorrupt, "the storage views are ", name_of(views.root().kind),
         ", expected a list");
  for (const PickleValue& view : views.root().node->items()) {
    const auto fields = fields_of(view, "a view", 4);
    TypedStorage part = storage_named(objects, object_key(fields[1]));
    if (!fields[2].is(P::kInt) || !fields[3].is(P::kInt)) {
      fail(Error::kCorrupt, "a view's offset and size are ", name_of(fields[2].kind), " and ",
           name_of(fields[3].kind), ", expected two ints");
    }
    part.storage = part_of(*part.storage, part.dtype, fields[2].integer, fields[3].integer);
    add(objects, object_key(fields[0]), part);
  }
  if (!mixed.at_end()) fail(Error::kCorrupt, mixed.left(), " bytes follow the last storage");
}

// A count; for each tensor (key, key of its storage, class), then the number of dimensions in 8
// bytes, the sizes, the strides and the offset.
void read_tensors(Mixed mixed, Objects& objects) {
  const std::uint64_t size_of_all = mixed.left();
  const std::int64_t count = count_of(mixed.pickle().root(), "tensors", size_of_all);
  for (std::int64_t i = 0; i < count; ++i) {
    const PickleTree tree = mixed.pickle();
    const auto fields = fields_of(tree.root(), "a tensor", 3);
    const TypedStorage typed = storage_named(objects, object_key(fields[1]));
    Cursor cursor = mixed.cursor();
    const auto rank = cursor.read<std::int32_t>("a tensor's rank");
    cursor.take(4, "a tensor's rank");
    if (rank < 0 || rank > kMaxTarRank)
      fail(Error::kCorrupt, "a tensor has ", rank, " dimensions, expected at most ", kMaxTarRank);
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

// It goes by the checksum alone, which may count bytes as signed, too.
bool recognise_tar(Bytes bytes) {
  if (bytes.size() < kBlock) return false;
  const std::string_view header = as_text(bytes.first(kBlock));
  const std::uint64_t number = python_number(header.substr(148, 8));
  const std::uint64_t sum = header_sum(bytes.first(kBlock));
  std::uint64_t high_bytes = 0;
  for (std::size_t i = 0; i < kBlock; ++i)
    if ((i < 148 || i >= 156) && (header[i] & 0x80) != 0) ++high_bytes;
  return header.substr(257, 5) == "ustar" || number == sum || number == sum - 256 * high_bytes;
}

Checkpoint read_torch_tar(const Blob& file, const PickleListener& listen) {
  const std::map<std::string, Blob> members = read_tar(file);
  const auto mixed = [&](const std::string& name) {
    return Mixed(name, member(members, name), listen);
  };
  Objects objects;
  const Mixed storages = mixed("storages");
  in_context("reading 'storages'", [&] { read_storages(storages, objects); });
  const Mixed tensors = mixed("tensors");
  in_context("reading 'tensors'", [&] { read_tensors(tensors, objects); });
  Mixed pickle = mixed("pickle");

  Checkpoint checkpoint;
  checkpoint.kind = FileKind::kTorchTar;
  checkpoint.writer = "PyTorch 0.1";
  in_context("reading 'pickle'", [&] {
    const PickleTree tree = pickle.pickle();
    if (!pickle.at_end())
      fail(Error::kCorrupt, pickle.left(), " bytes follow the end of the pickle");
    checkpoint.root = interpret(tree, [&](const PickleValue& id) {
      const auto found = objects.find(object_key(id));
      if (found == objects.end()) fail(Error::kCorrupt, "there is no object ", object_key(id));
      return found->second;
    });
  });
  return checkpoint;
}

}  // namespace voxport

#include "checkpoint/zip.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <zlib.h>

#include "base/cursor.h"
#include "base/fail.h"

namespace voxport {
namespace {

constexpr std::string_view kEndRecord = "PK\x05\x06";
constexpr std::string_view kZip64Locator = "PK\x06\x07";
constexpr std::uint32_t kLocalHeader = 0x04034b50;    // PK\3\4
constexpr std::uint32_t kCentralHeader = 0x02014b50;  // PK\1\2
constexpr std::uint32_t kZip64End = 0x06064b50;       // PK\6\6
constexpr std::uint32_t kDescriptor = 0x08074b50;     // PK\7\8

constexpr std::uint64_t kLocalHeaderSize = 30;
constexpr std::uint64_t kCentralHeaderSize = 46;
constexpr std::uint64_t kEndRecordSize = 22;
constexpr std::uint64_t kZip64EndSize = 56;
constexpr std::uint64_t kZip64LocatorSize = 20;
constexpr std::uint64_t kMaxComment = 0xffff;

constexpr std::uint16_t kFlagEncrypted = 1 << 0;
constexpr std::uint16_t kFlagDescriptor = 1 << 3;
constexpr std::uint16_t kFlagPatched = 1 << 5;
constexpr std::uint16_t kFlagStrongEncryption = 1 << 6;
constexpr std::uint16_t kFlagMaskedHeader = 1 << 13;
constexpr std::uint16_t kZip64Extra = 1;

// Deflate cannot do better than about 1032 to 1; a claim beyond that is a lie about the size. Real
// entries worth deflating (source text, JSON) are small, so an inflated entry has a ceiling as
// well.
constexpr std::uint64_t kMaxInflateRatio = 1032;
constexpr std::uint64_t kMaxInflatedSize = std::uint64_t{4} << 30;

// Beyond this many entries, headers are checked when an entry is read.
constexpr std::size_t kCheckedAtOnce = 1000;

constexpr std::uint32_t kIn64 = 0xffffffff;  // "the value stands in the zip64 record"

std::uint32_t crc_of(Bytes bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// The 64-bit values of a central header whose 32-bit fields say kIn64, in the order of the format.
void read_zip64_extra(Bytes extra, ZipEntry& entry, std::uint64_t offset_in_file) {
  Cursor cursor(extra, offset_in_file);
  while (cursor.left() >= 4) {
    const auto id = cursor.read<std::uint16_t>("zip extra field");
    const auto length = cursor.read<std::uint16_t>("zip extra field");
    const std::uint64_t field_offset = cursor.offset();
    Cursor field(cursor.take(length, "zip extra field"), field_offset);
    if (id != kZip64Extra) continue;
    for (std::uint64_t* value : {&entry.size, &entry.compressed_size, &entry.offset})
      if (*value == kIn64) *value = field.read<std::uint64_t>("zip64 extra field");
    return;
  }
}

// Whether there are only extra fields of which we know what they are for: sizes, times, owners, and
// the padding ("FB") with which PyTorch aligns what it stores.
bool is_known_extra(std::string_view extra) {
  constexpr std::uint16_t kTimes = 0x5455;
  constexpr std::uint16_t kOwner = 0x7875;
  constexpr std::uint16_t kPadding = 0x4246;
  constexpr std::size_t kMaxLength = 32;  // of fields that hold numbers
  while (!extra.empty()) {
    if (extra.size() < 4) return false;
    const auto number_at = [&](std::size_t at) {
      return static_cast<std::uint16_t>(static_cast<unsigned char>(extra[at]) |
                                        static_cast<unsigned char>(extra[at + 1]) << 8);
    };
    const std::uint16_t id = number_at(0);
    const std::size_t length = number_at(2);
    if (extra.size() - 4 < length) return false;
    const std::string_view field = extra.substr(4, length);
    const bool is_padding =
        id == kPadding && field.find_first_not_of(field.substr(0, 1)) == field.npos;
    const bool is_number =
        (id == kZip64Extra || id == kTimes || id == kOwner) && length <= kMaxLength;
    if (!is_padding && !is_number) return false;
    extra.remove_prefix(4 + length);
  }
  return true;
}

char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

struct SameButForCase {
  bool operator()(std::string_view a, std::string_view b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower_case(x) == lower_case(y); });
  }
};

// FNV-1a of the name in lower case.
struct HashWithoutCase {
  std::size_t operator()(std::string_view name) const {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : name)
      hash = (hash ^ static_cast<unsigned char>(lower_case(c))) * 0x100000001b3;
    return hash;
  }
};

bool leaves_its_folder(std::string_view name) {
  if (name.starts_with('/') || name.starts_with('\\')) return true;
  if (name.size() >= 2 && name[1] == ':') return true;
  std::size_t start = 0;
  while (start <= name.size()) {
    const std::size_t end = std::min(name.find_first_of("/\\", start), name.size());
    if (name.substr(start, end - start) == "..") return true;
    start = end + 1;
  }
  return false;
}

void check_entry(const ZipEntry& entry) {
  const auto flag = [&](std::uint16_t bits) { return (entry.flags & bits) != 0; };
  if (entry.name.empty()) fail(Error::kCorrupt, "a zip entry has no name");
  if (entry.name.find('\0') != std::string::npos)
    fail(Error::kCorrupt, "the zip entry name ", in_quotes(entry.name), " holds a zero byte");
  if (leaves_its_folder(entry.name))
    fail(Error::kCorrupt, "the zip entry name ", in_quotes(entry.name),
         " leads out of the archive");
  // Some readers take it for a slash, and then see another entry.
  if (entry.name.find('\\') != std::string::npos)
    fail(Error::kCorrupt, "the zip entry name ", in_quotes(entry.name), " holds a backslash");
  if (flag(kFlagEncrypted | kFlagStrongEncryption | kFlagMaskedHeader))
    fail(Error::kUnsupported, "the zip entry ", in_quotes(entry.name), " is encrypted");
  if (flag(kFlagPatched))
    fail(Error::kUnsupported, "the zip entry ", in_quotes(entry.name),
         " is a patch of another file");
  if (entry.method != ZipArchive::kStored && entry.method != ZipArchive::kDeflated) {
    fail(Error::kUnsupported, "the zip entry ", in_quotes(entry.name), " has compression method ",
         entry.method, ", expected 0 (stored) or 8 (deflated)");
  }
  if (entry.method == ZipArchive::kStored && entry.size != entry.compressed_size) {
    fail(Error::kCorrupt, "the stored zip entry ", in_quotes(entry.name), " holds ",
         entry.compressed_size, " bytes, but says that it unpacks to ", entry.size);
  }
  if (entry.method != ZipArchive::kDeflated) return;
  if (entry.size / kMaxInflateRatio > entry.compressed_size) {
    fail(Error::kCorrupt, "the zip entry ", in_quotes(entry.name), " says that ",
         entry.compressed_size, " bytes inflate to ", entry.size, ", which deflate cannot do");
  }
  if (entry.size > kMaxInflatedSize) {
    fail(Error::kUnsupported, "the zip entry ", in_quotes(entry.name), " inflates to ", entry.size,
         " bytes, expected at most ", kMaxInflatedSize);
  }
}

// What the local header of an entry says.
struct LocalHeader {
  std::uint16_t flags;
  std::uint16_t method;
  std::uint32_t crc32;
  std::uint64_t compressed_size;
  std::uint64_t size;
  std::uint16_t name_length;
  std::uint16_t extra_length;
};

LocalHeader parse_local_header(Bytes bytes, std::uint64_t offset) {
  Cursor cursor(bytes, offset);
  if (cursor.read<std::uint32_t>("zip local header") != kLocalHeader)
    fail(Error::kCorrupt, "there is no zip local header at byte ", offset);
  cursor.take(2, "zip local header");  // version needed
  LocalHeader header{};
  header.flags = cursor.read<std::uint16_t>("zip local header");
  header.method = cursor.read<std::uint16_t>("zip local header");
  cursor.take(4, "zip local header");  // time and date
  header.crc32 = cursor.read<std::uint32_t>("zip local header");
  header.compressed_size = cursor.read<std::uint32_t>("zip local header");
  header.size = cursor.read<std::uint32_t>("zip local header");
  header.name_length = cursor.read<std::uint16_t>("zip local header");
  header.extra_length = cursor.read<std::uint16_t>("zip local header");
  return header;
}

[[noreturn]] void disagree(const ZipEntry& entry, std::string_view field) {
  fail(Error::kCorrupt, "the two zip headers of ", in_quotes(entry.name), " differ in their ",
       field);
}

// With a descriptor the local header may leave the numbers open (all zero), else it must repeat
// them.
void compare_headers(const ZipEntry& entry, const LocalHeader& local) {
  if (local.flags != entry.flags) disagree(entry, "flags");
  if (local.method != entry.method) disagree(entry, "compression method");
  const bool left_open = (entry.flags & kFlagDescriptor) != 0 && local.crc32 == 0 &&
                         (local.size == 0 || local.size == kIn64) &&
                         (local.compressed_size == 0 || local.compressed_size == kIn64);
  if (left_open) return;
  if (local.crc32 != entry.crc32) disagree(entry, "CRC");
  if (local.size != entry.size || local.compressed_size != entry.compressed_size)
    disagree(entry, "size");
}

// A raw deflate stream of exactly `size` bytes that uses up all of its input. Memory grows with
// what really comes out, not with what was promised.
std::string inflate_all(Bytes input, std::uint64_t size, const ZipEntry& entry) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 30;  // zlib counts in 32 bits
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  std::string output;
  std::uint64_t taken = 0;
  std::uint64_t made = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    if (made == output.size() && made < size)
      output.resize(std::min(size, std::max<std::uint64_t>(2 * made, 1 << 16)));
    const auto in = static_cast<uInt>(std::min(input.size() - taken, kPiece));
    const auto out = static_cast<uInt>(std::min(output.size() - made, kPiece));
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(input.data() + taken));
    stream.next_out = reinterpret_cast<Bytef*>(output.data() + made);
    stream.avail_in = in;
    stream.avail_out = out;
    status = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    made += out - stream.avail_out;
  }
  inflateEnd(&stream);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  const auto broken = [&](const auto&... how) {
    fail(Error::kCorrupt, "the deflated zip entry ", in_quotes(entry.name), how...);
  };
  if (status == Z_DATA_ERROR) broken(" is damaged after ", made, " of its ", size, " bytes");
  if (status != Z_STREAM_END && taken == input.size())
    broken(" breaks off after ", made, " of its ", size, " bytes");
  if (status != Z_STREAM_END) broken(" inflates to more than its ", size, " bytes");
  if (made != size) broken(" inflates to ", made, " bytes, expected ", size);
  if (taken != input.size()) broken(" holds ", input.size() - taken, " bytes after its last one");
  return output;
}

class ZipStorage : public Storage {
 public:
  // `entry` is one of the archive's.
  ZipStorage(std::shared_ptr<const ZipArchive> archive, const ZipEntry& entry)
      : Storage(entry.size), archive_(std::move(archive)), entry_(entry) {}

 private:
  Blob load() const override { return archive_->read(entry_); }

  std::shared_ptr<const ZipArchive> archive_;
  const ZipEntry& entry_;
};

}  // namespace

// A look at a few hundred bytes of the file at a time: the end of one entry and the start of the
// next come in one piece.
class ZipArchive::Window {
 public:
  explicit Window(const Blob& file) : file_(file) {}

  // Bytes that lie in the file; good until the next call.
  Bytes at(std::uint64_t offset, std::uint64_t length) {
    if (offset < start_ || offset + length > start_ + bytes_.size()) {
      start_ = offset;
      bytes_.resize(std::min(std::max(length, kPiece), file_.size() - offset));
      file_.peek(start_, bytes_);
    }
    return Bytes(bytes_).subspan(offset - start_, length);
  }

 private:
  static constexpr std::uint64_t kPiece = 512;
  const Blob& file_;
  std::uint64_t start_ = 0;
  std::vector<std::byte> bytes_;
};

// Where the central directory lies and how much it holds.
struct ZipArchive::Directory {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t entries = 0;
  std::uint64_t end = 0;  // where the first end record starts
  bool has_comment = false;
};

bool ZipArchive::recognise(Bytes bytes) {
  const std::string_view text = as_text(bytes.first(std::min<std::size_t>(bytes.size(), 4)));
  return text == "PK\x03\x04" || text == "PK\x05\x06" || text == "PK\x06\x06";
}

ZipArchive::ZipArchive(Blob file) : file_(std::move(file)) {
  const Directory directory = find_directory();
  has_comment_ = directory.has_comment;
  read_directory(directory);
  check_names();
  check_order(directory);
  if (entries_.size() <= kCheckedAtOnce) check_all();
}

// The end record is the last thing in the file but for its own comment, whose length it gives.
std::uint64_t ZipArchive::find_end_record() const {
  const std::uint64_t tail_size = std::min(file_.size(), kEndRecordSize + kMaxComment);
  const Bytes tail = file_.bytes().last(tail_size);
  for (std::uint64_t at = tail_size; at-- > 0;) {
    if (at + kEndRecordSize <= tail_size && as_text(tail.subspan(at, 4)) == kEndRecord)
      return file_.size() - tail_size + at;
  }
  fail(Error::kCorrupt, "the zip archive has no end record; the file may be cut short");
}

ZipArchive::Directory ZipArchive::find_directory() const {
  const std::uint64_t end_offset = find_end_record();
  Cursor end(file_.bytes().subspan(end_offset), end_offset);
  end.take(4, "zip end record");
  const auto disk = end.read<std::uint16_t>("zip end record");
  const auto directory_disk = end.read<std::uint16_t>("zip end record");
  const auto entries_here = end.read<std::uint16_t>("zip end record");
  const auto entries = end.read<std::uint16_t>("zip end record");
  Directory directory;
  directory.end = end_offset;
  directory.entries = entries;
  directory.size = end.read<std::uint32_t>("zip end record");
  directory.offset = end.read<std::uint32_t>("zip end record");
  const auto comment = end.read<std::uint16_t>("zip end record");
  if (end.left() != comment) {
    fail(Error::kCorrupt, "the zip archive is followed by ", end.left(), " bytes, expected ",
         comment);
  }
  const bool several_disks = (disk != 0 && disk != 0xffff) ||
                             (directory_disk != 0 && directory_disk != 0xffff) ||
                             entries_here != entries;
  if (several_disks) fail(Error::kUnsupported, "the zip archive is spread over several disks");

  const bool has_zip64 =
      end_offset >= kZip64LocatorSize + kZip64EndSize &&
      as_text(file_.bytes().subspan(end_offset - kZip64LocatorSize, 4)) == kZip64Locator;
  if (has_zip64) directory = widen(directory);
  directory.has_comment = comment > 0;
  if (directory.offset > directory.end || directory.size != directory.end - directory.offset) {
    fail(Error::kCorrupt, "the zip directory of ", directory.size, " bytes at byte ",
         directory.offset, " does not end at byte ", directory.end, " where its end record is");
  }
  return directory;
}

// The 64-bit numbers of the zip64 end record, which its locator, right before the end record, says
// to be right before itself. They must be those of the end record, where that has room for them.
ZipArchive::Directory ZipArchive::widen(const Directory& narrow) const {
  const std::uint64_t locator_offset = narrow.end - kZip64LocatorSize;
  Cursor locator(file_.bytes().subspan(locator_offset, kZip64LocatorSize), locator_offset);
  locator.take(4, "zip64 locator");
  const auto zip64_disk = locator.read<std::uint32_t>("zip64 locator");
  const auto zip64_offset = locator.read<std::uint64_t>("zip64 locator");
  const auto disks = locator.read<std::uint32_t>("zip64 locator");
  if (zip64_disk != 0 || disks > 1)
    fail(Error::kUnsupported, "the zip archive is spread over several disks");
  if (zip64_offset != locator_offset - kZip64EndSize) {
    fail(Error::kCorrupt, "the zip64 end record is said to be at byte ", zip64_offset,
         ", expected ", locator_offset - kZip64EndSize);
  }
  Cursor record(file_.bytes().subspan(zip64_offset, kZip64EndSize), zip64_offset);
  if (record.read<std::uint32_t>("zip64 end record") != kZip64End)
    fail(Error::kCorrupt, "there is no zip64 end record at byte ", zip64_offset);
  const auto record_size = record.read<std::uint64_t>("zip64 end record");
  if (record_size != kZip64EndSize - 12)
    fail(Error::kCorrupt, "the zip64 end record has the size ", record_size, ", expected 44");
  record.take(4, "zip64 end record");  // versions
  const auto this_disk = record.read<std::uint32_t>("zip64 end record");
  const auto start_disk = record.read<std::uint32_t>("zip64 end record");
  const auto here = record.read<std::uint64_t>("zip64 end record");
  Directory wide;
  wide.end = zip64_offset;
  wide.entries = record.read<std::uint64_t>("zip64 end record");
  wide.size = record.read<std::uint64_t>("zip64 end record");
  wide.offset = record.read<std::uint64_t>("zip64 end record");
  if (this_disk != 0 || start_disk != 0 || here != wide.entries)
    fail(Error::kUnsupported, "the zip archive is spread over several disks");
  const bool same = (narrow.entries == 0xffff || narrow.entries == wide.entries) &&
                    (narrow.size == kIn64 || narrow.size == wide.size) &&
                    (narrow.offset == kIn64 || narrow.offset == wide.offset);
  if (!same) fail(Error::kCorrupt, "the two end records of the zip archive differ");
  return wide;
}

void ZipArchive::read_directory(const Directory& directory) {
  Cursor cursor(file_.bytes().subspan(directory.offset, directory.size), directory.offset);
  entries_.reserve(std::min(directory.entries, directory.size / kCentralHeaderSize));
  while (!cursor.at_end()) {
    const std::uint64_t offset = cursor.offset();
    if (cursor.read<std::uint32_t>("zip directory entry") != kCentralHeader)
      fail(Error::kCorrupt, "there is no zip directory entry at byte ", offset);
    cursor.take(4, "zip directory entry");  // version made by, version needed
    ZipEntry entry;
    entry.flags = cursor.read<std::uint16_t>("zip directory entry");
    entry.method = cursor.read<std::uint16_t>("zip directory entry");
    cursor.take(4, "zip directory entry");  // time and date
    entry.crc32 = cursor.read<std::uint32_t>("zip directory entry");
    entry.compressed_size = cursor.read<std::uint32_t>("zip directory entry");
    entry.size = cursor.read<std::uint32_t>("zip directory entry");
    const auto name_length = cursor.read<std::uint16_t>("zip directory entry");
    const auto extra_length = cursor.read<std::uint16_t>("zip directory entry");
    const auto comment_length = cursor.read<std::uint16_t>("zip directory entry");
    const auto disk = cursor.read<std::uint16_t>("zip directory entry");
    cursor.take(6, "zip directory entry");  // internal and external attributes
    entry.offset = cursor.read<std::uint32_t>("zip directory entry");
    entry.name = as_text(cursor.take(name_length, "zip entry name"));
    const std::uint64_t extra_offset = cursor.offset();
    const Bytes extra = cursor.take(extra_length, "zip extra field");
    read_zip64_extra(extra, entry, extra_offset);
    cursor.take(comment_length, "zip entry comment");
    entry.has_leftovers = comment_length > 0 || !is_known_extra(as_text(extra));
    if (disk != 0 && disk != 0xffff)
      fail(Error::kUnsupported, "the zip archive is spread over several disks");
    check_entry(entry);
    entries_.push_back(std::move(entry));
  }
  if (entries_.size() != directory.entries) {
    fail(Error::kCorrupt, "the zip directory lists ", entries_.size(), " entries, expected ",
         directory.entries);
  }
}

// Two entries of one name are two files for two readers. So are names that differ in case only, on
// half of the world's disks.
void ZipArchive::check_names() {
  std::unordered_set<std::string_view, HashWithoutCase, SameButForCase> names(entries_.size());
  by_name_.reserve(entries_.size());
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const std::string_view name = entries_[i].name;
    if (!by_name_.emplace(name, i).second)
      fail(Error::kCorrupt, "the zip archive has two entries named ", in_quotes(name));
    const auto [other, is_new] = names.insert(name);
    if (!is_new) {
      fail(Error::kCorrupt, "the zip entries ", in_quotes(*other), " and ", in_quotes(name),
           " differ in upper and lower case only");
    }
  }
}

// Entries lie one after the other, from the first byte of the file to the directory. Tells each
// where it ends; that it really fills the space up to there is for check_headers() to see.
void ZipArchive::check_order(const Directory& directory) {
  std::vector<ZipEntry*> order;
  for (ZipEntry& entry : entries_) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(),
                   [](const ZipEntry* a, const ZipEntry* b) { return a->offset < b->offset; });
  if (!order.empty() && order.back()->offset > directory.offset) {
    fail(Error::kCorrupt, "the zip entry ", in_quotes(order.back()->name),
         " is said to be at byte ", order.back()->offset, ", but the directory is at byte ",
         directory.offset);
  }
  const std::uint64_t start = order.empty() ? directory.offset : order.front()->offset;
  if (start != 0) fail(Error::kCorrupt, start, " bytes at byte 0 belong to no zip entry");
  for (std::size_t i = 0; i < order.size(); ++i) {
    ZipEntry& entry = *order[i];
    const bool is_last = i + 1 == order.size();
    entry.end = is_last ? directory.offset : order[i + 1]->offset;
    const std::uint64_t header = kLocalHeaderSize + entry.name.size();
    const bool has_room = entry.end >= entry.offset && entry.end - entry.offset >= header &&
                          entry.end - entry.offset - header >= entry.compressed_size;
    if (!has_room) {
      fail(Error::kCorrupt, "the zip entry ", in_quotes(entry.name), " of ", entry.compressed_size,
           " bytes at byte ", entry.offset, " reaches into the ",
           is_last ? "directory" : "next one", " at byte ", entry.end);
    }
  }
}

void ZipArchive::check_all() const {
  Window window(file_);
  for (const ZipEntry& entry : entries_) check_headers(entry, window);
}

// Compares the two headers of an entry, and checks that it ends where the next one starts. Returns
// the offset of its payload.
std::uint64_t ZipArchive::check_headers(const ZipEntry& entry, Window& window) const {
  const std::uint64_t name_end = entry.offset + kLocalHeaderSize + entry.name.size();
  const Bytes header = window.at(entry.offset, kLocalHeaderSize + entry.name.size());
  LocalHeader local = parse_local_header(header, entry.offset);
  const std::string_view name = as_text(header.subspan(kLocalHeaderSize));
  if (local.name_length != entry.name.size() || name != entry.name) disagree(entry, "name");

  const std::uint64_t room = entry.end - name_end - entry.compressed_size;
  if (local.extra_length > room) {
    fail(Error::kCorrupt, "the zip entry ", in_quotes(entry.name), " of ", entry.compressed_size,
         " bytes at byte ", entry.offset, " reaches into what follows at byte ", entry.end);
  }
  if (local.size == kIn64 || local.compressed_size == kIn64) {
    ZipEntry wide;
    wide.size = local.size;
    wide.compressed_size = local.compressed_size;
    read_zip64_extra(window.at(name_end, local.extra_length), wide, name_end);
    local.size = wide.size;
    local.compressed_size = wide.compressed_size;
  }
  compare_headers(entry, local);

  const std::uint64_t payload = name_end + local.extra_length;
  std::uint64_t end = payload + entry.compressed_size;
  if ((entry.flags & kFlagDescriptor) != 0) end = check_descriptor(entry, end, window);
  if (end != entry.end)
    fail(Error::kCorrupt, entry.end - end, " bytes at byte ", end, " belong to no zip entry");
  return payload;
}

// After the payload: [PK\7\8] crc, compressed size, size; sizes of 4 or 8 bytes. Which of the four
// forms it is can only be told by the numbers agreeing with the directory. Returns where it ends.
std::uint64_t ZipArchive::check_descriptor(const ZipEntry& entry, std::uint64_t start,
                                           Window& window) const {
  const Bytes bytes = window.at(start, std::min<std::uint64_t>(24, entry.end - start));
  for (const bool with_signature : {true, false}) {
    for (const std::uint64_t width : {4U, 8U}) {
      const std::uint64_t length = (with_signature ? 8U : 4U) + 2 * width;
      if (bytes.size() < length) continue;
      Cursor cursor(bytes.first(length), start);
      if (with_signature && cursor.read<std::uint32_t>("zip data descriptor") != kDescriptor)
        continue;
      if (cursor.read<std::uint32_t>("zip data descriptor") != entry.crc32) continue;
      const auto next_size = [&]() -> std::uint64_t {
        return width == 4 ? cursor.read<std::uint32_t>("zip data descriptor")
                          : cursor.read<std::uint64_t>("zip data descriptor");
      };
      if (next_size() == entry.compressed_size && next_size() == entry.size) return start + length;
    }
  }
  fail(Error::kCorrupt, "the zip entry ", in_quotes(entry.name), " has a data descriptor at byte ",
       start, " that differs from the directory");
}

bool ZipArchive::has_known_extra(const ZipEntry& entry, Window& window) const {
  const LocalHeader local =
      parse_local_header(window.at(entry.offset, kLocalHeaderSize), entry.offset);
  const std::uint64_t start = entry.offset + kLocalHeaderSize + local.name_length;
  return is_known_extra(as_text(window.at(start, local.extra_length)));
}

std::vector<std::string> ZipArchive::leftovers() const {
  constexpr std::size_t kMaxSentences = 10;
  std::vector<std::string> sentences;
  if (has_comment_) sentences.emplace_back("the zip archive has a comment");
  Window window(file_);
  for (const ZipEntry& entry : entries_) {
    if (sentences.size() >= kMaxSentences) break;
    check_headers(entry, window);
    if (entry.has_leftovers || !has_known_extra(entry, window))
      sentences.push_back(cat("the zip entry ", in_quotes(entry.name),
                              " has a comment or extra fields that no loader needs"));
  }
  return sentences;
}

const ZipEntry* ZipArchive::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &entries_[found->second];
}

Blob ZipArchive::open(const ZipEntry& entry) const {
  if (entry.method == kDeflated) return read(entry);
  Window window(file_);
  return file_.slice(check_headers(entry, window), entry.size);
}

Blob ZipArchive::read(const ZipEntry& entry) const {
  Window window(file_);
  Blob payload = file_.slice(check_headers(entry, window), entry.compressed_size);
  if (entry.method == kDeflated)
    payload = Blob::own(inflate_all(payload.bytes(), entry.size, entry));
  // Writers that were told to save the time (torch.serialization.set_crc32_options) write 0.
  if (entry.crc32 != 0 && crc_of(payload.bytes()) != entry.crc32)
    fail(Error::kCorrupt, "the bytes of the zip entry ", in_quotes(entry.name),
         " do not match their CRC");
  return payload;
}

std::shared_ptr<const Storage> storage_of(std::shared_ptr<const ZipArchive> archive,
                                          const ZipEntry& entry) {
  return std::make_shared<ZipStorage>(std::move(archive), entry);
}

}  // namespace voxport

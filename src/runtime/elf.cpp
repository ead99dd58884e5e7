#include "runtime/elf.h"

#include <cstring>
#include <optional>
#include <string_view>

#include <elf.h>

#include "base/blob.h"
#include "base/fail.h"

namespace voxport {
namespace {

// A file that is there; whoever loads it tells what is wrong with it.
std::optional<Blob> map_if_readable(const std::filesystem::path& path) {
  try {
    return Blob::map_file(path);
  } catch (const Error&) {
    return std::nullopt;
  }
}

template <class Record>
std::optional<Record> record_at(Bytes file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(Record)) return std::nullopt;
  Record record;
  std::memcpy(&record, file.data() + offset, sizeof record);
  return record;
}

// The records of a table, as far as the file goes.
template <class Record>
std::vector<Record> table_at(Bytes file, std::uint64_t offset, std::uint64_t count) {
  std::vector<Record> table;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto record = record_at<Record>(file, offset + i * sizeof(Record));
    if (!record) break;
    table.push_back(*record);
  }
  return table;
}

std::vector<Elf64_Phdr> segments_of(Bytes file) {
  const auto header = record_at<Elf64_Ehdr>(file, 0);
  const bool is_elf = header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
                      header->e_ident[EI_CLASS] == ELFCLASS64 &&
                      header->e_phentsize == sizeof(Elf64_Phdr);
  if (!is_elf) return {};
  return table_at<Elf64_Phdr>(file, header->e_phoff, header->e_phnum);
}

std::vector<Elf64_Dyn> dynamic_section(Bytes file, const std::vector<Elf64_Phdr>& segments) {
  for (const Elf64_Phdr& segment : segments)
    if (segment.p_type == PT_DYNAMIC)
      return table_at<Elf64_Dyn>(file, segment.p_offset, segment.p_filesz / sizeof(Elf64_Dyn));
  return {};
}

// Where in the file an address of the loaded library lies.
std::optional<std::uint64_t> offset_of(std::uint64_t address,
                                       const std::vector<Elf64_Phdr>& segments) {
  for (const Elf64_Phdr& segment : segments)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz)
      return segment.p_offset + (address - segment.p_vaddr);
  return std::nullopt;
}

std::string text_at(Bytes file, std::uint64_t offset) {
  if (offset >= file.size()) return {};
  const std::string_view rest = as_text(file.subspan(offset));
  return std::string(rest.substr(0, rest.find('\0')));
}

}  // namespace

std::vector<std::string> needed_libraries(const std::filesystem::path& library) {
  const std::optional<Blob> file = map_if_readable(library);
  if (!file) return {};
  const std::vector<Elf64_Phdr> segments = segments_of(file->bytes());
  const std::vector<Elf64_Dyn> dynamic = dynamic_section(file->bytes(), segments);
  std::optional<std::uint64_t> names;  // the table that they are offsets into
  for (const Elf64_Dyn& entry : dynamic)
    if (entry.d_tag == DT_STRTAB) names = offset_of(entry.d_un.d_ptr, segments);
  std::vector<std::string> needed;
  for (const Elf64_Dyn& entry : dynamic)
    if (names && entry.d_tag == DT_NEEDED)
      needed.push_back(text_at(file->bytes(), *names + entry.d_un.d_val));
  return needed;
}

}  // namespace voxport

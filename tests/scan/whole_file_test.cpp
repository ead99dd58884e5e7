// Files that are two things, and files that are not all of what they seem to be. And that honest
// files are clean.
#include "scan/whole_file.h"

#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "tests/data.h"
#include "tests/program/torchscript_files.h"
#include "tests/scan/scanned.h"

namespace voxport::whole_file_test {
namespace {

namespace fs = std::filesystem;
const std::string kEvil = "cos\nsystem\n(S'ls'\ntR.";

std::string recorded(const std::string& name) {
  return std::string(Blob::map_file(data_folder() / name).text());
}

// A file with this header, and then `data`.
std::string safetensors_with(const std::string& header, const std::string& data) {
  return cat(little_endian(static_cast<std::uint64_t>(header.size())), header, data);
}

// One tensor of bytes; the header is filled up with spaces, the value of `note` with letters.
std::string safetensors_of(std::size_t header_size, const std::string& data, char note = 'V') {
  const std::string start = R"({"__metadata__":{"note":")";
  const std::string end = cat(R"("},"a":{"dtype":"U8","shape":[)", data.size(),
                              R"(],"data_offsets":[0,)", data.size(), "]}}");
  return safetensors_with(start + std::string(header_size - start.size() - end.size(), note) + end,
                          data);
}

// A header of 8280 bytes starts the file with BINUNICODE and a string of 32 bytes, and what follows
// in the header is one UNICODE up to the first newline: the beginning of a pickle that goes on in
// the tensor.
std::string safetensors_and_pickle(const std::string& pickle) {
  return safetensors_of(0x2058, cat("\n", pickle));
}

std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(0x80 | (number & 0x7f));
  return bytes + static_cast<char>(number);
}

// A field of protobuf that holds bytes.
std::string field(std::uint64_t number, const std::string& bytes) {
  return cat(varint(number << 3 | 2), varint(bytes.size()), bytes);
}

std::string tar_header(const std::string& start, std::size_t size) {
  std::string header = start;
  header.resize(512, '\0');
  const auto octal = [](std::size_t number, std::size_t digits) {
    std::string text(digits, '0');
    for (std::size_t i = digits; i-- > 0; number /= 8)
      text[i] = static_cast<char>('0' + number % 8);
    return text;
  };
  header.replace(124, 11, octal(size, 11));
  header.replace(148, 8, "        ");
  header[156] = '0';
  std::size_t sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  header.replace(148, 7, octal(sum, 6) + '\0');
  return header;
}

std::string tar_member(const std::string& name, const std::string& bytes) {
  std::string padded = bytes;
  padded.resize((bytes.size() + 511) / 512 * 512, '\0');
  return tar_header(name, bytes.size()) + padded;
}

// The members that torch.save of PyTorch 0.1 wrote, with a pickle of our own, and the end.
std::string tar_members(const std::string& pickle) {
  return cat(tar_member("storages", std::string("\x80\x02K\x00.\x80\x02].", 9)),
             tar_member("tensors", std::string("\x80\x02K\x00.", 5)), tar_member("pickle", pickle),
             std::string(1024, '\0'));
}

// An ONNX model that has this field after its version and an empty name; the field holds the rest
// of a tar archive that starts with the first byte of the file.
std::string onnx_and_tar(std::uint64_t field_number) {
  const std::string model = recorded("onnx/add.onnx");
  const std::string members = tar_members(kEvil);
  const auto start = [&](std::size_t length) {
    return cat(model.substr(0, 2), field(2, ""), varint(field_number << 3 | 2), varint(length));
  };
  const std::size_t start_size = start(members.size()).size();
  const std::size_t length = 512 + members.size() - start_size;
  EXPECT_EQ(start(length).size(), start_size);
  return cat(tar_header(start(length), 0), members, model.substr(2));
}

// ---- honest files

// Broken on purpose, or with objects of classes that nobody knows, or of a kind that is not read.
bool is_expected_to_be_clean(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::string folder = path.parent_path().filename().string();
  if (folder == "attacks" || folder == "broken" || folder == "broken_voices") return false;
  for (const char* start :
       {"keyword_objects", "objects", "parameters", "pickle_protocol", "views_big_endian"})
    if (name.starts_with(start)) return false;
  static const std::set<std::string> kModels = {".ckpt", ".onnx", ".pkl",         ".pt",
                                                ".pt2",  ".pth",  ".safetensors", ".tar"};
  return kModels.contains(path.extension().string());
}

TEST(WholeFile, FindsHonestFilesClean) {
  int files = 0;
  for (const fs::path& folder : {data_folder(), voices_folder()}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file() || !is_expected_to_be_clean(entry.path())) continue;
      const Scan scan = scan_whole_file(Blob::map_file(entry.path()), entry.path().parent_path());
      EXPECT_EQ(summary_of(scan), "clean") << entry.path();
      ++files;
    }
  }
  EXPECT_GT(files, 400);
}

TEST(WholeFile, FindsSafetensorsCleanWhateverTheirLength) {
  for (std::size_t size = 0x700; size < 0x800; ++size)
    EXPECT_EQ(
        summary_of(scan_of(safetensors_of(size, "numbers with\na line, and \n another.", ' '))),
        "clean")
        << size;
}

// 0x9850 bytes of header: the opcode PERSID, and an id that is not ASCII. Python ends there, and
// finds nothing further down.
TEST(WholeFile, FindsSafetensorsCleanThatStartAsAnIdWhichIsNotAscii) {
  EXPECT_EQ(summary_of(scan_of(safetensors_of(0x9850, "\ncmy.module\nthing\n.", ' '))), "clean");
}

// ---- safetensors

TEST(WholeFile, ReadsTheHeaderOfSafetensorsToItsEnd) {
  EXPECT_EQ(summary_of(scan_of(safetensors_with(R"({"a":{"dtype":"U8"}} os.system)", ""))),
            "suspicious: the header is not JSON: syntax error at byte 29");
  EXPECT_EQ(summary_of(scan_of(safetensors_of(200, "1234") + "more")),
            "suspicious: the tensors end at byte 4 of the data, but the file holds 8");
  EXPECT_EQ(summary_of(scan_of(safetensors_with(
                R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})", "1234"))),
            "suspicious: tensor 'a' begins at byte 2 of the data, expected byte 0");
}

TEST(WholeFile, SeesThePickleInSafetensors) {
  const Scan scan = scan_of(safetensors_and_pickle(kEvil));
  EXPECT_EQ(verdict_of(scan), "dangerous");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "the file is not only a safetensors file",
                      summary_of(scan));
}

// Python reads numbers of more digits than our reader does, and goes on.
TEST(WholeFile, SeesThePickleThatOurReaderDoesNotFollow) {
  EXPECT_EQ(
      summary_of(scan_of(safetensors_and_pickle(cat("L", std::string(2000, '1'), "L\n0", kEvil)))),
      "suspicious: the file is not only a safetensors file: a loader would take it for a "
      "pickle that imports something, from its first byte on");
}

TEST(WholeFile, CallsATextPickleThatBreaksSuspicious) {
  EXPECT_EQ(verdict_of(scan_of(cat("L", std::string(2000, '1'), "L\n0", kEvil))), "suspicious");
  EXPECT_EQ(verdict_of(scan_of(cat("I1\n0N0", kEvil))), "dangerous");
  EXPECT_EQ(verdict_of(scan_of("cmy.module\nthing\n.")), "suspicious");
}

// ---- zip archives behind other things

TEST(WholeFile, SeesTheZipArchiveAtTheEnd) {
  const std::string zip(
      archive_of({{"archive/data.pkl", cat("\x80\x02", kEvil)}, {"archive/version", "3\n"}})
          .text());
  const std::string harmless(
      archive_of({{"archive/data.pkl", "\x80\x02N."}, {"archive/version", "3\n"}}).text());
  EXPECT_EQ(verdict_of(scan_of(safetensors_of(400, zip))), "dangerous");
  EXPECT_EQ(verdict_of(scan_of(safetensors_of(400, harmless))), "suspicious");
  EXPECT_EQ(verdict_of(scan_of(safetensors_of(400, cat(zip, "after it")))), "dangerous");
  const std::string model = recorded("onnx/add.onnx");
  EXPECT_EQ(verdict_of(scan_of(cat(model, field(14, field(1, zip))))), "dangerous");
  EXPECT_EQ(verdict_of(scan_of(cat("\x80\x02N.", zip))), "dangerous");
  EXPECT_EQ(verdict_of(scan_of(cat("before it", zip))), "dangerous");
}

TEST(WholeFile, LetsTensorsEndInTheSignatureOfAZipArchive) {
  EXPECT_EQ(summary_of(scan_of(safetensors_of(400, cat("PK\x05\x06", std::string(40, '\0'))))),
            "clean");
}

TEST(WholeFile, CallsAZipArchiveWithAnythingMoreSuspicious) {
  const FileEntries entries = {{"archive/data.pkl", "\x80\x02N."}, {"archive/version", "3\n"}};
  const std::string zip(archive_of(entries).text());
  EXPECT_EQ(summary_of(scan_of(zip)), "clean");
  EXPECT_EQ(summary_of(scan_of(zip + "x")),
            "suspicious: the zip archive is followed by 1 bytes, expected 0");
  std::string commented = zip + "x";
  commented[zip.size() - 2] = 1;
  EXPECT_EQ(summary_of(scan_of(commented)), "suspicious: the zip archive has a comment");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious", summary_of(scan_of("x" + zip)));
  std::string renamed = zip;
  renamed.replace(zip.find("archive/data.pkl"), 7, "ARCHIVE");
  EXPECT_EQ(summary_of(scan_of(renamed)),
            "suspicious: the two zip headers of 'archive/data.pkl' differ in their name");
  const auto with = [&](const std::string& name) {
    FileEntries more = entries;
    more.emplace_back(name, "3\n");
    return summary_of(scan_of(std::string(archive_of(more).text())));
  };
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious: the zip archive has two entries",
                      with("archive/version"));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "differ in upper and lower case only",
                      with("archive/VERSION"));
  EXPECT_EQ(with("archive/notes.txt"),
            "suspicious: archive/notes.txt: an entry that no loader of PyTorch knows");
  EXPECT_EQ(with("other/byteorder"),
            "suspicious: other/byteorder: an entry that no loader of PyTorch knows");
}

TEST(WholeFile, KnowsTheExtraFieldsOfAZipArchive) {
  // Three bytes of padding in the local header of the only entry.
  const auto with_extra = [](const std::string& extra) {
    std::string zip(archive_of({{"a/data.pkl", "\x80\x02N."}}).text());
    const std::size_t name_end = 30 + std::string("a/data.pkl").size();
    zip.insert(name_end, extra);
    zip[28] = static_cast<char>(extra.size());
    const std::size_t end = zip.size() - 22;
    zip.replace(end + 16, 4,
                little_endian(static_cast<std::uint32_t>(name_end + extra.size() + 4)));
    return summary_of(scan_of(zip));
  };
  EXPECT_EQ(with_extra(std::string("FB\x03\x00ZZZ", 7)), "clean");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious",
                      with_extra(std::string("FB\x03\x00ZZx", 7)));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious",
                      with_extra(std::string("XX\x03\x00ZZZ", 7)));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious", with_extra("FB"));
}

TEST(WholeFile, ChecksTheBytesOfEveryEntry) {
  std::string zip(archive_of({{"a/data.pkl", "\x80\x02N."}, {"a/data/0", "storage"}}).text());
  EXPECT_EQ(summary_of(scan_of(zip)), "clean");
  zip[zip.find("storage")] = 'S';
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "'a/data/0' do not match their CRC",
                      summary_of(scan_of(zip)));
}

// Python's C reader sees another pickle than we do.
TEST(WholeFile, CallsAPickleWhoseFramesDoNotFitSuspicious) {
  const std::string pickle("\x80\x04\x95\x03\0\0\0\0\0\0\0J\1\2\3\4K\1.", 18);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "reaches beyond its frame, which ends at byte 14",
                      summary_of(scan_of(pickle)));
  const std::string nested("\x80\x04\x95\x0a\0\0\0\0\0\0\0\x95\x01\0\0\0\0\0\0\0N.", 22);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "starts a frame inside of another",
                      summary_of(scan_of(nested)));
}

// Of a zip archive that is none of PyTorch's, such as numpy's .npz.
TEST(WholeFile, CallsOtherZipArchivesSuspicious) {
  EXPECT_EQ(summary_of(scan_of(std::string(archive_of({{"a.npy", "\x93NUMPY"}}).text()))),
            "suspicious: this zip archive is not a PyTorch file: it has no entry 'data.pkl'");
}

// ---- tar archives in front of other things

TEST(WholeFile, SeesTheTarArchiveInAnOnnxModel) {
  constexpr std::uint64_t kUnknown = 100;
  constexpr std::uint64_t kDocString = 6;
  for (const std::uint64_t number : {kUnknown, kDocString}) {
    const Scan scan = scan_of(onnx_and_tar(number));
    EXPECT_EQ(verdict_of(scan), "dangerous") << number;
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "a loader would take it for a tar archive",
                        summary_of(scan))
        << number;
  }
}

TEST(WholeFile, KnowsTheMembersOfATarArchive) {
  const std::string pickle("\x80\x02N.", 4);
  EXPECT_EQ(summary_of(scan_of(tar_members(pickle))), "clean");
  EXPECT_EQ(summary_of(scan_of(tar_member("more", "anything") + tar_members(pickle))),
            "suspicious: 'more': a member that no loader of PyTorch knows");
  EXPECT_EQ(verdict_of(scan_of(tar_member("sys_info", kEvil) + tar_members(pickle))), "suspicious");
}

TEST(WholeFile, SeesTheTarArchiveInSafetensors) {
  // The checksum stands in the text of a note.
  std::string file = safetensors_of(4000, "1234", ' ');
  std::size_t sum = 8 * std::size_t{' '};
  for (std::size_t i = 0; i < 512; ++i)
    if (i < 148 || i >= 156) sum += static_cast<unsigned char>(file[i]);
  std::string digits(6, '0');
  for (std::size_t i = digits.size(); i-- > 0; sum /= 8)
    digits[i] = static_cast<char>('0' + sum % 8);
  file.replace(149, 6, digits);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious", summary_of(scan_of(file)));
}

// ---- ONNX

TEST(WholeFile, KnowsEveryFieldOfAnOnnxModel) {
  const std::string model = recorded("onnx/add.onnx");
  EXPECT_EQ(summary_of(scan_of(model)), "clean");
  EXPECT_EQ(summary_of(scan_of(model + field(100, "anything"))),
            cat("suspicious: a field 100 of ModelProto at byte ", model.size(),
                " of 11 bytes, which ONNX does not have"));
  const std::string opset = cat("\x10\x11", field(99, "deeper"));
  EXPECT_EQ(summary_of(scan_of(model + field(8, opset))),
            cat("suspicious: a field 99 of OperatorSetIdProto at byte ", model.size() + 4,
                " of 9 bytes, which ONNX does not have"));
  EXPECT_EQ(summary_of(scan_of(model + field(5, "a number"))),
            cat("suspicious: a field 5 of ModelProto at byte ", model.size(),
                " of 10 bytes, which ONNX writes in another form"));
  EXPECT_EQ(summary_of(scan_of(model + field(14, field(1, "key") + field(2, "value")))), "clean");
}

TEST(WholeFile, KeepsOnnxModelsToTheirFolder) {
  const fs::path path = data_folder() / "check/broken/external-parent.onnx";
  EXPECT_EQ(summary_of(scan_whole_file(Blob::map_file(path), path.parent_path())),
            "suspicious: a tensor has its values in '../expected.json', expected a file in the "
            "model's folder; its values are in '../expected.json', expected a file in the model's "
            "folder");
}

// Also where our reader does not go: in functions, in what is for training.
TEST(WholeFile, KeepsEveryTensorOfAnOnnxModelToTheFolder) {
  const fs::path folder = data_folder() / "onnx";
  const std::string model = recorded("onnx/add.onnx");
  const auto summary_of_place = [&](const std::string& entry, bool is_function) {
    const std::string tensor = field(8, "w") + field(13, entry) + "\x70\x01";
    const std::string attribute = field(1, "value") + field(5, tensor);
    const std::string part =
        is_function ? field(25, field(1, "f") + field(11, attribute) +
                                    field(7, field(4, "Constant") + field(5, attribute)))
                    : field(20, field(1, field(5, tensor)));
    return summary_of(scan_whole_file(Blob::own(model + part), folder));
  };
  for (const bool is_function : {false, true}) {
    EXPECT_EQ(summary_of_place(field(1, "location") + field(2, "w.bin"), is_function), "clean");
    for (const std::string place : {"/etc/passwd", "../w.bin", "a/../../w.bin", "."}) {
      const std::string expected =
          cat("a tensor has its values in '", place, "', expected a file in the model's folder");
      for (const std::string& entry :
           {field(1, "location") + field(2, place),
            field(2, place) + field(1, "location") + field(2, "w.bin"),
            field(1, "offset") + field(1, "location") + field(2, "w.bin") + field(2, place)})
        EXPECT_PRED_FORMAT2(testing::IsSubstring, expected, summary_of_place(entry, is_function));
    }
  }
}

TEST(WholeFile, LimitsTheFilesThatAnOnnxModelNames) {
  const auto summary_of_places = [](int count) {
    std::string tensor;
    for (int i = 0; i < count; ++i)
      tensor += field(13, field(1, "location") + field(2, cat("w", i)));
    const std::string model = recorded("onnx/add.onnx") + field(20, field(1, field(5, tensor)));
    return summary_of(scan_whole_file(Blob::own(std::string(model)), data_folder() / "onnx"));
  };
  EXPECT_EQ(summary_of_places(10'000), "clean");
  EXPECT_EQ(summary_of_places(10'001),
            "suspicious: tensors have their values in more than 10000 files");
}

// The name of its producer makes an ONNX model one of PyTorch Mobile.
TEST(WholeFile, SeesFlatbuffers) {
  const std::string model = recorded("onnx/add.onnx");
  EXPECT_PRED_FORMAT2(
      testing::IsSubstring, "a program of PyTorch Mobile, in flatbuffers",
      summary_of(scan_of(cat(model.substr(0, 2), field(2, "PTMF"), model.substr(2)))));
}

// ---- other formats

TEST(WholeFile, CallsFormatsThatItDoesNotReadSuspicious) {
  using namespace std::string_literals;
  const std::string rest(600, 'x');
  const std::pair<std::string, const char*> kFormats[] = {
      {"\x93NUMPY\x01\x00"s, "a NumPy array"},
      {"GGUF\x03\x00\x00\x00"s, "a GGUF file"},
      {"\x1f\x8b\x08\x00\x00\x00\x00\x00"s, "compressed with gzip"},
      {"BZh91AY&SY"s, "compressed with bzip2"},
      {"\xfd\x37zXZ\x00"s, "compressed with xz"},
      {"\x28\xb5\x2f\xfd"s, "compressed with zstd"},
      {"\x04\x22\x4d\x18"s, "compressed with lz4"},
      {"x\x9c\x4b\x4c\x4a\x06\x00"s, "compressed with zlib"},
      {"]\x00\x00\x80\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00"s, "compressed with lzma"},
      {"7z\xbc\xaf\x27\x1c"s, "a 7z archive"},
      {"Rar!\x1a\x07\x01\x00"s, "a RAR archive"},
      {"\x89HDF\r\n\x1a\n"s, "an HDF5 file, as Keras writes, at byte 0"},
      {std::string(512, '\1') + "\x89HDF\r\n\x1a\n", "an HDF5 file, as Keras writes, at byte 512"},
      {"\x7f"
       "ELF\x02\x01\x01\x00"s,
       "a native library or program"},
      {"\x18\x00\x00\x00PTMF"s, "a program of PyTorch Mobile"},
      {"\x18\x00\x00\x00ORTM"s, "ONNX Runtime's own format"},
  };
  for (const auto& [start, what] : kFormats) {
    const std::string summary = summary_of(scan_of(start + rest));
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "suspicious", summary) << what;
    EXPECT_PRED_FORMAT2(testing::IsSubstring, what, summary);
  }
}

// What is no model is an error, not a verdict.
TEST(WholeFile, FailsForWhatNoLoaderWouldTake) {
  for (const char* text : {"", "{\"a\": 1}", "sampling_rate: 22050\n", "<html>", "# read me\n",
                           "version https://git-lfs.github.com/spec/v1\n", "RIFF....WAVE"})
    EXPECT_NE(message_of([&] { scan_of(text); }), "no error") << text;
}

}  // namespace
}  // namespace voxport::whole_file_test

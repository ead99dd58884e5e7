// The cases of tests/data/ops: short programs, and what PyTorch gave for them. tools/record_ops.py
// recorded them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/fail.h"
#include "program/text.h"
#include "tests/cases.h"
#include "tests/data.h"

namespace voxport {

struct OpCase {
  std::string family;
  std::string name;
  std::string program;
  std::vector<std::string> constants;
  std::size_t runs = 0;
  std::optional<double> tolerance;
};

inline const Case& find_case(const std::vector<Case>& cases, const std::string& name) {
  for (const Case& recorded : cases)
    if (recorded.name == name) return recorded;
  fail(Error::kUsage, "there is no case ", in_quotes(name));
}

// Some of the inputs become weights.
inline void bind_constants(Program& program, const std::vector<std::string>& names,
                           const Case& values) {
  for (const std::string& name : names) {
    const auto input = std::ranges::find(program.inputs, name, &ProgramInput::name);
    if (input == program.inputs.end()) fail(Error::kUsage, "there is no input ", in_quotes(name));
    program.constants.push_back({name, input->variable, values.inputs.at(name)});
    program.inputs.erase(input);
  }
}

// The program, with the weights that were recorded with it.
inline Program program_of(const OpCase& tested, const std::vector<Case>& recorded) {
  Program program = parse_program(tested.program);
  if (!tested.constants.empty())
    bind_constants(program, tested.constants, find_case(recorded, tested.name));
  return program;
}

// The runs and weights of all cases of a family; its file is read once.
inline const std::vector<Case>& recorded_cases(const std::string& family) {
  static std::map<std::string, std::vector<Case>> families;
  const auto [entry, is_new] = families.try_emplace(family);
  if (is_new) entry->second = read_cases(data_folder() / "ops" / (family + ".safetensors"));
  return entry->second;
}

inline std::vector<OpCase> cases_of(const std::filesystem::path& file) {
  std::vector<OpCase> cases;
  std::ifstream stream(file);
  const nlohmann::json family = nlohmann::json::parse(stream);
  for (const nlohmann::json& entry : family.at("cases")) {
    OpCase& next = cases.emplace_back();
    next.family = file.stem().string();
    entry.at("name").get_to(next.name);
    entry.at("program").get_to(next.program);
    entry.at("constants").get_to(next.constants);
    entry.at("runs").get_to(next.runs);
    if (entry.contains("tolerance")) next.tolerance = entry.at("tolerance").get<double>();
  }
  return cases;
}

// Of all families, in order of their names.
inline std::vector<OpCase> op_cases() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(data_folder() / "ops"))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<OpCase> all;
  for (const std::filesystem::path& file : files)
    for (OpCase& next : cases_of(file)) all.push_back(std::move(next));
  return all;
}

}  // namespace voxport

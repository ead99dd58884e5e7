#!/usr/bin/env python3
"""Writes src/scan/aten_names.cpp: names of PyTorch's own operators beyond those of schema_table.cpp.

    /usr/bin/python3 tools/make_aten_names.py    (Debian's python3-torch)

The scan trusts operators one by one: those that reach files or other machines are left out here.
"""
import pathlib
import re

import torch

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEFT_OUT = {
    "confirmed_by_owner", "from_file", "is_owner", "local_value", "owner", "owner_name", "save",
    "to_here",
}

HEAD = """// Written by tools/make_aten_names.py.
#include "scan/aten_names.h"

namespace voxport {
namespace {

// clang-format off
constexpr std::string_view kNames[] = {
"""
TAIL = """};
// clang-format on

}  // namespace

std::span<const std::string_view> more_aten_names() { return kNames; }

}  // namespace voxport
"""


def names():
    table = (ROOT / "src/program/schema_table.cpp").read_text()
    known = set(re.findall(r'R"\(aten\.(\w+?)[.(]', table))
    found = {schema.name.removeprefix("aten::") for schema in torch._C._jit_get_all_schemas()
             if schema.name.startswith("aten::")}
    found -= LEFT_OUT
    for name in sorted(found):
        base = name.removesuffix("_")
        is_new = name not in known and base not in known
        is_test = name.startswith("_test_") or name == "_foobar"
        if is_new and not is_test and not (base != name and base in found):
            yield name


def main():
    lines, line = [], "   "
    for name in names():
        word = f' "{name}",'
        if len(line) + len(word) > 100:
            lines.append(line)
            line = "   "
        line += word
    lines.append(line)
    text = HEAD + "\n".join(lines) + "\n" + TAIL
    (ROOT / "src/scan/aten_names.cpp").write_text(text)


main()

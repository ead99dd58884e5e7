#!/usr/bin/env python3
"""Writes every broken or hostile checkpoint that the tests know.

    make_broken_files.py FOLDER     write all files into FOLDER, and those for the scanner into FOLDER/scan

The files lie in tests/broken; tests/checkpoint/broken_test.cpp knows what the reader must say of each, and
tests/checkpoint/scan_test.cpp what the scanner must. Nothing here runs or imports what a file names: a file
is put together from bytes, opcode by opcode and field by field. The same bytes are written each time.

Each file is one call of `add(name, contents)`, and its name says what is wrong with it. A good file is made by
the functions at the top, and then broken in one place.
"""

import argparse
import json
import pathlib
import struct
import zlib

FILES = {}


def add(name, contents):
    """Adds one file."""
    assert name not in FILES, name
    FILES[name] = contents


# ---------------------------------------------------------------------------------------------- pickles

PROTO2 = b"\x80\x02"
PROTO4 = b"\x80\x04"
MARK, STOP, POP, NONE, TRUE, FALSE = b"(", b".", b"0", b"N", b"\x88", b"\x89"
EMPTY_LIST, EMPTY_TUPLE, EMPTY_DICT, EMPTY_SET = b"]", b")", b"}", b"\x8f"
REDUCE, BUILD, BINPERSID, NEWOBJ, STACK_GLOBAL = b"R", b"b", b"Q", b"\x81", b"\x93"


def u16(number):
    return struct.pack("<H", number)


def u32(number):
    return struct.pack("<I", number)


def u64(number):
    return struct.pack("<Q", number)


def i64(number):
    return struct.pack("<q", number)


def integer(number):
    """An int, in the shortest form."""
    if 0 <= number < 256:
        return b"K" + bytes([number])
    if -(2**31) <= number < 2**31:
        return b"J" + struct.pack("<i", number)
    size = number.bit_length() // 8 + 1
    return b"\x8a" + bytes([size]) + number.to_bytes(size, "little", signed=True)


def real(number):
    return b"G" + struct.pack(">d", number)


def text(value):
    data = value.encode()
    return b"X" + u32(len(data)) + data


def data_bytes(value):
    return b"B" + u32(len(value)) + value


def name_of(module, name):
    """GLOBAL."""
    return f"c{module}\n{name}\n".encode()


def put(index):
    return b"q" + bytes([index])


def get(index):
    return b"h" + bytes([index])


def tuple_of(*items):
    return MARK + b"".join(items) + b"t"


def list_of(*items):
    return EMPTY_LIST + MARK + b"".join(items) + b"e"


def dict_of(*keys_and_values):
    return EMPTY_DICT + MARK + b"".join(keys_and_values) + b"u"


def call(function, *arguments):
    return function + tuple_of(*arguments) + REDUCE


def ints(numbers):
    return tuple_of(*map(integer, numbers))


def pickled(value, protocol=PROTO2):
    return protocol + value + STOP


ORDERED_DICT = name_of("collections", "OrderedDict")
REBUILD = name_of("torch._utils", "_rebuild_tensor_v2")
REBUILD_V3 = name_of("torch._utils", "_rebuild_tensor_v3")
FROM_TYPE = name_of("torch._tensor", "_rebuild_from_type_v2")
OS_SYSTEM = name_of("os", "system")


def storage(key="0", numel=4, kind="FloatStorage", location="cpu", view=b""):
    """A persistent id, as torch.save writes it. In streams it has one more field."""
    fields = [text("storage"), name_of("torch", kind), text(key), text(location), integer(numel), view]
    return tuple_of(*fields) + BINPERSID


def tensor(size=(2, 2), stride=(2, 1), offset=0, of=None, rest=None):
    """A float32 tensor of four elements in storage '0', unless told otherwise."""
    rest = [FALSE, call(ORDERED_DICT)] if rest is None else rest
    return call(REBUILD, of or storage(), integer(offset), ints(size), ints(stride), *rest)


def state_dict(value):
    return pickled(dict_of(text("a"), value))


# -------------------------------------------------------------------------------------------- zip archives

STORED, DEFLATED = 0, 8
DESCRIPTOR = 1 << 3


def deflate(data, level=9):
    compressor = zlib.compressobj(level, zlib.DEFLATED, -15)
    return compressor.compress(data) + compressor.flush()


class Entry:
    """A zip entry. `both` changes fields of both headers, `local` and `central` of one of them."""

    def __init__(self, name, data=b"", method=STORED, payload=None, both=None, local=None, central=None,
                 descriptor=b"", gap=b"", local_extra=b"", central_extra=b"", magic=b"PK\x03\x04"):
        self.name = name if isinstance(name, bytes) else name.encode()
        self.payload = payload if payload is not None else deflate(data) if method == DEFLATED else data
        self.fields = dict(flags=0, method=method, crc=zlib.crc32(data), packed=len(self.payload), size=len(data),
                           name=self.name, disk=0) | (both or {})
        self.local = self.fields | (local or {})
        self.central = self.fields | (central or {})
        self.descriptor, self.gap, self.magic = descriptor, gap, magic
        self.local_extra, self.central_extra = local_extra, central_extra


def zip_file(entries, before=b"", gap=b"", after=b"", comment=b"", end=None, zip64=None, locator=None,
             directory_gap=b""):
    """A zip archive. `end`, `zip64` and `locator` change fields of the records at its end; an archive has the
    last two only when one of them is given."""
    body = before
    directory = b""
    for entry in entries:
        body += entry.gap
        at = entry.central.get("at", len(body))
        f = entry.local
        body += entry.magic + struct.pack("<5H3I2H", 20, f["flags"], f["method"], 0, 33, f["crc"], f["packed"],
                                          f["size"], len(f["name"]), len(entry.local_extra))
        body += f["name"] + entry.local_extra + entry.payload + entry.descriptor
        f = entry.central
        directory += b"PK\x01\x02" + struct.pack("<6H3I5H2I", 20, 20, f["flags"], f["method"], 0, 33, f["crc"],
                                                 f["packed"], f["size"], len(f["name"]), len(entry.central_extra),
                                                 0, f["disk"], 0, 0, at)
        directory += f["name"] + entry.central_extra
    body += gap
    fields = dict(disk=0, directory_disk=0, here=len(entries), count=len(entries), size=len(directory),
                  offset=len(body), comment=len(comment))
    wide = fields | dict(magic=b"PK\x06\x06", record=44) | (zip64 or {})
    narrow = fields | (end or {})
    place = dict(disk=0, at=len(body) + len(directory) + len(directory_gap), disks=1) | (locator or {})
    body += directory + directory_gap
    if zip64 is not None or locator is not None:
        body += wide["magic"] + struct.pack("<QHHIIQQQQ", wide["record"], 45, 45, wide["disk"], wide["directory_disk"],
                                            wide["here"], wide["count"], wide["size"], wide["offset"])
        body += b"PK\x06\x07" + struct.pack("<IQI", place["disk"], place["at"], place["disks"])
    body += b"PK\x05\x06" + struct.pack("<4H2IH", narrow["disk"], narrow["directory_disk"], narrow["here"],
                                        narrow["count"], narrow["size"], narrow["offset"], narrow["comment"])
    return body + comment + after


FLOATS = struct.pack("<4f", 1, 2, 3, 4)


def torch_entries(pickle=None, storages=None, byteorder=None, method=STORED, root="archive"):
    """The entries of a file of torch.save."""
    storages = {"0": FLOATS} if storages is None else storages
    entries = [Entry(f"{root}/data.pkl", pickle if pickle is not None else state_dict(tensor()), method)]
    if byteorder is not None:
        entries.append(Entry(f"{root}/byteorder", byteorder))
    entries += [Entry(f"{root}/data/{key}", data) for key, data in storages.items()]
    return entries + [Entry(f"{root}/version", b"3\n")]


def torch_zip(pickle=None, **options):
    return zip_file(torch_entries(pickle, **options))


def large(pickle):
    """A file of torch.save with a large pickle that deflates well."""
    return torch_zip(pickle, storages={}, method=DEFLATED)


def with_pickle_entry(**options):
    """A file of torch.save whose entry 'archive/data.pkl' is made with these options."""
    data = options.pop("data", state_dict(tensor()))
    return zip_file([Entry("archive/data.pkl", data, **options)] + torch_entries()[1:])


def with_extra_entry(name, **options):
    """A file of torch.save with one more entry."""
    return zip_file(torch_entries() + [Entry(name, b"more", **options)])


def zip64_extra(*numbers):
    return u16(1) + u16(8 * len(numbers)) + b"".join(map(u64, numbers))


def add_zip_archives():
    # Several disks.
    for name, options in {
        "end_record_on_disk_1": dict(end=dict(disk=1)),
        "directory_on_disk_1": dict(end=dict(directory_disk=1)),
        "entries_on_two_disks": dict(end=dict(here=2)),
        "zip64_record_on_disk_1": dict(locator=dict(disk=1)),
        "zip64_says_two_disks": dict(locator=dict(disks=2)),
        "zip64_directory_on_disk_1": dict(zip64=dict(directory_disk=1)),
        "zip64_entries_on_two_disks": dict(zip64=dict(here=2)),
    }.items():
        add(f"zip_{name}.pt", zip_file(torch_entries(), **options))
    add("zip_entry_on_disk_1.pt", with_pickle_entry(central=dict(disk=1)))

    # What zip allows and we do not read.
    for name, flag in {"encrypted": 1, "patch": 1 << 5, "strong_encryption": 1 << 6, "masked_headers": 1 << 13}.items():
        add(f"zip_{name}.pt", with_pickle_entry(both=dict(flags=flag)))
    add("zip_method_bzip2.pt", with_pickle_entry(both=dict(method=12)))

    # Sizes.
    add("zip_stored_sizes_differ.pt", with_pickle_entry(both=dict(size=1000)))
    add("zip_deflated_over_4_gib.pt",
        with_pickle_entry(method=DEFLATED, both=dict(packed=0x4000_0000, size=0xffff_ffff),
                          central_extra=zip64_extra(2**32 + 1), local_extra=zip64_extra(2**32 + 1)))
    for name, numbers in {"entry_size_2_64": (2**64 - 1, 2**64 - 1), "entry_size_2_63": (2**63, 2**63)}.items():
        add(f"zip_{name}.pt",
            with_pickle_entry(both=dict(packed=0xffff_ffff, size=0xffff_ffff), central_extra=zip64_extra(*numbers),
                              local_extra=zip64_extra(*numbers)))
    add("zip_entry_at_2_64.pt", with_pickle_entry(central=dict(at=0xffff_ffff), central_extra=zip64_extra(2**64 - 1)))
    add("zip_entry_past_end.pt", with_pickle_entry(central=dict(at=100_000)))
    add("zip_entry_into_directory.pt", zip_file(torch_entries()[:-1] + [
        Entry("archive/version", b"3\n", both=dict(packed=20, size=20))]))
    add("zip_entry_over_all_that_follows.pt", with_pickle_entry(both=dict(packed=10_000, size=10_000)))
    add("zip_zip64_field_cut.pt",
        with_pickle_entry(both=dict(packed=0xffff_ffff, size=0xffff_ffff), central_extra=zip64_extra(5)))
    add("zip_extra_field_past_its_end.pt", with_pickle_entry(central_extra=u16(7) + u16(100) + b"abcd"))

    # Deflate. A good deflated pickle, then the stream broken.
    good = state_dict(tensor())
    packed = deflate(good, level=0)  # the same bytes from every zlib

    def deflated(payload, size=len(good)):
        return with_pickle_entry(method=DEFLATED, payload=payload, both=dict(size=size))

    add("zip_deflate_ratio_impossible.pt", deflated(packed, 10_000_000))
    add("zip_deflate_ends_early.pt", deflated(packed[:-20]))
    add("zip_deflate_has_rest.pt", deflated(packed + b"rest"))
    add("zip_deflate_makes_more.pt", deflated(packed, len(good) - 10))
    add("zip_deflate_makes_less.pt", deflated(packed, len(good) + 10))
    add("zip_deflate_is_none.pt", deflated(b"\xff" * 100))
    add("zip_deflate_is_empty.pt", deflated(b""))
    entries = torch_entries()
    entries[1] = Entry("archive/data/0", FLOATS, DEFLATED, payload=b"\xff" * 20)
    add("zip_deflate_of_storage_is_none.pt", zip_file(entries))
    # Bombs: a few kB that inflate to megabytes, each aimed at another limit of the pickle machine.
    add("zip_bomb_of_none.pt", large(PROTO2 + NONE * 5_000_000))
    add("zip_bomb_of_lists.pt", large(PROTO2 + EMPTY_LIST * 5_000_000))
    add("zip_bomb_of_nothing.pt", large(PROTO2 + NONE * 2 + POP + (NONE + POP) * 2_600_000 + STOP))
    add("zip_bomb_of_memo.pt", large(PROTO2 + NONE + b"\x94" * 5_000_000 + STOP))
    add("zip_bomb_of_zeros.pt", large(bytes(3_000_000)))

    # Names.
    for name, entry_name in {
        "two_of_one_name": "archive/version",
        "names_differ_in_case": "archive/Data/0",
        "name_dot_dot": "../evil",
        "name_dot_dot_inside": "archive/../../evil",
        "name_dot_dot_at_end": "archive/..",
        "name_dot_dot_backslash": "archive\\..\\evil",
        "name_absolute": "/etc/passwd",
        "name_drive_letter": "C:/evil",
        "name_backslash_first": "\\evil",
        "name_backslash": "archive\\data.pkl",
        "name_nul": "archive/version\0.txt",
        "name_empty": "",
        "name_escape_sequence": "archive/\x1b[2J/../..",
    }.items():
        add(f"zip_{name}.pt", with_extra_entry(entry_name))

    # Two headers that do not tell the same.
    for name, local in {
        "name": dict(name=b"archive/data.pkX"),
        "name_length": dict(name=b"archive/data.pkl2"),
        "size": dict(size=1, packed=1),
        "crc": dict(crc=1),
        "method": dict(method=DEFLATED),
        "flags": dict(flags=1 << 11),
    }.items():
        add(f"zip_local_{name}_differs.pt", with_pickle_entry(local=local))
    add("zip_local_zip64_size_differs.pt",
        with_pickle_entry(local=dict(packed=0xffff_ffff, size=0xffff_ffff), local_extra=zip64_extra(7, 7)))
    add("zip_local_header_missing.pt", with_pickle_entry(magic=b"PK\x07\x08"))
    add("zip_local_header_is_text.pt", zip_file(torch_entries()[:1] + [
        Entry("archive/version", b"3\n", magic=b"text")]))

    # Data descriptors.
    crc = zlib.crc32(good)
    for name, descriptor in {
        "crc_differs": struct.pack("<4sIII", b"PK\x07\x08", crc ^ 1, len(good), len(good)),
        "size_differs": struct.pack("<4sIQQ", b"PK\x07\x08", crc, len(good), len(good) + 1),
        "missing": b"",
    }.items():
        add(f"zip_descriptor_{name}.pt",
            with_pickle_entry(both=dict(flags=DESCRIPTOR), local=dict(crc=0, packed=0, size=0), descriptor=descriptor))

    # Entries and what lies between them.
    inner = Entry("archive/version", b"3\n")
    hidden = zip_file([inner])[:30 + len(inner.name) + 2]  # its header and payload, in the payload of another
    outer = Entry("archive/data/0", FLOATS + hidden)
    place_of_hidden = zip_file([torch_entries()[0], outer]).index(hidden)
    inner.central["at"] = place_of_hidden
    add("zip_entries_overlap.pt", zip_file([torch_entries()[0], outer, inner]))
    add("zip_two_entries_at_one_place.pt", zip_file(torch_entries() + [Entry("archive/data/1", central=dict(at=0))]))
    gapped = torch_entries()
    gapped[1].gap = b"hidden bytes"
    add("zip_gap_between_entries.pt", zip_file(gapped))
    add("zip_gap_before_directory.pt", zip_file(torch_entries(), gap=b"hidden bytes"))
    add("zip_gap_after_directory.pt", zip_file(torch_entries(), directory_gap=b"hidden bytes"))
    add("zip_bytes_before.pt", zip_file(torch_entries(), before=b"#!/bin/sh\necho hello\nexit\n"))
    add("zip_bytes_before_that_look_like_zip.pt", zip_file(torch_entries(), before=b"PK\x03\x04 not really"))
    add("zip_archive_before.pt", torch_zip() + torch_zip(state_dict(NONE)))
    add("zip_bytes_after.pt", zip_file(torch_entries(), after=b"more"))
    add("zip_comment_longer_than_said.pt", zip_file(torch_entries(), comment=b"a comment", end=dict(comment=2)))
    add("zip_comment_shorter_than_said.pt", zip_file(torch_entries(), comment=b"a comment", end=dict(comment=200)))

    # The records at the end.
    for name, options in {
        "entry_count_too_high": dict(end=dict(here=4, count=4)),
        "entry_count_too_low": dict(end=dict(here=2, count=2)),
        "directory_offset_too_high": dict(end=dict(offset=1000)),
        "directory_offset_past_end": dict(end=dict(offset=0xffff_fff0)),
        "directory_offset_too_low": dict(end=dict(offset=10)),
        "directory_size_too_low": dict(end=dict(size=10)),
        "zip64_record_missing": dict(end=dict(size=0xffff_ffff, offset=0xffff_ffff, here=0xffff, count=0xffff)),
        "zip64_record_at_wrong_place": dict(locator=dict(at=5)),
        "zip64_record_past_end": dict(locator=dict(at=2**64 - 1)),
        "zip64_record_has_wrong_magic": dict(zip64=dict(magic=b"PK\x06\x05")),
        "zip64_record_has_wrong_size": dict(zip64=dict(record=2**64 - 1)),
        "zip64_count_differs": dict(zip64=dict(here=2, count=2)),
        "zip64_size_differs": dict(zip64=dict(size=2**64 - 1)),
        "zip64_offset_differs": dict(zip64=dict(offset=2**63)),
        "zip64_offset_too_high": dict(zip64=dict(offset=2**63), end=dict(offset=0xffff_ffff)),
    }.items():
        add(f"zip_{name}.pt", zip_file(torch_entries(), **options))
    whole = torch_zip()
    directory = whole.index(b"PK\x01\x02")
    broken = bytearray(whole)
    broken[directory] = 0
    add("zip_directory_is_none.pt", bytes(broken))
    broken = bytearray(whole)
    broken[directory + 28] = 200  # the length of the first name
    add("zip_directory_name_too_long.pt", bytes(broken))
    broken = bytearray(whole)
    last = whole.rindex(b"PK\x01\x02")
    broken[last + 28:last + 30] = u16(60_000)  # the length of the last name
    add("zip_directory_entry_past_end.pt", bytes(broken))

    # A good file, cut.
    for where, length in {
        "after_signature": 4,
        "in_local_header": 20,
        "in_pickle": 100,
        "before_directory": directory,
        "in_directory": directory + 60,
        "before_end_record": len(whole) - 22,
        "by_one_byte": len(whole) - 1,
    }.items():
        add(f"zip_cut_{where}.pt", whole[:length])
    wide = zip_file(torch_entries(), zip64={})
    add("zip_cut_after_zip64_record.pt", wide[:-22])

    # Contents.
    entries = torch_entries()
    entries[0].local["crc"] = entries[0].central["crc"] = 1
    add("zip_bad_crc_of_pickle.pt", zip_file(entries))
    entries = torch_entries()
    entries[1].local["crc"] = entries[1].central["crc"] = 1
    add("zip_bad_crc_of_storage.pt", zip_file(entries))
    add("zip_two_data_pkl.pt", zip_file(torch_entries() + torch_entries(root="other")[:1]))
    add("zip_no_data_pkl.pt", zip_file(torch_entries()[1:]))
    add("zip_empty.pt", zip_file([]))
    add("zip_data_pkl_without_folder.pt", zip_file([Entry("data.pkl", state_dict(tensor()))]))
    add("zip_data_pkl_is_empty.pt", torch_zip(b""))
    add("zip_byteorder_big.pt", torch_zip(byteorder=b"big"))
    add("zip_byteorder_nonsense.pt", torch_zip(byteorder=b"\x1b[31mmiddle"))
    add("zip_byteorder_too_long.pt", torch_zip(byteorder=b"little" * 100))


# ---------------------------------------------------------------------------------------------- bare pickles


def add_pickles():
    def bad(name, opcodes, protocol=PROTO2):
        add(f"pickle_{name}.pkl", pickled(opcodes, protocol))

    # Opcodes that no saved model needs.
    bad("inst", MARK + b"i" + b"os\nsystem\n")
    bad("obj", MARK + OS_SYSTEM + b"o")
    bad("ext1", b"\x82\x01")
    bad("ext2", b"\x83\x01\x01")
    bad("ext4", b"\x84\x01\x01\x01\x01")
    bad("persid", b"Pid\n")
    bad("dup", NONE + b"2")
    bad("next_buffer", b"\x97", b"\x80\x05")
    bad("readonly_buffer", data_bytes(b"x") + b"\x98", b"\x80\x05")
    bad("binpersid_in_bare_pickle", storage())
    bad("unknown_opcode", b"\xff")
    add("pickle_protocol_6.pkl", b"\x80\x02" + b"\x80\x06" + NONE + STOP)
    add("pickle_starts_with_protocol_6.pkl", b"\x80\x06" + NONE + STOP)

    # The stack.
    for name, opcodes in {
        "stop": b"",
        "pop": POP,
        "tuple1": b"\x85",
        "tuple2": NONE + b"\x86",
        "tuple3": NONE * 2 + b"\x87",
        "append": EMPTY_LIST + b"a",
        "setitem": EMPTY_DICT + NONE + b"s",
        "reduce": EMPTY_TUPLE + REDUCE,
        "newobj": EMPTY_TUPLE + NEWOBJ,
        "newobj_ex": EMPTY_TUPLE + EMPTY_DICT + b"\x92",
        "build": NONE + BUILD,
        "binput": put(0),
        "memoize": b"\x94",
        "binpersid": BINPERSID,
        "stack_global": text("os") + STACK_GLOBAL,
        "append_below_mark": EMPTY_LIST + MARK + NONE + b"a",
        "appends_without_list": MARK + NONE + b"e",
    }.items():
        bad(f"stack_empty_at_{name}", opcodes)
    for name, opcodes in {
        "tuple": b"t", "list": b"l", "dict": b"d", "appends": EMPTY_LIST + b"e", "setitems": EMPTY_DICT + b"u",
        "additems": EMPTY_SET + b"\x90", "frozenset": b"\x91", "pop_mark": b"1",
    }.items():
        bad(f"no_mark_at_{name}", opcodes)
    bad("values_left_on_stack", NONE * 3)
    bad("mark_left_open", MARK + NONE)
    bad("values_left_below_mark", NONE + MARK + NONE)
    add("pickle_without_stop.pkl", PROTO2 + NONE)
    add("pickle_bytes_after_stop.pkl", pickled(NONE) + b"more")
    add("pickle_after_pickle.pkl", pickled(NONE) + pickled(call(OS_SYSTEM, text("true"))))
    add("pickle_only_proto.pkl", PROTO2)
    bad("marks_1001_deep", MARK * 1001 + b"t" * 1001)

    # The memo.
    bad("memo_never_set", get(7))
    bad("memo_never_set_long", b"j" + u32(2**32 - 1))
    bad("memo_never_set_text", b"g12345678901234567\n")
    bad("memo_index_negative", NONE + b"p-1\n")
    bad("memo_index_is_text", NONE + b"pone\n")
    bad("memo_index_beyond_64_bits", NONE + b"p99999999999999999999\n")
    bad("memo_index_has_no_newline", NONE + b"p1")
    bad("memo_index_huge", list_of(text("x") + b"r" + u32(2**32 - 1), text("y") + b"p9223372036854775807\n",
                                   b"j" + u32(2**32 - 1), b"g9223372036854775807\n"))

    # Items put where none belong.
    rebuilt = call(name_of("torch._utils", "_rebuild_parameter"), NONE, FALSE, call(ORDERED_DICT))
    targets = {"list": EMPTY_LIST, "tuple": EMPTY_TUPLE, "int": integer(1), "tensor": rebuilt, "none": NONE,
               "global": OS_SYSTEM, "set": EMPTY_SET, "dict": EMPTY_DICT, "string": text("x")}
    for name in ("list", "tuple", "int", "tensor", "none", "global", "set"):
        bad(f"setitem_on_{name}", targets[name] + text("k") + NONE + b"s")
        bad(f"setitems_on_{name}", targets[name] + MARK + text("k") + NONE + b"u")
    for name in ("dict", "tensor", "int", "tuple", "string", "set"):
        bad(f"append_on_{name}", targets[name] + NONE + b"a")
        bad(f"appends_on_{name}", targets[name] + MARK + NONE + b"e")
    for name in ("list", "dict", "int"):
        bad(f"additems_on_{name}", targets[name] + MARK + NONE + b"\x90")
    bad("append_after_setitem", call(ORDERED_DICT) + text("k") + NONE + b"s" + NONE + b"a")
    bad("setitem_after_append", call(ORDERED_DICT) + NONE + b"a" + text("k") + NONE + b"s")
    bad("setitem_on_size", call(name_of("torch", "Size"), EMPTY_TUPLE) + text("k") + NONE + b"s")
    bad("append_on_path", call(name_of("pathlib", "PosixPath"), text("a")) + NONE + b"a")
    bad("append_on_ordered_dict", call(ORDERED_DICT) + NONE + b"a")
    bad("setitem_on_builtins_list", call(name_of("builtins", "list")) + text("k") + NONE + b"s")
    bad("setitems_odd", EMPTY_DICT + MARK + text("k") + b"u")
    bad("dict_odd", MARK + text("k") + b"d")
    bad("build_on_dict", EMPTY_DICT + EMPTY_DICT + BUILD)
    bad("build_on_global", OS_SYSTEM + EMPTY_DICT + BUILD)

    # Calls.
    bad("reduce_of_string", text("os.system") + EMPTY_TUPLE + REDUCE)
    bad("reduce_of_none", NONE + EMPTY_TUPLE + REDUCE)
    bad("reduce_with_list", ORDERED_DICT + EMPTY_LIST + REDUCE)
    bad("newobj_with_none", ORDERED_DICT + NONE + NEWOBJ)
    bad("newobj_ex_with_list", ORDERED_DICT + EMPTY_TUPLE + EMPTY_LIST + b"\x92")
    bad("stack_global_of_ints", integer(1) + integer(2) + STACK_GLOBAL)
    bad("stack_global_of_bytes", data_bytes(b"os") + data_bytes(b"system") + STACK_GLOBAL)
    add("pickle_global_without_newline.pkl", PROTO2 + b"cos")
    add("pickle_global_without_second_newline.pkl", PROTO2 + b"cos\nsystem")
    bad("global_name_is_long", name_of("x" * 2_000, "y") + POP + NONE)

    # Lengths.
    for name, opcode in {"short_binstring": b"U", "short_binunicode": b"\x8c", "short_binbytes": b"C"}.items():
        bad(f"{name}_past_end", opcode + b"\xff" + b"abc")
    for name, opcode in {"binstring": b"T", "binunicode": b"X", "binbytes": b"B"}.items():
        bad(f"{name}_past_end", opcode + u32(2**31 - 1) + b"abc")
    for name, opcode in {"binunicode": b"X", "binbytes": b"B"}.items():
        bad(f"{name}_of_2_32", opcode + u32(2**32 - 1) + b"abc")
    for name, opcode in {"binunicode8": b"\x8d", "binbytes8": b"\x8e", "bytearray8": b"\x96"}.items():
        bad(f"{name}_past_end", opcode + u64(100) + b"abc", PROTO4)
        bad(f"{name}_of_2_63", opcode + u64(2**63) + b"abc", PROTO4)
        bad(f"{name}_of_2_64", opcode + u64(2**64 - 1) + b"abc", PROTO4)
    bad("binstring_negative", b"T" + u32(2**32 - 1) + b"abc")
    bad("long1_past_end", b"\x8a\xff\x01")
    bad("long4_negative", b"\x8b" + u32(2**32 - 5) + b"abc")
    bad("long4_past_end", b"\x8b" + u32(2**31 - 1) + b"abc")
    bad("long4_of_513_bytes", b"\x8b" + u32(513) + b"\x01" * 513)
    bad("long_of_1025_digits", b"L" + b"9" * 1025 + b"L\n")
    bad("frame_past_end", b"\x95" + u64(2**64 - 1) + NONE, PROTO4)
    for name, opcodes in {
        "binfloat": b"G\x00\x00\x00", "binint": b"J\x00", "binint1": b"K", "binint2": b"M\x00",
        "binget": b"h", "long_binget": b"j\x00", "binput": NONE + b"q", "binunicode": b"X\x01\x00", "proto": b"\x80",
        "frame": b"\x95\x00\x00", "binunicode8": b"\x8d\x00\x00\x00",
    }.items():
        add(f"pickle_{name}_cut.pkl", PROTO2 + opcodes)

    # Text forms.
    for name, opcodes in {
        "string_without_quotes": b"Sabc\n",
        "string_with_one_quote": b"S'\n",
        "string_with_two_kinds_of_quotes": b"S'abc\"\n",
        "string_hex_escape_broken": b"S'\\xg0'\n",
        "string_hex_escape_cut": b"S'\\x4'\n",
        "string_unknown_escape": b"S'\\q'\n",
        "string_octal_escape_too_large": b"S'\\777'\n",
        "string_ends_in_backslash": b"S'abc\\'\n",
        "string_without_newline": b"S'abc'",
        "unicode_escape_broken": b"V\\u12g4\n",
        "unicode_escape_cut": b"V\\u12\n",
        "unicode_escape_beyond_unicode": b"V\\U00110000\n",
        "unicode_without_newline": b"Vabc",
        "int_is_text": b"Ione\n",
        "int_is_empty": b"I\n",
        "int_is_sign": b"I-\n",
        "int_is_float": b"I1.5\n",
        "int_has_text_after": b"I12 apples\n",
        "long_is_text": b"L99999999999999999999x\n",
        "long_is_empty": b"LL\n",
        "float_is_text": b"Fone\n",
        "float_is_empty": b"F\n",
        "float_has_text_after": b"F1.5x\n",
        "float_without_newline": b"F1.5",
    }.items():
        bad(name, opcodes)

    # Values.
    bad("dict_key_twice", dict_of(text("a"), NONE, text("a"), NONE))
    bad("ordered_dict_key_twice", call(ORDERED_DICT) + MARK + (text("a") + NONE) * 2 + b"u")
    bad("ordered_dict_of_no_pairs", call(ORDERED_DICT, list_of(list_of(NONE))))
    bad("set_of_int", call(name_of("builtins", "set"), integer(1)))
    bad("complex_of_string", call(name_of("builtins", "complex"), text("1"), text("2")))
    bad("complex_without_arguments", call(name_of("builtins", "complex")))
    bad("encode_of_int", call(name_of("_codecs", "encode"), integer(1), text("latin1")))
    bad("encode_beyond_latin1", call(name_of("_codecs", "encode"), text("\u0416"), text("latin1")))
    bad("path_of_int", call(name_of("pathlib", "PosixPath"), integer(1)))
    bad("device_of_int", call(name_of("torch", "device"), integer(1)))
    bad("device_index_is_string", call(name_of("torch", "device"), text("cuda"), text("0")))
    bad("reconstructor_of_itself", call(name_of("copyreg", "_reconstructor"), name_of("copyreg", "_reconstructor")))
    bad("lists_201_deep", EMPTY_LIST * 201 + b"a" * 200)
    # numpy.
    add_numpy(bad)

    # Small files that stand for very much.
    add("pickle_lists_100000_deep.pt", large(pickled(EMPTY_LIST * 100_000 + b"a" * 99_999)))
    add("pickle_lists_a_million_deep.pt", large(pickled(EMPTY_LIST * 1_000_001 + b"a" * 1_000_000)))

    def wrapped(inner, around, times):
        """Puts `inner` into a container again and again: `around` makes the next of memo entry 5."""
        return inner + (put(5) + POP + around) * times

    size = wrapped(EMPTY_TUPLE, get(0) + get(5) + b"\x85" + REDUCE, 100_000)
    add("pickle_sizes_100000_deep.pt", large(pickled(name_of("torch", "Size") + put(0) + POP + size)))
    arguments = wrapped(EMPTY_TUPLE, MARK + get(0) + get(0) + get(5) + NONE + b"t", 100_000)
    add("pickle_from_type_100000_deep.pt",
        large(pickled(FROM_TYPE + put(0) + POP + arguments + put(5) + POP + get(0) + get(5) + REDUCE)))
    add("pickle_key_is_deep_tuple.pt",
        large(pickled(wrapped(EMPTY_TUPLE, get(5) + b"\x85", 100_000) + put(5) + POP + dict_of(get(5), NONE))))
    add("pickle_key_is_wide_tuple.pt", large(pickled(dict_of(tuple_of(integer(7) * 100_000), NONE))))
    add("pickle_calls_of_calls_100000_deep.pt",
        large(pickled(wrapped(ORDERED_DICT, get(5) + EMPTY_TUPLE + REDUCE, 100_000))))
    laughs = list_of(text("lol")) + b"".join(put(5) + POP + list_of(get(5) * 10) for _ in range(10))
    bad("billion_laughs", laughs)
    laughs = tuple_of(text("lol")) + b"".join(put(5) + POP + dict_of(b"".join(
        text(str(i)) + get(5) for i in range(10))) for _ in range(10))
    bad("billion_laughs_of_dicts", laughs)

    def often(value, times=20_000):
        """One value, referred to very often."""
        return large(pickled(value + put(5) + POP + list_of(get(5) * times)))

    long_text = "x" * 100_000
    add("pickle_long_string_often.pt", often(text(long_text)))
    add("pickle_long_bytes_often.pt", often(data_bytes(long_text.encode())))
    add("pickle_long_encode_often.pt", often(call(name_of("_codecs", "encode"), text(long_text), text("latin1"))))
    add("pickle_long_path_often.pt", often(call(name_of("pathlib", "PosixPath"), text(long_text))))
    add("pickle_long_device_often.pt", often(call(name_of("torch", "device"), text(long_text))))
    add("pickle_global_often.pt", often(name_of("module", "x" * 480), 999_000))
    add("pickle_long_dtype_often.pt",
        often(call(REBUILD_V3, NONE, integer(0), ints([2]), ints([1]), FALSE, NONE, text(long_text), FALSE)))
    add("pickle_object_often.pt", often(call(name_of("module", "x" * 200)), 999_000))
    add("pickle_path_of_many_parts_often.pt", often(call(name_of("pathlib", "PosixPath"), text("") * 50_000)))
    rebuild = name_of("torch._utils", "_rebuild_sparse_tensor")
    add("pickle_sparse_tensor_of_many_parts_often.pt", often(call(rebuild, NONE, tuple_of(NONE * 50_000))))
    add("pickle_numpy_array_often.pt", often(numpy_array((100_000,), b"x" * 100_000, "u1")))
    add("pickle_long_key_often.pt", large(pickled(text("k" * 9_000) + put(5) + POP + list_of(
        dict_of(get(5), NONE) * 50_000))))
    add("pickle_big_int_often.pt", often(b"\x8b" + u32(512) + b"\x7f" * 512, 900_000))
    add("pickle_key_is_long.pt", large(pickled(dict_of(text("k" * 50_000), NONE))))
    names = text("k" * 9_000) + put(6) + POP
    add("pickle_long_keys_deep.pt", large(pickled(names + wrapped(
        list_of(NONE * 10), EMPTY_DICT + get(6) + get(5) + b"s", 150))))
    # A search through a large dict, again and again.
    junk = (integer(0) + NONE) * 100_000
    module = [text("_parameters"), EMPTY_DICT, text("_modules"), EMPTY_DICT]
    made = call(name_of("module", "Class"))
    add("pickle_module_with_large_state_often.pt", often(made + dict_of(junk, *module) + BUILD))
    module += [text("_buffers"), dict_of(junk)]
    add("pickle_module_with_many_buffers_often.pt", often(made + dict_of(*module) + BUILD))
    made = call(name_of("omegaconf.dictconfig", "DictConfig"))
    add("pickle_omegaconf_with_large_state_often.pt", often(made + dict_of(junk, text("_content"), NONE) + BUILD))

    def tensor_often(made, times):
        return torch_zip(pickled(made + put(5) + POP + list_of(get(5) * times)), method=DEFLATED)

    with_metadata = tensor(rest=[FALSE, call(ORDERED_DICT), dict_of(junk)])
    add("pickle_tensor_with_large_metadata_often.pt", tensor_often(with_metadata, 20_000))
    add("pickle_tensor_of_rank_64_often.pt", tensor_often(tensor((1,) * 64, (1,) * 64), 500_000))
    add("pickle_tensor_often.pt", tensor_often(tensor(), 999_000))


def numpy_dtype(code="f4", order="<"):
    made = call(name_of("numpy", "dtype"), text(code), FALSE, TRUE)
    return made + tuple_of(integer(3), text(order), NONE, NONE, NONE, integer(-1), integer(-1), integer(0)) + BUILD


def numpy_array(shape, contents, code="f4", fortran=FALSE):
    made = call(name_of("numpy.core.multiarray", "_reconstruct"), name_of("numpy", "ndarray"), ints([0]),
                data_bytes(b"b"))
    shape = shape if isinstance(shape, bytes) else ints(shape)
    contents = contents if contents[:1] in (b"\x8b", NONE) else data_bytes(contents)
    return made + tuple_of(integer(1), shape, numpy_dtype(code), fortran, contents) + BUILD


def add_numpy(bad):
    bad("numpy_array_has_too_few_bytes", numpy_array((2, 2), b"x" * 15))
    bad("numpy_array_has_too_many_bytes", numpy_array((2, 2), b"x" * 17))
    bad("numpy_array_of_fortran_has_too_few_bytes", numpy_array((2, 2), b"x" * 8, fortran=TRUE))
    bad("numpy_array_shape_negative", numpy_array((-1,), b"x" * 16))
    bad("numpy_array_shape_huge", numpy_array((2**40, 2**40), b"x" * 16))
    bad("numpy_array_shape_of_2_61", numpy_array((2**61,), b"x" * 16))
    bad("numpy_array_shape_of_float", numpy_array(tuple_of(real(4.0)), b"x" * 16))
    bad("numpy_array_shape_is_int", numpy_array(integer(4), b"x" * 16))
    bad("numpy_array_rank_65", numpy_array((1,) * 65, b"x" * 4))
    bad("numpy_array_of_none", numpy_array((2, 2), NONE))
    bad("numpy_scalar_has_too_few_bytes",
        call(name_of("numpy.core.multiarray", "scalar"), numpy_dtype("f8"), data_bytes(b"abc")))
    bad("numpy_scalar_without_bytes", call(name_of("numpy.core.multiarray", "scalar"), numpy_dtype("f8")))
    bad("numpy_buffer_has_too_few_bytes",
        call(name_of("numpy.core.numeric", "_frombuffer"), data_bytes(b"abc"), numpy_dtype(), ints([1]), text("C")))


# -------------------------------------------------------------------------------- storages and tensors


def add_storages():
    def with_storage(name, of, **options):
        add(f"storage_{name}.pt", torch_zip(state_dict(tensor(of=of)), **options))

    def with_id(name, *fields):
        with_storage(f"id_{name}", tuple_of(*fields) + BINPERSID)

    float_storage = name_of("torch", "FloatStorage")
    word, key, place, four = text("storage"), text("0"), text("cpu"), integer(4)
    with_storage("id_is_string", text("0") + BINPERSID)
    with_storage("id_is_none", NONE + BINPERSID)
    with_id("is_empty")
    with_id("has_four_fields", word, float_storage, key, place)
    with_id("has_seven_fields", word, float_storage, key, place, four, NONE, NONE)
    with_id("of_another_kind", text("module"), float_storage, key, place, four)
    with_id("kind_is_int", integer(0), float_storage, key, place, four)
    with_id("class_is_string", word, text("FloatStorage"), key, place, four)
    with_id("class_is_unknown", word, name_of("torch", "EvilStorage"), key, place, four)
    with_id("class_is_of_another_module", word, name_of("evil", "FloatStorage"), key, place, four)
    with_id("key_is_int", word, float_storage, integer(0), place, four)
    with_id("location_is_none", word, float_storage, key, NONE, four)
    with_id("numel_is_float", word, float_storage, key, place, real(4.0))
    with_id("numel_is_string", word, float_storage, key, place, text("4"))
    with_id("numel_is_negative", word, float_storage, key, place, integer(-4))
    with_id("numel_overflows", word, float_storage, key, place, integer(2**62))
    with_id("numel_is_beyond_64_bits", word, float_storage, key, place, integer(2**70))
    with_id("key_is_long", word, float_storage, text("0" * 2_000), place, four)
    with_storage("has_no_entry", storage(key="7"))
    with_storage("key_leads_elsewhere", storage(key="../version"))
    with_storage("entry_is_longer", storage(), storages={"0": FLOATS + b"x"})
    with_storage("entry_is_shorter", storage(), storages={"0": FLOATS[:-1]})
    with_storage("entry_is_empty", storage(), storages={"0": b""})
    add("storage_has_two_dtypes.pt", torch_zip(pickled(dict_of(
        text("a"), tensor(), text("b"), tensor(of=storage(kind="IntStorage"))))))
    add("storage_has_two_sizes.pt", torch_zip(pickled(dict_of(
        text("a"), tensor(), text("b"), tensor(of=storage(numel=5))))))
    with_storage("is_meta", storage(location="meta"), storages={})


def add_tensors():
    def with_tensor(name, value, **options):
        add(f"tensor_{name}.pt", torch_zip(state_dict(value), **options))

    with_tensor("past_storage", tensor((2, 3), (3, 1)))
    with_tensor("strides_past_storage", tensor((2, 2), (3, 1)))
    with_tensor("offset_past_storage", tensor(offset=1))
    with_tensor("offset_negative", tensor(offset=-1))
    with_tensor("size_negative", tensor((-2, 2)))
    with_tensor("size_negative_beside_zero", tensor((0, -2)))
    with_tensor("stride_negative", tensor(stride=(-2, 1), offset=3))
    with_tensor("offset_overflows", tensor(offset=2**63 - 1))
    with_tensor("stride_overflows", tensor(stride=(2**62, 2**62)))
    with_tensor("reach_times_size_overflows", tensor((2,), (2**61,)))
    with_tensor("stride_times_size_overflows", tensor((2**40, 2**10), (2**40, 1)))
    with_tensor("numel_overflows", tensor((2**40, 2**40), (0, 0)))
    with_tensor("bytes_overflow", tensor((2**61, 1), (0, 0)))
    with_tensor("offset_beyond_64_bits", tensor(offset=2**64))
    with_tensor("rank_differs", tensor((2, 2), (1,)))
    with_tensor("strides_missing", tensor((2, 2), ()))
    with_tensor("rank_65", tensor((1,) * 65, (1,) * 65))
    with_tensor("size_is_float", call(REBUILD, storage(), integer(0), tuple_of(real(2.0)), ints([1]), FALSE, NONE))
    with_tensor("size_is_bool", call(REBUILD, storage(), integer(0), tuple_of(TRUE), ints([1]), FALSE, NONE))
    with_tensor("size_is_int", call(REBUILD, storage(), integer(0), integer(2), ints([1]), FALSE, NONE))
    with_tensor("stride_is_none", call(REBUILD, storage(), integer(0), ints([2]), NONE, FALSE, NONE))
    with_tensor("offset_is_string", call(REBUILD, storage(), text("0"), ints([2]), ints([1]), FALSE, NONE))
    with_tensor("size_of_size", call(
        REBUILD, storage(), integer(0), call(name_of("torch", "Size"), text("2")), ints([1]), FALSE, NONE))
    with_tensor("repeats_2_50_times", tensor((2**25, 2**25), (0, 0)))
    with_tensor("repeats_to_a_gigabyte", tensor((2**28,), (0,)))
    with_tensor("v2_without_arguments", call(REBUILD))
    with_tensor("v2_with_three_arguments", call(REBUILD, storage(), integer(0), ints([2])))
    with_tensor("v3_with_six_arguments", call(
        REBUILD_V3, storage(), integer(0), ints([2]), ints([1]), FALSE, call(ORDERED_DICT)))

    def v3(dtype, size=(2,)):
        untyped = storage(kind="UntypedStorage", numel=16)
        return call(REBUILD_V3, untyped, integer(0), ints(size), ints([1]), FALSE, call(ORDERED_DICT), dtype)

    with_tensor("v3_dtype_is_unknown", v3(name_of("torch", "float3")))
    with_tensor("v3_dtype_is_unknown_and_size_negative", v3(name_of("torch", "float3"), (0, -5)))
    with_tensor("v3_dtype_is_string", v3(text("float32")))
    with_tensor("v3_past_storage", v3(name_of("torch", "float64"), (3,)))
    with_tensor("of_string", tensor(of=text("0")))
    with_tensor("of_tensor", tensor(of=tensor()))
    with_tensor("from_type_without_arguments", call(FROM_TYPE, REBUILD, name_of("torch", "Tensor"), NONE, NONE))
    with_tensor("from_type_past_storage", call(
        FROM_TYPE, REBUILD, name_of("torch", "Tensor"),
        tuple_of(storage(), integer(0), ints([5]), ints([1]), FALSE, NONE), EMPTY_DICT))
    with_tensor("sparse", call(
        name_of("torch._utils", "_rebuild_sparse_tensor"), name_of("torch", "sparse_coo"),
        tuple_of(tensor(), tensor(), call(name_of("torch", "Size"), ints([2, 2])))))
    with_tensor("quantized", call(
        name_of("torch._utils", "_rebuild_qtensor"), storage(kind="QInt8Storage", numel=16), integer(0), ints([16]),
        ints([1]), tuple_of(name_of("torch", "per_tensor_affine"), real(1.0), integer(0)), FALSE, NONE))
    with_tensor("is_opaque_call", call(name_of("torch._utils", "_rebuild_tensor_v9"), storage()))


# --------------------------------------------------------------------------------------------- streams

MAGIC = 0x1950A86A20F9469CFC6C


def stream_tensor(size=(2, 2), stride=(2, 1), **options):
    return tensor(size, stride, of=storage(**({"view": NONE} | options)))


def stream(value=None, keys=("0",), storages=None, magic=MAGIC, protocol=integer(1001), system=None, after=b""):
    """A file of torch.save before PyTorch 1.6."""
    if system is None:
        system = dict_of(text("protocol_version"), integer(1001), text("little_endian"), TRUE,
                         text("type_sizes"), EMPTY_DICT)
    value = dict_of(text("a"), stream_tensor()) if value is None else value
    keys = list_of(*map(text, keys)) if isinstance(keys, tuple) else keys
    storages = i64(4) + FLOATS if storages is None else storages
    return b"".join(map(pickled, [integer(magic), protocol, system, value, keys])) + storages + after


def add_streams():
    def bad(name, **options):
        add(f"stream_{name}.pt", stream(**options))

    whole = stream()
    bad("magic_is_wrong", magic=MAGIC + 1)
    bad("protocol_is_wrong", protocol=integer(1002))
    bad("protocol_is_string", protocol=text("1001"))
    bad("system_is_big_endian", system=dict_of(text("little_endian"), FALSE))
    bad("system_has_persistent_id", system=dict_of(text("x"), storage()))
    bad("system_is_broken", system=b"\xff")
    bad("keys_are_dict", keys=EMPTY_DICT)
    bad("key_is_int", keys=list_of(integer(0)))
    bad("key_twice", keys=("0", "0"), storages=(i64(4) + FLOATS) * 2)
    bad("key_without_tensor", keys=("0", "1"), storages=(i64(4) + FLOATS) * 2)
    bad("key_not_in_list", keys=(), storages=b"")
    bad("storage_cut", storages=i64(4) + FLOATS[:-1])
    bad("storage_missing", storages=b"")
    bad("storage_count_cut", storages=b"\4\0\0")
    bad("storage_count_negative", storages=i64(-4) + FLOATS)
    bad("storage_count_overflows", storages=i64(2**62) + FLOATS)
    bad("storage_count_differs", storages=i64(3) + FLOATS[:12])
    bad("storage_has_two_dtypes",
        value=dict_of(text("a"), stream_tensor(), text("b"), stream_tensor(kind="IntStorage")))
    bad("bytes_after", after=b"more")
    bad("id_is_string", value=dict_of(text("a"), tensor(of=text("0") + BINPERSID)))
    bad("tensor_past_storage", value=dict_of(text("a"), stream_tensor((5,), (1,))))
    for where, view in {
        "out_of_range": tuple_of(text("1"), integer(2), integer(3)),
        "negative": tuple_of(text("1"), integer(-1), integer(2)),
        "overflows": tuple_of(text("1"), integer(2**62), integer(2**62)),
        "is_int": integer(1),
        "has_string": tuple_of(text("1"), text("0"), integer(2)),
    }.items():
        bad(f"view_{where}", value=dict_of(text("a"), stream_tensor((1,), (1,), view=view)))
    for where, length in {"after_magic": 20, "in_object": whole.index(b"storage"), "before_storages": len(whole) - 24
                          }.items():
        add(f"stream_cut_{where}.pt", whole[:length])
    huge = 2**29
    bad("asks_for_gigabytes", value=dict_of(text("a"), stream_tensor((huge,), (1,), numel=huge)),
        storages=i64(huge))


# ------------------------------------------------------------------------------------------ tar archives


def tar_header(name, size, kind=b"0", checksum=None, size_field=None, ustar=b"ustar\00000"):
    header = bytearray(512)
    header[0:len(name)] = name
    header[100:124] = b"0000644\0" + b"0000000\0" * 2
    header[124:136] = size_field or b"%011o\0" % size
    header[136:148] = b"00000000000\0"
    header[148:156] = b" " * 8
    header[156:157] = kind
    header[257:257 + len(ustar)] = ustar
    total = sum(header) if checksum is None else checksum
    header[148:156] = b"%06o\0 " % total
    return bytes(header)


def tar_member(name, data, **options):
    return tar_header(name, len(data), **options) + data + bytes(-len(data) % 512)


def tar_storage(key=1, kind="FloatStorage", numel=4, data=FLOATS):
    return pickled(tuple_of(integer(key), text("cpu"), name_of("torch", kind))) + i64(numel) + data


def tar_tensor(key=2, storage_key=1, rank=1, shape=(4,), stride=(1,), offset=0):
    head = pickled(tuple_of(integer(key), integer(storage_key), name_of("torch", "FloatTensor")))
    return head + struct.pack("<iI", rank, 0) + b"".join(map(i64, (*shape, *stride, offset)))


def tar_members(storages=None, tensors=None, value=None, views=EMPTY_LIST, storage_count=integer(1),
                tensor_count=integer(1)):
    storages = tar_storage() if storages is None else storages
    tensors = tar_tensor() if tensors is None else tensors
    value = dict_of(text("a"), integer(2) + BINPERSID) if value is None else value
    return {b"storages": pickled(storage_count) + storages + pickled(views),
            b"tensors": pickled(tensor_count) + tensors, b"pickle": pickled(value)}


def tar_file(members=None, end=bytes(1024), **options):
    members = tar_members(**options) if members is None else members
    if {"storages", "storage_count", "views"} & options.keys():
        del members[b"tensors"]  # the storages come first, and a smaller file will do
    return b"".join(tar_member(name, data) for name, data in members.items()) + end


def add_tars():
    def bad(name, **options):
        add(f"tar_{name}.pt", tar_file(**options))

    members = tar_members()
    whole = tar_file()
    head = tar_member(b"storages", members[b"storages"])
    add("tar_checksum_is_wrong.pt", tar_header(b"storages", len(members[b"storages"]), checksum=1234) + whole[512:])
    second = len(head)
    add("tar_second_checksum_is_wrong.pt",
        whole[:second] + tar_header(b"tensors", len(members[b"tensors"]), checksum=1234) + whole[second + 512:])
    add("tar_member_past_end.pt", tar_header(b"storages", 10_000_000) + whole[512:])
    add("tar_member_size_is_text.pt", tar_header(b"storages", 0, size_field=b"twelve bytes") + whole[512:])
    add("tar_member_is_link.pt", tar_member(b"storages", b"", kind=b"2") + whole)
    add("tar_member_is_folder.pt", tar_member(b"folder/", b"", kind=b"5") + whole)
    add("tar_member_twice.pt", tar_member(b"pickle", members[b"pickle"]) + whole)
    for name in members:
        add(f"tar_without_{name.decode()}.pt", tar_file({k: v for k, v in members.items() if k != name}))
    bad("without_end", end=b"")
    bad("with_one_end_block", end=bytes(512))
    bad("bytes_after_end", end=bytes(1024) + b"x" * 512)
    bad("cut_in_header", end=b"storages")
    add("tar_cut_in_member.pt", whole[:1000])
    bad("storage_count_negative", storage_count=integer(-1))
    bad("storage_count_huge", storage_count=integer(2**40))
    bad("storage_count_too_high", storage_count=integer(2))
    bad("storage_count_too_low", storage_count=integer(0))
    bad("storage_count_is_string", storage_count=text("1"))
    bad("tensor_count_negative", tensor_count=integer(-1))
    bad("tensor_count_too_high", tensor_count=integer(2))
    bad("tensor_count_too_low", tensor_count=integer(0))
    bad("storage_description_is_int", storages=pickled(integer(1)) + i64(4) + FLOATS)
    bad("storage_description_has_two_fields", storages=pickled(tuple_of(integer(1), text("cpu"))) + i64(4) + FLOATS)
    bad("storage_class_is_unknown", storages=tar_storage(kind="EvilStorage"))
    bad("storage_key_is_text", storages=pickled(tuple_of(text("one"), text("cpu"), name_of("torch", "FloatStorage")))
        + i64(4) + FLOATS)
    bad("storage_twice", storages=tar_storage() * 2, storage_count=integer(2))
    bad("storage_numel_negative", storages=tar_storage(numel=-4))
    bad("storage_numel_overflows", storages=tar_storage(numel=2**62))
    bad("storage_cut", storages=tar_storage(numel=400))
    bad("tensor_without_storage", tensors=tar_tensor(storage_key=7))
    bad("tensor_of_tensor", tensors=tar_tensor() + tar_tensor(key=3, storage_key=2), tensor_count=integer(2))
    bad("tensor_twice", tensors=tar_tensor() * 2, tensor_count=integer(2))
    bad("tensor_rank_too_high", tensors=tar_tensor(rank=2))
    bad("tensor_rank_too_low", tensors=tar_tensor(rank=0))
    bad("tensor_rank_negative", tensors=tar_tensor(rank=-1))
    bad("tensor_rank_huge", tensors=tar_tensor(rank=2**31 - 1))
    bad("tensor_past_storage", tensors=tar_tensor(shape=(5,)))
    bad("tensor_offset_negative", tensors=tar_tensor(offset=-1))
    bad("tensor_size_negative", tensors=tar_tensor(shape=(-1,)))
    bad("views_are_dict", views=EMPTY_DICT)
    bad("view_is_int", views=list_of(integer(1)))
    bad("view_of_nothing", views=list_of(tuple_of(integer(9), integer(7), integer(0), integer(1))))
    bad("view_out_of_range", views=list_of(tuple_of(integer(9), integer(1), integer(2), integer(3))))
    bad("view_negative", views=list_of(tuple_of(integer(9), integer(1), integer(-2), integer(3))))
    bad("view_overflows", views=list_of(tuple_of(integer(9), integer(1), integer(2**62), integer(2**62))))
    bad("view_of_strings", views=list_of(tuple_of(integer(9), integer(1), text("0"), text("1"))))
    bad("object_is_missing", value=dict_of(text("a"), integer(9) + BINPERSID))
    bad("object_key_is_list", value=dict_of(text("a"), EMPTY_LIST + BINPERSID))
    bad("pickle_has_rest", value=NONE + STOP + NONE)


# ------------------------------------------------------------------------------------------ safetensors


def safetensors(header, data=b"", length=None):
    header = header if isinstance(header, (str, bytes)) else json.dumps(header)
    header = header.encode() if isinstance(header, str) else header
    return u64(len(header) if length is None else length) + header + data


def described(dtype="F32", shape=(2,), data_offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(data_offsets)}


def add_safetensors():
    def bad(name, header, data=bytes(8), length=None):
        add(f"safetensors_{name}.safetensors", safetensors(header, data, length))

    good = {"a": described()}
    bad("header_past_end", good, length=10_000)
    bad("header_over_100_mb", good, length=100_000_001)
    bad("header_of_2_63", good, length=2**63)
    bad("header_of_2_64", good, length=2**64 - 1)
    bad("header_of_2_64_less_8", good, length=2**64 - 8)
    bad("header_empty", "", b"{" + bytes(7))
    add("safetensors_of_7_bytes.safetensors", u64(2)[:7])
    add("safetensors_of_9_bytes.safetensors", u64(2) + b"{")
    bad("not_json", '{"a": what?}')
    bad("not_utf8", b'{"\xff": {}}')
    bad("cut_in_object", '{"a": {"dtype": "F32"')
    bad("text_after_object", '{"a": {"dtype":"F32","shape":[2],"data_offsets":[0,8]}} more')
    bad("two_objects", "{}{}", b"")
    bad("number_out_of_range", '{"a": {"shape": [1e999]}}')
    bad("arrays_2000_deep", '{"a": {"shape": ' + "[" * 2_000)
    bad("objects_1000_deep", '{"a":' * 1_000)
    for place, header in {
        "tensor_is_number": '{"a": 5}',
        "tensor_is_string": '{"a": "b"}',
        "tensor_is_array": '{"a": []}',
        "tensor_is_null": '{"a": null}',
        "tensor_is_bool": '{"a": true}',
        "second_tensor_is_number": '{"a": {"dtype":"F32","shape":[2],"data_offsets":[0,8]}, "b": 5}',
        "dtype_is_number": '{"a": {"dtype": 5}}',
        "dtype_is_array": '{"a": {"dtype": ["F32"]}}',
        "dtype_is_null": '{"a": {"dtype": null}}',
        "shape_is_number": '{"a": {"shape": 5}}',
        "shape_is_string": '{"a": {"shape": "[2]"}}',
        "shape_is_object": '{"a": {"shape": {}}}',
        "shape_has_string": '{"a": {"shape": ["2"]}}',
        "shape_has_array": '{"a": {"shape": [[2]]}}',
        "shape_has_object": '{"a": {"shape": [{}]}}',
        "shape_has_null": '{"a": {"shape": [null]}}',
        "shape_has_fraction": '{"a": {"shape": [2.0]}}',
        "shape_has_exponent": '{"a": {"shape": [2e0]}}',
        "shape_is_negative": '{"a": {"shape": [-2]}}',
        "shape_is_beyond_64_bits": '{"a": {"shape": [18446744073709551616]}}',
        "offset_is_negative": '{"a": {"data_offsets": [-8, 0]}}',
        "offset_is_string": '{"a": {"data_offsets": ["0", "8"]}}',
        "offsets_are_object": '{"a": {"data_offsets": {"begin": 0}}}',
        "metadata_is_array": '{"__metadata__": []}',
        "metadata_has_number": '{"__metadata__": {"a": 1}}',
        "metadata_has_object": '{"__metadata__": {"a": {}}}',
        "metadata_key_twice": '{"__metadata__": {"a": "1", "a": "2"}}',
        "metadata_twice": '{"__metadata__": {}, "__metadata__": {}}',
        "name_twice": '{"a": {"dtype":"F32","shape":[2],"data_offsets":[0,8]}, "a": {}}',
        "key_twice": '{"a": {"dtype":"F32","dtype":"F32"}}',
        "shape_twice": '{"a": {"shape":[2],"shape":[2]}}',
        "unknown_key": '{"a": {"dtype":"F32","shape":[2],"data_offsets":[0,8],"stride":[1]}}',
        "dtype_missing": '{"a": {"shape":[2],"data_offsets":[0,8]}}',
        "shape_missing": '{"a": {"dtype":"F32","data_offsets":[0,8]}}',
        "offsets_missing": '{"a": {"dtype":"F32","shape":[2]}}',
        "one_offset": '{"a": {"dtype":"F32","shape":[2],"data_offsets":[0]}}',
        "three_offsets": '{"a": {"dtype":"F32","shape":[2],"data_offsets":[0,8,8]}}',
        "tensor_is_empty_object": '{"a": {}}',
        "name_is_escape_sequence": '{"\\u001b[2J": 5}',
        "rank_65": '{"a": {"shape": [' + ",".join("1" * 65) + "]}}",
    }.items():
        bad(place, header)
    bad("dtype_unknown", {"a": described("F4")})
    bad("dtype_empty", {"a": described("")})
    bad("offsets_reversed", {"a": described(data_offsets=(8, 0))})
    bad("offsets_overlap", {"a": described(), "b": described(data_offsets=(4, 12))}, bytes(12))
    bad("offsets_with_gap", {"a": described(), "b": described(data_offsets=(12, 20))}, bytes(20))
    bad("offsets_with_gap_at_start", {"a": described(data_offsets=(4, 12))}, bytes(12))
    bad("offsets_past_end", {"a": described(data_offsets=(0, 16), shape=(4,))})
    bad("offsets_of_2_64", {"a": described(data_offsets=(0, 2**64 - 1))})
    bad("offsets_do_not_cover", good, bytes(9))
    bad("bytes_without_tensors", {}, bytes(8))
    bad("shape_too_large", {"a": described(shape=(3,))})
    bad("shape_too_small", {"a": described(shape=(1,))})
    bad("shape_empty", {"a": described(shape=())})
    bad("shape_overflows", {"a": described(shape=(2**40, 2**40))})
    bad("shape_of_2_63", {"a": described(shape=(2**63,))})
    bad("shape_wraps_to_the_right_size", {"a": described("U8", (2**32 + 8, 2**32))})


# ------------------------------------------------------------------------------------------ other files


def add_foreign_files():
    add("foreign_empty.pt", b"")
    add("foreign_one_byte.pt", b"P")
    add("foreign_gzip.pt", b"\x1f\x8b\x08" + bytes(20))
    add("foreign_bzip2.pt", b"BZh91AY&SY" + bytes(20))
    add("foreign_xz.pt", b"\xfd7zXZ\0" + bytes(20))
    add("foreign_zstd.pt", b"\x28\xb5\x2f\xfd" + bytes(20))
    add("foreign_7z.pt", b"7z\xbc\xaf\x27\x1c" + bytes(20))
    add("foreign_html.pt", b"<!DOCTYPE html>\n<html><body>404 Not Found</body></html>\n")
    add("foreign_html_tag.pt", b"<html><body>404 Not Found</body></html>\n")
    add("foreign_git_lfs.pt", b"version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 63000000\n")
    add("foreign_onnx.pt", b"\x08\x08\x12\x07pytorch\x1a\x052.0.0:\x02\x0a\x00")
    add("foreign_hdf5.pt", b"\x89HDF\r\n\x1a\n" + bytes(20))
    add("foreign_gguf.pt", b"GGUF\3\0\0\0" + bytes(20))
    add("foreign_numpy.pt", b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n")
    add("foreign_wav.pt", b"RIFF\x24\0\0\0WAVEfmt " + bytes(20))
    add("foreign_script_archive.pt", b"PYTORCH1" + bytes(56))
    add("foreign_json.pt", b'{"audio": {"sample_rate": 16000}}\n')
    add("foreign_text.pt", b"This is not a checkpoint.\n")
    add("foreign_text_that_starts_with_c.pt", b"cats and dogs, nothing else.")
    add("foreign_random.pt", bytes((i * 167 + 13) * (i + 7) % 251 for i in range(300)))
    add("foreign_zeros.pt", bytes(2048))
    add("foreign_package.pt", zip_file([
        Entry("package/.data/extern_modules", b"torch\n"), Entry("package/.data/version", b"6\n"),
        Entry("package/model/model.pkl", pickled(NONE)), Entry("package/model.py", b"import os\n")]))
    add("foreign_zip.pt", zip_file([Entry("readme.txt", b"hello")]))
    add("foreign_word.pt", zip_file([Entry("[Content_Types].xml", b"<xml/>"), Entry("word/document.xml", b"<xml/>")]))
    add("foreign_zip_of_checkpoint.pt", zip_file([Entry("model.pt", torch_zip())]))


# --------------------------------------------------------------------------------- files for the scanner


def add_files_to_scan():
    def evil(name, contents):
        add(f"scan/{name}", contents)

    command = text("echo voxport")
    run = call(OS_SYSTEM, command)
    stack_name = lambda module, name: text(module) + text(name) + STACK_GLOBAL

    # Ways to name and to call.
    evil("os_system.pkl", pickled(run))
    evil("posix_system.pkl", pickled(call(name_of("posix", "system"), command)))
    evil("nt_system.pkl", pickled(call(name_of("nt", "system"), command)))
    evil("eval.pkl", pickled(call(name_of("builtins", "eval"), text("1 + 1"))))
    evil("exec_of_python2.pkl", pickled(call(name_of("__builtin__", "execfile"), text("evil.py"))))
    evil("exec.pkl", pickled(call(name_of("builtins", "exec"), text("pass"))))
    evil("getattr.pkl", pickled(call(call(name_of("builtins", "getattr"), call(
        name_of("builtins", "__import__"), text("os")), text("system")), command)))
    evil("subprocess.pkl", pickled(call(name_of("subprocess", "Popen"), list_of(text("true")))))
    evil("runpy.pkl", pickled(call(name_of("runpy", "run_path"), text("evil.py"))))
    evil("importlib.pkl", pickled(call(name_of("importlib", "import_module"), text("evil"))))
    evil("torch_hub.pkl", pickled(call(name_of("torch.hub", "load"), text("evil/repository"), text("model"))))
    evil("torch_load.pkl", pickled(call(name_of("torch", "load"), text("other.pt"))))
    evil("numpy_testing.pkl", pickled(call(
        name_of("numpy.testing._private.utils", "runstring"), text("pass"), EMPTY_DICT)))
    evil("functools_partial.pkl", pickled(call(call(name_of("functools", "partial"), OS_SYSTEM, command))))
    evil("inst.pkl", pickled(MARK + command + b"ios\nsystem\n"))
    evil("obj.pkl", pickled(MARK + OS_SYSTEM + command + b"o"))
    evil("newobj.pkl", pickled(name_of("subprocess", "Popen") + tuple_of(list_of(text("true"))) + NEWOBJ))
    evil("newobj_ex.pkl", pickled(
        name_of("subprocess", "Popen") + EMPTY_TUPLE + dict_of(text("args"), text("true")) + b"\x92", PROTO4))
    evil("stack_global.pkl", pickled(call(stack_name("os", "system"), command), PROTO4))
    evil("stack_global_from_memo.pkl", pickled(
        text("system") + put(1) + POP + text("os") + put(2) + POP
        + call(get(2) + get(1) + STACK_GLOBAL, command), PROTO4))
    evil("stack_global_octal.pkl", pickled(call(b"S'\\157s'\nS'\\163ystem'\n" + STACK_GLOBAL, command), PROTO4))
    evil("stack_global_hex.pkl", pickled(call(b"S'\\x6fs'\nV\\u0073ystem\n" + STACK_GLOBAL, command), PROTO4))
    evil("extension.pkl", pickled(call(b"\x82\x07", command)))
    evil("build_of_class.pkl", pickled(
        name_of("torch.nn.modules.linear", "Linear") + tuple_of(NONE, dict_of(text("forward"), OS_SYSTEM)) + BUILD))
    evil("call_of_call.pkl", pickled(call(call(name_of("torch.nn.modules.container", "Sequential")), NONE)))
    evil("protocol_0.pkl", b"cos\nsystem\n(S'echo voxport'\ntR.")
    evil("protocol_0_starts_with_mark.pkl", b"(S'echo voxport'\nios\nsystem\n.")
    evil("protocol_0_starts_with_none.pkl", b"N0cos\nsystem\n(S'echo voxport'\ntR.")
    evil("protocol_0_without_stop.pkl", b"N0cos\nsystem\n(S'echo voxport'\ntR")

    # Names that look harmless.
    def dotted(file, module, name, *arguments):
        evil(file, pickled(call(stack_name(module, name), *arguments), PROTO4))

    dotted("dotted_os_system.pkl", "torch.nn.modules.linear", "os.system", command)
    dotted("dotted_popen.pkl", "torch.nn.modules.module", "torch.cuda._memory_viz.subprocess.Popen",
           list_of(text("true")))
    dotted("dotted_popen_of_optim.pkl", "torch.optim.optimizer", "warnings.sys.modules.Popen", command)
    dotted("dotted_storage.pkl", "torch", "hub.sys.EvilStorage", command)
    dotted("dotted_class_attribute.pkl", "torch.nn.modules.linear", "Linear.Evil")
    dotted("dotted_callback.pkl", "pytorch_lightning.callbacks", "timer.time.os.Popen", command)
    dotted("dotted_globals.pkl", "torch.nn.modules.linear", "Linear.forward.__globals__.get", text("os"))
    dotted("lower_case_in_modules.pkl", "torch.nn.modules.module", "register_module_forward_hook", NONE)
    evil("from_type.pkl", pickled(call(FROM_TYPE, OS_SYSTEM, name_of("torch", "Tensor"), tuple_of(command),
                                       EMPTY_DICT)))
    evil("default_factory.pkl", pickled(call(name_of("collections", "defaultdict"), OS_SYSTEM)))
    evil("unknown_class.pkl", pickled(call(name_of("my_project.models", "Generator"))))
    evil("import_by_name.pkl", pickled(call(name_of("torch._utils", "_import_dotted_name"), text("os.system"))))
    evil("unknown_function_of_torch.pkl", pickled(call(name_of("torch._utils", "_get_async_or_non_blocking"))))
    evil("long_names.pt", large(pickled(
        text("x" * 10_000) + put(1) + POP + (get(1) + get(1) + STACK_GLOBAL + POP) * 50_000 + run, PROTO4)))

    # Pickles that run and then break.
    evil("breaks_after_call.pkl", PROTO2 + run + b"\xff")
    evil("breaks_before_stop.pkl", PROTO2 + run)
    evil("breaks_stack_after_call.pkl", PROTO2 + run + POP * 3 + STOP)
    evil("second_pickle.pkl", pickled(NONE) + pickled(run))
    evil("marks_then_call.pkl", pickled(MARK * 1001 + run))

    # Containers.
    evil("zip.pt", torch_zip(state_dict(run)))
    evil("zip_deflated.pt", torch_zip(state_dict(run), method=DEFLATED))
    upper = torch_entries()
    upper[0] = Entry("archive/DATA.PKL", state_dict(run))
    evil("zip_upper_case.pt", zip_file(upper))
    evil("zip_second_pickle.pt", zip_file(torch_entries() + [Entry("archive/other.pkl", pickled(run))]))
    evil("zip_constants.pt", zip_file(torch_entries() + [Entry("archive/constants.pkl", pickled(run))]))
    evil("zip_broken_pickle.pt", torch_zip(PROTO2 + run + b"\xff"))
    evil("zip_in_zip.pt", zip_file([Entry("archive_format", b"pt2"), Entry(
        "data/sample_inputs/model.pt", torch_zip(state_dict(run)))]))
    nested = torch_zip(state_dict(run))
    for _ in range(4):
        nested = zip_file([Entry("a/inner.pt", nested)])
    evil("zip_in_zip_in_zip.pt", nested)
    pt2 = [Entry("model/archive_format", b"pt2"), Entry("model/version", b"1\n"),
           Entry("model/models/model.json", b"{}")]
    evil("pt2_with_library.pt2", zip_file(pt2 + [
        Entry("model/data/aotinductor/model/kernel.so", b"\x7fELF\2\1\1" + bytes(57))]))
    evil("pt2_with_renamed_library.pt2", zip_file(pt2 + [
        Entry("model/data/aotinductor/model/kernel.SO.1", b"\x7fELF\2\1\1" + bytes(57))]))
    evil("pt2_with_pickled_weight.pt2", zip_file(pt2 + [
        Entry("model/data/weights/weight_0", torch_zip(state_dict(run)))]))
    evil("pt2_with_bare_pickle.pt2", zip_file(pt2 + [Entry("model/data/weights/weight_0", pickled(run))]))
    evil("package.pt", FILES["foreign_package.pt"])
    evil("stream.pt", stream(value=dict_of(text("a"), run)))
    evil("stream_system.pt", stream(system=dict_of(text("little_endian"), run)))
    evil("stream_keys.pt", stream(keys=list_of(run)))
    evil("stream_starts_with_call.pt", pickled(run) + stream())
    evil("stream_breaks_before_call.pt", stream(system=MARK * 1001 + run))
    evil("tar_pickle.pt", tar_file(value=run))
    evil("tar_storages.pt", tar_file(storages=pickled(run)))
    evil("tar_second_storage.pt", tar_file(
        storages=tar_storage() + pickled(tuple_of(run)), storage_count=integer(2)))
    evil("tar_views.pt", tar_file(views=run))
    evil("tar_second_tensor.pt", tar_file(tensors=tar_tensor() + pickled(run), tensor_count=integer(2)))
    # The name of the first member is the beginning of a stream: PyTorch asks tarfile first.
    start = b"".join(map(pickled, [integer(MAGIC), integer(1001)]))
    hidden = pickled(EMPTY_DICT + text("x") + b"X" + u32(1_000_000))[:-1]
    evil("tar_that_starts_like_a_stream.pt", tar_member(start + hidden, b"") + tar_file(value=run))
    evil("old_tar_that_starts_like_a_stream.pt",
         tar_member(start + hidden, b"", ustar=b"") + tar_file(value=run))


# ------------------------------------------------------------------------------------------------ all


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    add_zip_archives()
    add_pickles()
    add_storages()
    add_tensors()
    add_streams()
    add_tars()
    add_safetensors()
    add_foreign_files()
    add_files_to_scan()
    (folder / "scan").mkdir(parents=True, exist_ok=True)
    for name, contents in FILES.items():
        (folder / name).write_bytes(contents)
    print(f"{len(FILES)} files, {sum(map(len, FILES.values()))} bytes")


if __name__ == "__main__":
    main()

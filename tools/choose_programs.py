#!/usr/bin/env python3
"""Makes the folder of programs that the tests export, of a larger one.

    choose_programs.py CORPUS tests/data/programs

CORPUS has a manifest.json: what models there are, in what files (kinds: pt2_torch26, pt2_torch214, ts_torch113,
ts_torch26, pt2_torch26_staticseq), their inputs and outputs, and in NAME.cases.safetensors what PyTorch gave. Every
model is taken in at least one kind, small ones in all. Files are packed (pack_programs.py), those that are in the
folder already stay as they are. Of long records the largest case is left out.
"""

import argparse
import json
import pathlib
import struct

from pack_programs import pack

SMALL = 5_000         # bytes of a packed program that is taken in every kind
LARGE = 12_000        # bytes of a packed program beyond which one kind is enough
HUGE = 40_000         # ... and that the smallest
LONG = 20_000         # bytes of a record that loses its largest case
ENDLESS = 90_000      # ... and what is left of it still too long, so that it loses one more
REFUSED = {("lstm_packed", "ts_torch113")}  # its batch is a number, which no name can open
KEPT = ("name", "torchscript_kind", "note", "files", "valid_cases", "inputs", "outputs", "rtol")


def packed(model, kind, corpus, folder):
    """The packed file in the folder, and whether it was there before."""
    name = model["files"][kind]
    target = folder / name
    if target.exists():
        return target, True
    pack(corpus / name, target)
    return target, False


def choose(model, turn, corpus, folder):
    """The kinds of this model that are kept in the folder; `turn` makes large ones differ in it."""
    files = {}
    for kind in model["files"]:
        if kind != "cases" and (model["name"], kind) not in REFUSED:
            files[kind] = packed(model, kind, corpus, folder)
    sizes = {kind: path.stat().st_size for kind, (path, _) in files.items()}
    smallest = min(sizes.values())
    kinds = sorted(kind for kind in sizes if sizes[kind] <= (smallest if smallest > HUGE else 1.6 * smallest))
    favourites = [kinds[turn % len(kinds)]]
    if sizes[favourites[0]] < LARGE:
        favourites.append(kinds[(turn + 2) % len(kinds)])
    chosen = []
    for kind, (path, was_there) in files.items():
        if was_there or kind in favourites or kind.endswith("staticseq") or sizes[kind] <= SMALL:
            chosen.append(kind)
        else:
            path.unlink()
    return chosen


def read_safetensors(path):
    data = path.read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        tensors[name] = entry, data[begin:end]
    return tensors


def write_safetensors(path, tensors):
    header, offset = {}, 0
    for name, (entry, content) in tensors.items():
        header[name] = {**entry, "data_offsets": [offset, offset + len(content)]}
        offset += len(content)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(content for _, content in tensors.values()))


def shorten(tensors):
    """Without the largest case; those behind it move up. Also the new numbers of the others."""
    sizes = {}
    for name, (_, content) in tensors.items():
        number = int(name.split("/")[0][len("case"):])
        sizes[number] = sizes.get(number, 0) + len(content)
    largest = max(sizes, key=sizes.get)
    numbers = {old: new for new, old in enumerate(number for number in sorted(sizes) if number != largest)}
    kept = {}
    for name, tensor in tensors.items():
        case, rest = name.split("/", 1)
        if (old := int(case[len("case"):])) in numbers:
            kept[f"case{numbers[old]}/{rest}"] = tensor
    return kept, numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    manifest = json.loads((options.corpus / "manifest.json").read_text())
    models = []
    for turn, model in enumerate(manifest["models"]):
        kinds = choose(model, turn, options.corpus, options.folder)
        cases = read_safetensors(options.corpus / model["files"]["cases"])
        numbers = {number: number for number in range(model["n_cases"])}
        for limit in (LONG, ENDLESS):
            if sum(len(content) for _, content in cases.values()) > limit:
                cases, left = shorten(cases)
                numbers = {old: left[new] for old, new in numbers.items() if new in left}
        write_safetensors(options.folder / model["files"]["cases"], cases)
        # An axis that the example fixed is opened again by its name, so that all cases are good.
        valid = {kind: numbers if kind.endswith("staticseq") else model["valid_cases"][kind] for kind in kinds}
        model["files"] = {kind: model["files"][kind] for kind in [*kinds, "cases"]}
        model["valid_cases"] = {kind: [numbers[number] for number in valid[kind] if number in numbers] for kind in kinds}
        models.append({key: model[key] for key in KEPT})
    lines = ",\n".join(json.dumps(model) for model in models)
    description = ("Models with random weights. Keys of cases are case<i>/in/<input> and case<i>/out/<output>; valid_cases "
                   "are those that a file, once exported, repeats within rtol * (1 + |expected|).")
    (options.folder / "manifest.json").write_text(
        f'{{"description": {json.dumps(description)},\n"models": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()

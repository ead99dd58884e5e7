#!/usr/bin/env python3
"""Packs programs of PyTorch smaller: every entry deflated, and without the maps of where code came from (*.debug_pkl).

    pack_programs.py FILE ... FOLDER

PyTorch stores its entries as they are, so that it can map them into memory, and reads deflated ones as well.
"""

import argparse
import pathlib
import zipfile


def pack(source, target):
    with zipfile.ZipFile(source) as archive:
        entries = [(info.filename, archive.read(info)) for info in archive.infolist()]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in entries:
            if not name.endswith(".debug_pkl"):
                archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    for path in options.files:
        pack(path, options.folder / path.name)


if __name__ == "__main__":
    main()

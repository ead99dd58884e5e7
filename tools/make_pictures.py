#!/usr/bin/env python3
"""Draws the pictures of the README with voxport itself.

    tools/make_pictures.py build/voxport [docs/pictures]

check.svg is the path to the node that fixes an axis, from the page that `voxport check --html` writes; stream.svg is
what `voxport bench --svg` draws of the bundled voice. Run it on a machine that does nothing else: stream.svg is a
measurement.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def drawing_of(page):
    """The first drawing of the page as a file of its own, with the rules of the page's style that apply to it."""
    svg = re.search(r"<svg .*?</svg>", page, re.DOTALL)[0]
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    # Either :root, also inside a media query, or the drawing and what it consists of.
    rules = re.findall(r"^@media \(prefers-color-scheme.*?^}|^:root {.*?^}|^(?:svg|\.box|\.line|\.head)[^\n]*}$", style,
                       re.DOTALL | re.MULTILINE)
    used = [rule for rule in rules if not re.search(r"display|\.(rest|tick|count|limit)", rule)]
    return svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).replace(
        "><g", "><style>\n" + "\n".join(used) + "\n</style><g", 1) + "\n"


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    pictures = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "docs" / "pictures")
    pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        page = folder / "report.html"
        model = ROOT / "tests" / "data" / "onnx" / "baked-reshape.onnx"
        subprocess.run([program, "check", "-q", model, "--html", page])  # ends with 1: an axis is fixed
        (pictures / "check.svg").write_text(drawing_of(page.read_text()))
        subprocess.run([program, "export", "-q", ROOT / "voices" / "slt-x_low.ckpt", "out"], cwd=folder, check=True)
        stream = (pictures / "stream.svg").resolve()
        subprocess.run([program, "bench", "-q", "out", "--svg", stream], cwd=folder, check=True)


if __name__ == "__main__":
    main()

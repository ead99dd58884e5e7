#!/usr/bin/env python3
"""export_hashes.py PROGRAM [RECORD]: the SHA-256 of each file that voxport exports of the bundled voice and of the tests'
voices and programs. With a RECORD, an earlier output, reports what changed and exits 1. Also takes folders of programs
from EXPORT_HASHES_MORE, separated by colons.

For changes of the code that must not change what it writes: record before, compare after."""
import hashlib
import json
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests/data"
DTYPES = {"F32": "f32", "F64": "f64", "F16": "f16", "I64": "i64", "I32": "i32", "BOOL": "bool", "U8": "u8", "I8": "i8",
          "I16": "i16", "BF16": "bf16"}


def case_inputs(path):
    """--input of each input in recorded cases: an axis whose sizes differ is dynamic; axes with equal sizes share a name."""
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    inputs = {}
    for key, row in header.items():
        parts = key.split("/")
        if len(parts) == 3 and parts[1] == "in":
            inputs.setdefault(parts[2], []).append(row)
    names = {}
    specs = []
    for name, rows in inputs.items():
        if len({len(row["shape"]) for row in rows}) > 1:
            return []
        sizes = []
        for column in zip(*(row["shape"] for row in rows)):
            fixed = len(set(column)) == 1
            sizes.append(str(column[0]) if fixed else names.setdefault(column, f"d{len(names)}"))
        specs += ["--input", f"{name}:{DTYPES[rows[0]['dtype']]}[{','.join(sizes)}]"]
    return specs


def exports():
    """(name, source, out, options) of each export."""
    bundled = ROOT / "voices/slt-x_low.ckpt"
    yield "slt/folder", bundled, "out", []
    yield "slt/one", bundled, "voice.onnx", []
    for target in ("sherpa", "piper"):
        yield f"slt/{target}", bundled, "voice.onnx", ["--for", target]
    yield "slt/noise", bundled, "out", ["--noise", "input"]
    yield "slt/after-flow", bundled, "out", ["--cut", "after-flow"]
    yield "slt/opset13", bundled, "out", ["--opset", "13"]
    yield "slt/fastspeech2", ROOT / "voices/fastspeech2-slt.pth.tar", "out", ["--vocoder", ROOT / "voices/hifigan-slt.pth"]
    voices = DATA / "voices"
    for voice in sorted(voices.glob("*.ckpt")):
        yield f"{voice.name}/folder", voice, "out", []
        yield f"{voice.name}/one", voice, "voice.onnx", ["--noise", "input"]
    for model in sorted(voices.glob("fastspeech2*.pth.tar")):
        base = model.name.removesuffix(".pth.tar")
        configs = ["--config", voices / f"{base}.model.yaml", "--config", voices / f"{base}.preprocess.yaml"]
        yield model.name, model, "mel.onnx", configs
        yield f"{model.name}/silent", model, "out", configs + ["--padding", "silent", "--energy-control", "own"]
    for model in sorted(voices.glob("hifigan*.pth")):
        yield model.name, model, "out", ["--config", voices / f"{model.stem}.config.json"]
    more = [Path(folder) for folder in os.environ.get("EXPORT_HASHES_MORE", "").split(":") if folder]
    for folder in [DATA / "programs", DATA / "voice_programs", *more]:
        for program in sorted([*folder.glob("*.pt2"), *folder.glob("*.pt")]):
            cases = folder / (program.name.split(".")[0] + ".cases.safetensors")
            is_script = program.suffix == ".pt" and cases.exists()
            yield f"{folder.name}/{program.name}", program, "model.onnx", case_inputs(cases) if is_script else []


def main():
    program = Path(sys.argv[1]).resolve()
    found = {}
    for name, source, out, options in exports():
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([program, "export", source, Path(folder) / out, "--no-check", *options],
                                 capture_output=True, text=True)
            if run.returncode:
                last = run.stderr.replace(str(ROOT), "").replace(folder, "").strip()
                found[name] = f"exit {run.returncode} {hashlib.sha256(last.encode()).hexdigest()[:16]}"
            for path in sorted(Path(folder).rglob("*")):
                if path.is_file():
                    found[f"{name}/{path.name}"] = hashlib.sha256(path.read_bytes()).hexdigest()
    if len(sys.argv) < 3:
        print("\n".join(f"{value}  {name}" for name, value in found.items()))
        return
    recorded = {}
    for line in Path(sys.argv[2]).read_text().splitlines():
        value, name = line.split("  ", 1)
        recorded[name] = value
    changed = [name for name in sorted({*found, *recorded}) if found.get(name) != recorded.get(name)]
    for name in changed:
        print(f"{name}: {recorded.get(name)} became {found.get(name)}")
    print(f"{len(found)} files, {len(changed)} changed")
    sys.exit(1 if changed else 0)


main()

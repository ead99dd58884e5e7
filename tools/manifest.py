"""The manifest of tests/data/programs, a line for each model."""

import json


def update(folder, recorded):
    """Puts the entries in place of those of the same names, at the end of folder/manifest.json."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text()) if path.exists() else dict(description="", models=[])
    names = {entry["name"] for entry in recorded}
    entries = [entry for entry in manifest["models"] if entry["name"] not in names] + recorded
    lines = ",\n".join(json.dumps(entry) for entry in entries)
    path.write_text(f'{{"description": {json.dumps(manifest["description"])},\n"models": [\n{lines}\n]}}\n')

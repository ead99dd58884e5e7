#!/usr/bin/env python3
"""Records scripted programs whose loops and branches change lists and dicts, and what PyTorch computes with them.

    record_loops.py FOLDER      write FOLDER/NAME.ts26.pt and NAME.cases.safetensors, and name them in manifest.json

FOLDER is tests/data/programs; recorded with torch 2.6.
"""

import json
import pathlib
import struct
import sys
from typing import Dict, List, Optional

import torch
from torch import Tensor, nn

SIZES = [dict(time=7, batch=2), dict(time=1, batch=1), dict(time=12, batch=3)]


class LoopListState(nn.Module):
    """Items of a list are set by index in every round."""

    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList([nn.GRUCell(4, 4), nn.GRUCell(4, 4)])

    def forward(self, x):
        states = [torch.zeros(x.size(1), 4) for _ in range(2)]
        steps: List[Tensor] = []
        for t in range(x.size(0)):
            y = x[t]
            for i, cell in enumerate(self.cells):
                y = cell(y, states[i])
                states[i] = y
            steps += [y]
        return torch.stack(steps), torch.stack(states)


class LoopDictState(nn.Module):
    """An item of a dict is set in every round, and a state is None at first."""

    def forward(self, x):
        state: Dict[str, Tensor] = {"h": torch.zeros(x.size(1), 4)}
        most: Optional[Tensor] = None
        for t in range(x.size(0)):
            state["h"] = torch.tanh(state["h"] + x[t])
            most = x[t] if most is None else torch.maximum(most, x[t])
        assert most is not None
        return state["h"], most


class LoopAppend(nn.Module):
    """Appends in a branch, twice in a round, in a loop in a loop, and of numbers."""

    def forward(self, x):
        chosen: List[Tensor] = [torch.zeros(4)]
        both: List[Tensor] = []
        all_rows: List[Tensor] = []
        sums: List[float] = []
        for t in range(x.size(0)):
            if bool(x[t].sum() > 0):
                chosen.append(x[t, 0])
            both.append(x[t])
            both.append(-x[t])
            for b in range(x.size(1)):
                all_rows.append(x[t, b] * b)
            sums.append(float(x[t].sum()))
        return torch.stack(chosen), torch.stack(both), torch.stack(all_rows), torch.tensor(sums)


class LoopUntil(nn.Module):
    """Looks at the list that it appends to, and leaves in the middle."""

    def forward(self, x):
        y = x.sum(0)
        frames: List[Tensor] = []
        while True:
            y = y * 0.9
            frames.append(y)
            if bool(y.abs().max() < 0.5):
                break
            elif len(frames) == 20:
                break
        return torch.stack(frames), frames[-1], torch.stack(frames[::-1])


class LoopReturn(nn.Module):
    """Returns out of a loop."""

    def forward(self, x):
        for t in range(x.size(0)):
            if bool(x[t, 0, 0] > 0.5):
                return x[t] * 2
        return x[0]


def tensors_in(result):
    return [result] if isinstance(result, Tensor) else list(result)


def write_safetensors(path, tensors):
    names = {torch.float32: "F32", torch.int64: "I64"}
    header, data = {}, b""
    for name, tensor in tensors.items():
        part = tensor.contiguous().numpy().tobytes()
        header[name] = dict(dtype=names[tensor.dtype], shape=list(tensor.shape), data_offsets=[len(data), len(data) + len(part)])
        data += part
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def record(folder, name, model):
    torch.manual_seed(0)
    tensors = {}
    for i, sizes in enumerate(SIZES):
        x = torch.randn(sizes["time"], sizes["batch"], 4)
        with torch.no_grad():
            results = tensors_in(model(x))
        tensors[f"case{i}/in/x"] = x
        tensors.update({f"case{i}/out/y{j}": y for j, y in enumerate(results)})
    write_safetensors(folder / f"{name}.cases.safetensors", tensors)
    torch.jit.script(model).save(str(folder / f"{name}.ts26.pt"))
    outputs = [dict(name=f"y{j}", dtype="float32", rank=y.dim(), example=list(y.shape), axes={})
               for j, y in enumerate(results)]
    return dict(name=name, torchscript_kind="script", note=model.__doc__,
                files=dict(ts_torch26=f"{name}.ts26.pt", cases=f"{name}.cases.safetensors"),
                valid_cases=dict(ts_torch26=[0, 1, 2]),
                inputs=[dict(name="x", dtype="float32", rank=3, example=[7, 2, 4], axes={"0": "time", "1": "batch"})],
                outputs=outputs, rtol=1e-4)


def main():
    folder = pathlib.Path(sys.argv[1])
    models = dict(loop_list_state=LoopListState, loop_dict_state=LoopDictState, loop_append=LoopAppend,
                  loop_until=LoopUntil, loop_return=LoopReturn)
    torch.manual_seed(1)
    recorded = [record(folder, name, make().eval()) for name, make in models.items()]
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    entries = [entry for entry in manifest["models"] if entry["name"] not in models] + recorded
    lines = ",\n".join(json.dumps(entry) for entry in entries)
    path.write_text(f'{{"description": {json.dumps(manifest["description"])},\n"models": [\n{lines}\n]}}\n')


main()

#!/usr/bin/env python3
"""Asks ONNX Runtime whether what CASES/described.json says of the models is so, and adds what it measured.

    tools/make_check_models.py FOLDER --cases CASES     (Debian 12: torch 1.13, onnx 1.12)
    tools/run_check_models.py FOLDER CASES              (Debian 13: onnxruntime 1.21)

Each model runs at every size of its cases, without ONNX Runtime's optimizations, as the file means it, and with them,
as users run it; where the two differ, `optimizations_change` says so. Judged is what runs without, or, if the model
says so, with them. A run is

    right          it gives what PyTorch gives
    fails          ONNX Runtime refuses; `blames` is the node that it names
    wrong size     it runs, and an output has another size than PyTorch's
    wrong values   the sizes are PyTorch's, and the values are not
    torch refuses  it runs where PyTorch does not
    dies           the process ends by a signal, or does not come back; sizes of zero are known to do that

The program ends with 1 and a list of what is not as expected.
"""

import json
import multiprocessing
import pathlib
import re
import resource
import signal
import sys

import numpy as np
import onnxruntime as ort

WRONG = {"wrong size", "wrong values", "torch refuses"}
SECONDS, MEMORY = 20, 4 << 30  # for what may not come back


def isolated(function, *arguments, memory=None):
    """What the function returns in a process of its own; or a sentence on how that ended. A generator is asked for
    its last value, so that it can say how far it came."""
    def work(pipe):
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        for result in function(*arguments):
            pipe.send(result)

    receiver, sender = multiprocessing.Pipe(False)
    child = multiprocessing.get_context("fork").Process(target=work, args=(sender,))
    child.start()
    sender.close()
    result, ending = None, None
    try:
        while receiver.poll(SECONDS):
            result = receiver.recv()
        ending = f"does not come back within {SECONDS} s"
        child.kill()
    except EOFError:
        pass
    child.join()
    if ending is None and child.exitcode:
        ending = f"the process dies: {signal.Signals(-child.exitcode).name if child.exitcode < 0 else child.exitcode}"
    return result, ending


def session(path, optimized=True):
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    if not optimized:
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def run_point(running, inputs, point, meant, random):
    """The result of one run, and the sizes of the outputs or the error."""
    try:
        outputs = running.run(None, inputs)
    except Exception as error:  # the classes of onnxruntime share no base but this
        return "fails", str(error)
    shapes = [list(np.shape(output)) for output in outputs]
    if point["torch"] == "refused":
        return "torch refuses", shapes
    if meant and shapes != [list(array.shape) for array in meant]:
        return "wrong size", shapes
    if meant and not random and not all(np.allclose(a, b, 1e-3, 1e-4, equal_nan=True) for a, b in zip(outputs, meant)):
        return "wrong values", shapes
    return "right", shapes


def predict(axis, sizes):
    """What the verdict on an axis says of a run: a result, or "mixed"."""
    size, kind = sizes[axis["symbol"]], axis["verdict"]
    if kind in ("free", "never"):
        return "right" if kind == "free" else "fails"
    if kind == "linked":
        return "right" if eval(axis["rule"], {}, sizes) else axis["otherwise"]
    if str(size) in axis["at"]:
        return axis["at"][str(size)]
    lo, hi = (axis["to"], axis["to"]) if kind == "nailed" else (axis["lo"], axis["hi"])
    if size < lo:
        return axis["below"]
    if hi is not None and size > hi:
        return axis["above"]
    return "right" if kind == "nailed" or size % axis["multiple_of"] == 0 else axis["between"]


def agrees(result, predictions, strict):
    if all(p == "right" for p in predictions):
        return result == "right"
    if strict and "mixed" not in predictions:
        return result in set(predictions) - {"right"}
    return result != "right"


def true_sizes(model, sizes, shapes):
    """Whether the formulas for the axes of the outputs give the sizes that came out."""
    for described, shape in zip(model["outputs"].values(), shapes):
        if described["is"] is None:
            continue
        if len(shape) != len(described["is"]):
            return False
        if any(formula != "*" and eval(formula, {"min": min, "max": max, "int": int}, sizes) != size
               for formula, size in zip(described["is"], shape)):
            return False
    return True


def blame(error):
    """The node that ONNX Runtime names: its name, or the operator if it has none."""
    found = re.search(r"running (\w+) node\. Name:'([^']*)'", error)
    return {"op": found[1], "node": found[2]} if found else None


def case(model, about, arrays, number):
    """The inputs of a run, and what PyTorch answered."""
    inputs = {}
    for name in model["inputs"]:
        array = arrays[f"{number}/in/{name}"]
        array = array.astype(object) if array.dtype.kind == "U" else array
        inputs[name] = list(array) if name in about["sequences"] else array
    answered = about["points"][number]["torch"] == "answers"
    return inputs, [arrays[f"{number}/out/{output}"] for output in model["outputs"]] if answered else None


def run_alone(path, *arguments):
    yield run_point(session(path), *arguments)[0]


def measure(name, model, folder, cases):
    """What was measured of a model, and what is not as expected."""
    about = json.loads((cases / (name + ".json")).read_text())
    arrays = np.load(cases / (name + ".npz"))
    path = cases / (name + ".onnx") if (cases / (name + ".onnx")).exists() else folder / model["file"]
    optimized, plain = session(path), session(path, False)
    axes = [axis for port in model["inputs"].values() for axis in port["axes"]]
    sweeps, together, zero, differs, wrong, blames = {}, [], {}, [], [], []
    error_seen = None
    for number, point in enumerate(about["points"]):
        sizes = point["sizes"]
        inputs, meant = case(model, about, arrays, number)
        if point["vary"] == "zero":
            symbol = next(s for s, size in sizes.items() if size == 0)
            came, ending = isolated(run_alone, path, inputs, point, meant, about["random"])
            zero[symbol] = "dies" if ending else came
            continue
        result, found = run_point(plain, inputs, point, meant, about["random"])
        other, other_found = run_point(optimized, inputs, point, meant, about["random"])
        if model.get("judged") == "optimized":
            result, found, other, other_found = other, other_found, result, found
        if result != other or (result != "fails" and found != other_found):
            differs.append({"sizes": sizes, "judged": result, "other": other, "shapes": None if other == "fails" else other_found})
        if result == "fails":
            error_seen = error_seen or found
            for who in (blame(found), blame(other_found) if other == "fails" else None):
                if who and who not in blames:
                    blames.append(who)
        if point["vary"] == "together":
            together.append({**sizes, "result": result})
        elif point["vary"]:
            sweeps.setdefault(point["vary"], {}).setdefault(result, []).append(sizes[point["vary"]])
        predictions = [predict(axis, sizes) for axis in axes if axis["symbol"] in sizes]
        if not agrees(result, predictions, point["vary"] not in (None, "together")):
            wrong.append(f"{name} {sizes}: {result}, expected {sorted(set(predictions))}; {str(found)[:230]}")
        if result != "fails" and not true_sizes(model, sizes, found):
            wrong.append(f"{name} {sizes}: sizes {found}, expected {[o['is'] for o in model['outputs'].values()]}")
    measured = {"sizes": sweeps, "zero": zero}
    if together:
        measured["together"] = together
    if error_seen:
        measured["error"] = error_seen[:400]
        measured["blames"] = blames
    if differs:
        measured["optimizations_change"] = differs
    return measured, wrong


def load(path):
    """How far a broken file comes, and what ONNX Runtime says."""
    yield {"stage": "load", "says": ""}
    try:
        running = session(path)
    except Exception as error:
        yield {"stage": "load", "says": str(error)[:400]}
        return
    yield {"stage": "run", "says": ""}
    inputs = {port.name: np.ones([size if isinstance(size, int) and 0 < size < 99 else 8 if size == "n" else 2
                                  for size in port.shape], np.float32)
              for port in running.get_inputs()}
    try:
        yield {"stage": "run", "says": f"accepted, gives {[output.shape for output in running.run(None, inputs)]}"}
    except Exception as error:
        yield {"stage": "run", "says": str(error)[:400]}


def json_text(expected):
    """JSON with what is innermost on one line."""
    text = json.dumps(expected, indent=1)
    for _ in range(2):
        text = re.sub(r"[\[{][^\[\]{}]{1,400}[\]}]", lambda found: re.sub(r"\n\s*", " ", found[0]), text)
    return text + "\n"


def main():
    folder, cases = map(pathlib.Path, sys.argv[1:3])
    expected = json.loads((cases / "described.json").read_text())
    expected["onnxruntime"] = ort.__version__
    wrong = []
    for name, model in expected["models"].items():
        model["measured"], problems = measure(name, model, folder, cases)
        wrong += problems
    for broken in expected["broken"].values():
        broken["measured"], ending = isolated(load, folder / broken["file"], memory=MEMORY)
        if ending:
            broken["measured"]["says"] = ending
    (cases / "described.json").write_text(json_text(expected))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

"""The Python module: its examples, and what an example does not show.

    VOXPORT_LIBRARY=build/release/libvoxport.so.0 /usr/bin/python3 tests/python/test_voxport.py build/release/voxport

Exits with 77 where there is no ONNX Runtime, without which hardly anything here could run.
"""

import array
import concurrent.futures
import contextlib
import ctypes
import doctest
import gc
import io
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import warnings
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
DATA = PROJECT / "tests" / "data"
sys.path.insert(0, str(PROJECT / "python"))

import voxport
from voxport import _check, _errors, _export, _graph, _inspect, _library, _torch, _voice

try:
    import torch
except ImportError:
    torch = None
try:
    import numpy
except ImportError:
    numpy = None

# The tests run in a folder of their own.
PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "voxport"
NEEDS_TORCH = unittest.skipUnless(torch, "PyTorch is not installed")
NEEDS_NUMPY = unittest.skipUnless(numpy, "NumPy is not installed")
NEEDS_ESPEAK = unittest.skipUnless(shutil.which("espeak-ng"), "espeak-ng is not installed")


def letters_config():
    """A voice whose phonemes are letters, so that it needs no espeak-ng."""
    ids = {"_": [0], "^": [1], "$": [2], " ": [3], ".": [4]}
    ids.update({chr(ord("a") + i): [10 + i] for i in range(26)})
    return {"audio": {"sample_rate": 22050}, "phoneme_type": "text", "phoneme_id_map": ids, "num_symbols": 48}


def prepare_folder():
    """What the examples expect around them."""
    for file in ("linear.pt2", "rnn.pt2"):
        shutil.copy(DATA / "docs" / file, file)
    for file in ("baked-reshape.onnx", "full.onnx"):
        shutil.copy(DATA / "onnx" / file, file)
    os.symlink(PROJECT / "voices", "voices")
    Path("letters.json").write_text(json.dumps(letters_config()))
    voxport.export(DATA / "voices" / "single.ckpt", "voice", configs=["letters.json"], check=False)


def load_tests(loader, tests, pattern):
    for module in (voxport, _check, _errors, _export, _graph, _inspect, _voice):
        tests.addTests(doctest.DocTestSuite(module))
    tests.addTests(doctest.DocFileSuite(str(PROJECT / "docs" / "python.md"), module_relative=False))
    return tests


def run_python(*arguments, **environment):
    """Runs Python with this module, and no variables of ours but those that are given."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("VOXPORT_")}
    ours["PYTHONPATH"] = str(PROJECT / "python")
    return subprocess.run([sys.executable, *arguments], env={**ours, **environment}, text=True, capture_output=True)


@contextlib.contextmanager
def hidden(module):
    """As if it were not installed."""
    before = sys.modules.get(module)
    sys.modules[module] = None
    try:
        yield
    finally:
        sys.modules.pop(module)
        if before:
            sys.modules[module] = before


class Library(unittest.TestCase):
    PRINT_VERSION = "import voxport; print(voxport.version(), voxport._library.library()._name)"

    def test_that_was_chosen_and_cannot_be_loaded_is_an_error(self):
        result = run_python("-c", "import voxport; voxport.version()", VOXPORT_LIBRARY="/nonexistent.so")
        self.assertIn("voxport.Error: cannot load voxport's library; VOXPORT_LIBRARY may name it\n  /nonexistent.so: ",
                      result.stderr)

    def test_that_is_another_one_is_an_error(self):
        result = run_python("-c", "import voxport; voxport.version()", VOXPORT_LIBRARY="libz.so.1")
        self.assertIn("voxport.Error: libz.so.1 has no voxport_version(); it is older than this module", result.stderr)

    def test_is_found_in_the_build_tree(self):
        built = PROJECT / "build" / "release" / "libvoxport.so.0"
        if not built.exists():
            self.skipTest("this is another build")
        self.assertEqual(run_python("-c", self.PRINT_VERSION).stdout, f"{voxport.version()} {built}\n")

    def test_is_found_on_the_system(self):
        library = Path(_library.library()._name).resolve()
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(PROJECT / "python" / "voxport", Path(folder) / "voxport")
            (Path(folder) / "system").mkdir()
            (Path(folder) / "system" / "libvoxport.so.0").symlink_to(library)
            result = run_python("-c", self.PRINT_VERSION, PYTHONPATH=folder, LD_LIBRARY_PATH=f"{folder}/system")
            self.assertEqual(result.stdout, f"{voxport.version()} libvoxport.so.0\n")

    def test_is_found_beside_the_module(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(PROJECT / "python" / "voxport", Path(folder) / "voxport")
            library = Path(folder).resolve() / "voxport" / "libvoxport.so.0"
            library.symlink_to(Path(_library.library()._name).resolve())
            result = run_python("-c", self.PRINT_VERSION, PYTHONPATH=folder)
            self.assertEqual(result.stdout, f"{voxport.version()} {library}\n")

    def test_has_the_structs_of_the_module(self):
        voice = voxport.Voice("voice")
        none = _library.Callbacks()
        calls = {
            _library.ExportOptions: lambda given: _library.CReport("voxport_export", b"linear.pt2", b"x.onnx", given, callbacks=none),
            _library.CheckOptions: lambda given: _library.CReport("voxport_check", b"full.onnx", given, callbacks=none),
            _library.InspectOptions: lambda given: _library.CReport("voxport_inspect", b"linear.pt2", given, callbacks=none),
            _library.ScanOptions: lambda given: _library.CReport("voxport_scan", b"linear.pt2", given, callbacks=none),
            _library.GraphOptions: lambda given: _library.call("voxport_graph_open", b"full.onnx", given,
                                                               ctypes.byref(ctypes.c_void_p())),
            _library.VoiceOptions: lambda given: _library.call("voxport_voice_open", b"voice", given,
                                                               ctypes.byref(ctypes.c_void_p())),
            _library.SayOptions: lambda given: _library.call("voxport_say", voice._handle._handle, b"hello",
                                                             given, ctypes.byref(ctypes.c_void_p())),
        }
        for kind, call in calls.items():
            class Newer(ctypes.Structure):
                _fields_ = [("ours", kind), ("later", ctypes.c_uint64)]
            newer = Newer(later=1)
            newer.ours.struct_size = ctypes.sizeof(Newer)
            # The message says how long the library's own struct is.
            with self.assertRaisesRegex(voxport.Error, f"expected up to {ctypes.sizeof(kind)}$", msg=kind.__name__):
                call(ctypes.cast(ctypes.pointer(newer), ctypes.POINTER(kind)))


class Telemetry(unittest.TestCase):
    def test_of_onnx_runtime_leaves_nothing_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("home", "tmp"):
                os.mkdir(os.path.join(folder, name))
            script = "import voxport; assert voxport.check('full.onnx'); list(voxport.Voice('voice').say('hello'))"
            result = run_python("-B", "-c", script, HOME=os.path.join(folder, "home"),
                                TMPDIR=os.path.join(folder, "tmp"), XDG_CACHE_HOME="", ORT_DISABLE_TELEMETRY="0",
                                VOXPORT_LIBRARY=_library.library()._name)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertEqual(sorted(path.name for path in Path(folder).rglob("*")), ["home", "tmp"])


class Export(unittest.TestCase):
    def test_tells_its_stages(self):
        stages = []
        voxport.export("linear.pt2", "stages.onnx", check=False, on_stage=lambda *stage: stages.append(stage))
        self.assertIn("read the program", [name for name, _, _ in stages])
        self.assertTrue(all(seconds >= 0 for _, _, seconds in stages))

    def test_raises_what_a_callback_raises(self):
        def fail(*_):
            raise ValueError("enough")
        with self.assertRaisesRegex(ValueError, "enough"):
            voxport.export("linear.pt2", "callback.onnx", check=False, on_stage=fail)
        with self.assertRaisesRegex(ValueError, "enough"):
            voxport.export("rnn.pt2", "callback.onnx", dynamic={"x": {2: "features"}}, on_stage=fail)
        with self.assertRaisesRegex(ValueError, "enough"):
            voxport.Voice("voice", on_stage=fail)

    def test_fails_as_the_command_line_does(self):
        with self.assertRaises(voxport.Error) as raised:
            voxport.export("rnn.pt2", "it.onnx", dynamic={"x": {2: "features"}})
        self.assertEqual((raised.exception.code, raised.exception.option), (voxport.Error.CHECK_FAILED, "allow_fixed"))
        printed = subprocess.run([PROGRAM, "export", "rnn.pt2", "it.onnx", "--dynamic", "x:2=features"], text=True,
                                 capture_output=True).stderr
        self.assertEqual(f"voxport: {raised.exception}\n  see --allow-fixed\n", printed)
        self.assertFalse(Path("it.onnx").exists())

    def test_refuses_names_of_axes_that_are_none(self):
        for axes, message in (({0: 5}, "an axis is called 5, expected a name such as 'batch'"),
                              ({0: "5"}, "an axis is called '5', expected a name"),
                              ({0: "a,b"}, "an axis is called 'a,b', expected a name"),
                              ({"0": "batch"}, "dynamic is .*, expected names by input and number of its axis"),
                              (["batch"], "dynamic is .*, expected names by input and number of its axis")):
            with self.assertRaisesRegex(voxport.Error, message) as raised:
                voxport.export("linear.pt2", "it.onnx", dynamic={"x": axes})
            self.assertEqual((raised.exception.code, raised.exception.option), (voxport.Error.USAGE, "dynamic"))

    def test_errors_reach_other_processes(self):
        error = pickle.loads(pickle.dumps(voxport.Error(voxport.Error.UNREADABLE, "no such file", "cache")))
        self.assertEqual((error.code, str(error), error.option), (3, "no such file", "cache"))

    def test_passes_every_kind_of_option_on(self):
        with self.assertRaisesRegex(voxport.Error, "upsample_rates"):
            voxport.export(DATA / "voices" / "single.ckpt", "it", hyper_parameters={"upsample_rates": "nonsense"})
        with self.assertRaisesRegex(voxport.Error, "'/nonexistent.json'"):
            voxport.export(DATA / "voices" / "single.ckpt", "it", configs="/nonexistent.json")
        with self.assertWarnsRegex(UserWarning, "features is fixed at 8|fixed at 8"):
            voxport.export("rnn.pt2", "fixed.onnx", dynamic={"x": {2: "features"}}, allow_fixed=True, check=False)
        with self.assertRaisesRegex(voxport.Error, "duration_control is 'long', expected one of best, truncated"):
            voxport.export("linear.pt2", "it.onnx", duration_control="long")
        with self.assertRaisesRegex(voxport.Error, "an example of inputs belongs to a torch.nn.Module"):
            voxport.export("linear.pt2", "it.onnx", (1,))
        self.assertEqual(voxport.export("linear.pt2", "it.onnx", opset=20, check=False).opset, 20)
        report = voxport.export(DATA / "voices" / "single.ckpt", "shared", share_weights=True, check=False)
        self.assertEqual([file.suffix for file in report.files], [".onnx"] * 3 + [".data", ".json"])
        Path("it.onnx").unlink()


@NEEDS_TORCH
class Module(unittest.TestCase):
    def module(self, forward):
        class Network(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = torch.nn.Linear(10, 5)
                self.rnn = torch.nn.GRU(5, 4, batch_first=True)
        Network.forward = forward
        torch.manual_seed(0)
        return Network().eval()

    def test_gives_the_numbers_of_pytorch(self):
        def forward(self, x, scale):
            return self.rnn(torch.relu(self.linear(x)))[0] * scale
        module = self.module(forward)
        x, scale = torch.randn(2, 7, 10), torch.tensor([2.0])
        report = voxport.export(module, "module.onnx", (x, scale), dynamic={"x": {0: "batch", 1: "time"}},
                                output_names=["y"])
        self.assertEqual(report.inputs, ["x: float32[batch, time, 10]", "scale: float32[1]"])
        self.assertEqual(report.outputs, ["y: float32[batch, time, 4]"])
        cases = []
        for shape in ((2, 7, 10), (1, 1, 10), (5, 23, 10)):
            x = torch.randn(shape)
            cases.append(voxport.Case({"x": x, "scale": scale}, {"y": module(x, scale)}))
        # The same sums of some ten products of float32, in another order.
        report = voxport.check("module.onnx", cases=cases, tolerance=1e-6, strict=True)
        self.assertEqual([output.case for output in report.outputs], ["case0", "case1", "case2"])
        self.assertTrue(all(0 <= output.largest <= 1e-6 for output in report.outputs))
        self.assertTrue(report.axis("batch").dynamic and report.axis("time").dynamic)

        graph = voxport.Graph("module.onnx", threads=1)
        for case in cases:
            expected = case.outputs["y"].detach().numpy()
            for made in (graph(case.inputs["x"], scale), graph(scale=scale, x=case.inputs["x"]), graph.run(case.inputs)):
                self.assertEqual((list(made), made["y"].dtype), (["y"], expected.dtype))
                numpy.testing.assert_allclose(made["y"], expected, rtol=0, atol=1e-6)

        other = voxport.Case({"x": x, "scale": scale}, {"y": module(x, scale) + 1})
        report = voxport.check("module.onnx", quick=True, cases=[other])
        self.assertFalse(report.good)
        self.assertAlmostEqual(report.outputs[0].largest, 1, 5)
        self.assertRegex(report.faults[0], "in case 'case0', output 'y' differs by")

    def test_has_the_axes_that_are_named_and_no_others(self):
        module = self.module(lambda self, x, scale=None: self.linear(x) if scale is None else self.linear(x) * scale)
        x = torch.randn(2, 7, 10)

        def inputs_of(example, **options):
            return voxport.export(module, "named.onnx", example, check=False, **options).inputs
        self.assertEqual(inputs_of((x,), dynamic={"x": {-2: "time"}}), ["x: float32[2, time, 10]"])
        self.assertEqual(inputs_of((x,), inputs=["x:f32[batch,7,10]"], dynamic={"x": {1: "time"}}),
                         ["x: float32[batch, time, 10]"])
        self.assertEqual(inputs_of((x,), kwargs={"scale": torch.ones(1)}, dynamic={"x": {0: "batch"}}),
                         ["x: float32[batch, 7, 10]", "scale: float32[1]"])
        for axis in (3, -4):
            with self.assertRaisesRegex(voxport.Error, f"there is no axis {axis} in 'x', whose example is .2, 7, 10."):
                inputs_of((x,), dynamic={"x": {axis: "batch"}})

    def test_whose_axis_is_fixed_names_the_operator(self):
        def forward(self, x):
            batch, time, _ = x.shape
            return self.linear(x).reshape(batch, int(time) * 5)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", torch.jit.TracerWarning)
            with self.assertRaises(voxport.Error) as raised:
                voxport.export(self.module(forward), "it.onnx", (torch.randn(2, 7, 10),),
                               dynamic={"x": {0: "batch", 1: "time"}})
        self.assertEqual(raised.exception.code, voxport.Error.CHECK_FAILED)
        self.assertRegex(str(raised.exception),
                         r"time is fixed at 7 by aten\.reshape at .*\n  while exporting the module Network$")
        self.assertFalse(Path("it.onnx").exists())

    def test_needs_a_good_example(self):
        module = self.module(lambda self, x: self.linear(x))
        x = torch.randn(2, 10)
        for arguments, message in (
                (dict(), "a module is exported with an example of its inputs"),
                (dict(example=(x, x)), "the example does not fit forward"),
                (dict(example=(x,), dynamic={"z": {0: "batch"}}), "there is no input 'z' in the example; there are x")):
            with self.assertRaisesRegex(voxport.Error, message):
                voxport.export(module, "it.onnx", **arguments)
        with self.assertRaisesRegex(voxport.Error, "a module is exported with an example of its inputs"):
            voxport.export(module, "it.onnx", x)
        for other, message in ((None, "the input 'x' is a NoneType; a module that is traced takes tensors"),
                               (x.to(torch.complex64), "the input 'x' is of type torch.complex64, expected one of")):
            with self.assertRaisesRegex(voxport.Error, message):
                voxport.export(module, "it.onnx", (other,))
        with self.assertRaisesRegex(voxport.Error, "the module is TorchScript already; save"):
            voxport.export(torch.jit.trace(module, x), "it.onnx", (x,))
        with self.assertRaisesRegex(voxport.Error, "the module is in training mode; call its eval"):
            voxport.export(module.train(), "it.onnx", (x,))

    def test_of_the_worked_example_stays_dynamic(self):
        example = PROJECT / "python" / "examples" / "test_dynamic_axes.py"
        environment = {"VOXPORT_LIBRARY": _library.library()._name}
        result = run_python(str(example), **environment)
        self.assertEqual(result.returncode, 0, result.stderr)
        # The change that its comment warns of.
        broken = example.read_text().replace("frames.reshape(frames.shape[0], -1, 4, 2)", "frames.reshape(2, 7, 4, 2)")
        Path("test_broken_axes.py").write_text(broken)
        result = run_python("test_broken_axes.py", **environment)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertRegex(result.stderr, r"(?i)reshape")


class NewPyTorch(unittest.TestCase):
    """torch.export, played by an object: Debian's PyTorch has none."""

    def save(self, refuses_dynamic=False):
        asked = []

        def export(module, example, kwargs, dynamic_shapes=None):
            asked.append(dynamic_shapes)
            if refuses_dynamic and dynamic_shapes:
                raise RuntimeError("constraints violated")
            return "the program"

        played = types.SimpleNamespace(
            jit=types.SimpleNamespace(ScriptModule=str),
            export=types.SimpleNamespace(export=export, save=lambda program, path: Path(path).write_text(program),
                                         Dim=lambda name: f"Dim({name})"))
        module = types.SimpleNamespace(training=False, forward=lambda x, mask: x)
        before = sys.modules.get("torch")
        sys.modules["torch"] = played
        try:
            path, inputs = _torch.save_program(module, (1,), {"mask": 2}, {"x": {0: "batch"}}, Path("."))
        finally:
            if before is None:
                del sys.modules["torch"]
            else:
                sys.modules["torch"] = before
        self.assertEqual((path.name, path.read_text(), inputs), ("model.pt2", "the program", []))
        return asked

    def test_is_told_of_dynamic_axes(self):
        self.assertEqual(self.save(), [{"x": {0: "Dim(batch)"}, "mask": None}])

    def test_that_refuses_them_saves_the_example(self):
        self.assertEqual(self.save(refuses_dynamic=True), [{"x": {0: "Dim(batch)"}, "mask": None}, None])


class Check(unittest.TestCase):
    def test_gives_what_a_test_can_assert_on(self):
        progress = []
        report = voxport.check("baked-reshape.onnx", quick=True, sizes=[2, 7, 9], seconds=30,
                               on_progress=progress.append)
        self.assertFalse(report)
        self.assertEqual([(axis.name, axis.text, axis.dynamic) for axis in report.axes],
                         [("batch_size", "fixed at 2", False), ("time", "fixed at 7", False)])
        self.assertEqual(report.axis("time").places, [("x", 1)])
        self.assertTrue(progress and 0 <= min(progress) <= max(progress) <= 1)
        self.assertIn("FAIL: batch_size is fixed at 2", repr(report))
        with self.assertRaisesRegex(KeyError, "there is no axis 'z'; there are batch_size, time"):
            report.axis("z")
        with self.assertRaisesRegex(voxport.Error, "Reshape '/Reshape'") as raised:
            voxport.check("baked-reshape.onnx", quick=True, strict=True)
        self.assertEqual(raised.exception.code, voxport.Error.CHECK_FAILED)

    def test_is_ended_by_an_interrupt_whatever_calls_back(self):
        script = """if True:
            import os, signal, threading, voxport
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
            try:
                for _ in range(1000):
                    voxport.check("full.onnx", on_progress=lambda done: None)
            except KeyboardInterrupt:
                print("interrupted", signal.getsignal(signal.SIGINT) is signal.default_int_handler)
            """
        ended = run_python("-c", script, VOXPORT_LIBRARY=_library.library()._name)
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "interrupted True\n", ""))

    def test_shows_itself_in_a_notebook(self):
        page = voxport.check("baked-reshape.onnx", quick=True)._repr_html_()
        self.assertTrue(page.startswith("<iframe srcdoc=\"&lt;!doctype html&gt;"), page[:100])
        self.assertIn("/Reshape", page)
        self.assertEqual(page.count("<"), 2)  # of the page inside, none

    @NEEDS_NUMPY
    def test_compares_cases(self):
        x = numpy.zeros((3, 5, 4), numpy.complex64)
        with self.assertRaisesRegex(voxport.Error, "'case0/in/x' has the type complex64, expected one of float64"):
            voxport.check("full.onnx", cases=[voxport.Case({"x": x}, {})])

    def test_refuses_what_makes_no_sense(self):
        with self.assertRaisesRegex(voxport.Error, "there is no input 'z'"):
            voxport.check("full.onnx", inputs={"z": "0..9"})
        with self.assertRaisesRegex(voxport.Error, "'/nonexistent.safetensors'"):
            voxport.check("full.onnx", references="/nonexistent.safetensors")
        with self.assertRaisesRegex(voxport.Error, "the tolerance is -1"):
            voxport.check("full.onnx", tolerance=-1)


class Graph(unittest.TestCase):
    def tokens(self, *shape):
        count = 1
        for size in shape:
            count *= size
        return memoryview(array.array("q", range(count))).cast("B").cast("q", shape)

    def test_gives_the_same_with_and_without_numpy(self):
        graph = voxport.Graph("full.onnx", threads=1)
        made = graph(self.tokens(2, 3))["output_mel"]
        with hidden("numpy"):
            without = graph(self.tokens(2, 3))["output_mel"]
        self.assertEqual((type(without), without.shape, without.format), (memoryview, (2, 3, 80), "f"))
        self.assertEqual(memoryview(made).tobytes(), without.tobytes())

    @NEEDS_NUMPY
    def test_takes_arrays_of_any_layout(self):
        graph = voxport.Graph("full.onnx", threads=1)
        tokens = numpy.arange(6).reshape(3, 2)
        made = graph(tokens.T)["output_mel"]
        numpy.testing.assert_array_equal(made, graph(numpy.ascontiguousarray(tokens.T))["output_mel"])
        made *= 2  # it is the caller's own
        self.assertEqual(graph(numpy.zeros((2, 0), numpy.int64))["output_mel"].shape, (2, 0, 80))

    def test_refuses_what_does_not_fit(self):
        graph = voxport.Graph("full.onnx")
        for call, message in (
                (lambda: graph(), r"missing +input_tokens: int64 \[batch_size, sequence_length\]"),
                (lambda: graph(self.tokens(2, 3), self.tokens(2, 3)), "was given 2 inputs, expected input_tokens"),
                (lambda: graph(self.tokens(2, 3), input_tokens=1), "the input 'input_tokens' is given twice"),
                (lambda: graph(tokens=self.tokens(2, 3)), "tokens"),
                (lambda: graph([1, 2]), "the input 'input_tokens' is of type list, expected an array or a tensor"),
                (lambda: graph(array.array("f", [1])), "float32"),
                (lambda: graph(self.tokens(6)), r"found \[6\], expected \[batch_size, sequence_length\]"),
                (lambda: graph.run({"a\0": self.tokens(6)}), "the name of an input has a zero byte at 1")):
            with self.assertRaisesRegex(voxport.Error, message) as raised:
                call()
            self.assertEqual(raised.exception.code, voxport.Error.USAGE)
        for options, message in ((dict(threads=-1), "-1 threads"), (dict(threads=1025), "1025 threads, expected 1 to 1024"), (dict(seconds=-1), "a run may take -1 s")):
            with self.assertRaisesRegex(voxport.Error, message):
                voxport.Graph("full.onnx", **options)
        with self.assertRaises(voxport.Error) as raised:
            voxport.Graph("/nonexistent")
        self.assertEqual(raised.exception.code, voxport.Error.UNREADABLE)

    def test_can_be_closed_while_others_run_it(self):
        graph = voxport.Graph("full.onnx", threads=1)

        def run():
            with self.assertRaisesRegex(voxport.Error, "the graph is closed"):
                while True:
                    graph(self.tokens(10, 10))
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            running = [pool.submit(run) for _ in range(3)]
            time.sleep(0.1)
            graph.close()
            for one in running:
                one.result(timeout=60)


class Voice(unittest.TestCase):
    TEXT = "Hello there. Good day."

    @classmethod
    def setUpClass(cls):
        cls.voice = voxport.Voice("voice", threads=1)

    def say(self, *arguments, **options):
        return b"".join(piece.pcm16() for piece in self.voice.say(*arguments, **options))

    def assert_same(self, one, other):
        """The last bit depends on how a sentence was cut, and that on who had to wait."""
        one, other = array.array("h", one), array.array("h", other)
        self.assertEqual(len(one), len(other))
        self.assertGreater(len(one), 0)
        self.assertLessEqual(max(abs(a - b) for a, b in zip(one, other)), 1)

    def test_says_in_pieces_what_it_says_at_once(self):
        streamed = self.say(self.TEXT)
        printed = subprocess.run([PROGRAM, "speak", "voice", self.TEXT, "--raw", "--threads", "1", "--quiet"],
                                 capture_output=True).stdout
        self.assertGreater(len(streamed), 10000)
        self.assert_same(streamed, printed)
        sentences = list(self.voice.say(self.TEXT, one_shot=True))
        self.assertEqual([(piece.text, piece.is_last) for piece in sentences],
                         [("Hello there.", True), ("Good day.", True)])
        self.assert_same(b"".join(piece.pcm16() for piece in sentences), streamed)

    def test_tells_when_phonemes_are_spoken(self):
        pieces = [piece for piece in self.voice.say(self.TEXT, sentence_silence=0.25) if piece.text]
        self.assertEqual(pieces[0].start, 0)
        self.assertAlmostEqual(pieces[1].start, pieces[0].end + 0.25, 4)  # to a sample
        phonemes = pieces[1].phonemes
        self.assertEqual("".join(phoneme.symbol for phoneme in phonemes), "^good day.$")
        for before, after in zip(phonemes, phonemes[1:]):
            self.assertAlmostEqual(before.end, after.start)

    def test_takes_ids_and_phonemes(self):
        phonemes = self.say(phonemes="he", seed=3)
        self.assert_same(self.say(ids=[1, 0, 17, 0, 14, 0, 2], seed=3), phonemes)
        self.assertNotEqual(len(self.say(phonemes="he", seed=3, length_scale=2)), len(phonemes))

    def test_gives_arrays_with_and_without_numpy(self):
        if numpy:
            samples = next(self.voice.say("hello")).samples
            self.assertEqual((type(samples), samples.dtype), (numpy.ndarray, numpy.float32))
            samples *= 2  # it is the caller's own
        with hidden("numpy"):
            piece = next(self.voice.say("hello"))
        self.assertEqual((type(piece.samples), piece.samples.typecode), (array.array, "f"))
        self.assertEqual(len(piece.pcm16()), 2 * len(piece.samples))

    def test_can_be_cancelled_and_closed(self):
        stream = self.voice.say("One. Two. Three. Four.")
        next(stream)
        thread = threading.Thread(target=stream.cancel)
        thread.start()
        thread.join()
        self.assertEqual(list(stream), [])
        stream.close()
        stream.close()
        self.assertEqual((list(stream), stream.notes), ([], []))
        with voxport.Voice("voice") as voice, voice.say("Hello.") as stream:
            voice.close()
            self.assertTrue(list(stream))  # goes on without the voice
            with self.assertRaisesRegex(voxport.Error, "the voice is closed"):
                voice.say("hello")

    def test_speaks_on_several_threads(self):
        said = [None] * 3

        def speak(number):
            said[number] = self.say(self.TEXT)
        threads = [threading.Thread(target=speak, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assert_same(said[0], said[1])
        self.assert_same(said[0], said[2])

    def test_can_be_closed_while_others_use_it(self):
        text = "The quick brown fox jumps over the lazy dog. " * 50
        for delay in (0, 0.02, 0.1):
            stream = self.voice.say(text)
            with concurrent.futures.ThreadPoolExecutor(3) as pool:
                listeners = [pool.submit(list, stream) for _ in range(3)]
                time.sleep(delay)
                stream.close()
                for listener in listeners:
                    listener.result(timeout=60)
        voice = voxport.Voice("voice", threads=1)

        def speak():
            with self.assertRaisesRegex(voxport.Error, "the voice is closed"):
                while True:
                    next(voice.say("hello"))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            speaking = [pool.submit(speak) for _ in range(2)]
            time.sleep(0.1)
            voice.close()
            for one in speaking:
                one.result(timeout=60)

    def test_is_given_back_when_an_iterator_is_dropped(self):
        for _ in range(20):
            for _ in self.voice.say("One. Two. Three. Four."):
                break
        gc.collect()
        self.assertTrue(self.say("hello"))

    def test_is_not_used_by_a_forked_process(self):
        script = """if True:
            import os, sys, voxport
            voice = voxport.Voice("voice")
            stream = voice.say("One. Two.")
            next(stream)
            child = os.fork()
            said = ""
            for use in (lambda: voice.say("hello"), lambda: next(stream)):
                try:
                    use()
                    said += "used\\n"
                except voxport.Error as error:
                    said += f"{error}\\n"
            os.write(1, said.encode())  # at once, so that the lines of both stay whole
            stream.cancel()
            stream.close()
            if child:
                sys.exit(os.waitpid(child, 0)[1])
            """
        # Newer Pythons warn whoever forks while there are threads.
        forked = run_python("-W", "ignore::DeprecationWarning", "-c", script, VOXPORT_LIBRARY=_library.library()._name)
        self.assertEqual((forked.returncode, forked.stderr), (0, ""))
        error = "the process was forked, and its threads are not there; open the model anew"
        self.assertEqual(sorted(forked.stdout.splitlines()), [error, error, "used", "used"])

    def test_lets_python_end_while_a_thread_speaks(self):
        script = """if True:
            import threading, voxport
            voice = voxport.Voice("voice")
            stream = voice.say("The quick brown fox jumps over the lazy dog. " * 200)
            next(stream)
            threading.Thread(target=lambda: list(stream), daemon=True).start()
            """
        ended = run_python("-c", script, VOXPORT_LIBRARY=_library.library()._name)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_refuses_what_c_would_cut_off(self):
        for arguments, message in (
                (dict(text="hello\0world"), "text has a zero byte at 5, expected none"),
                (dict(phonemes="a\ud800"), "phonemes has half of a surrogate pair at character 1"),
                (dict(text=b"hello"), "text is of type bytes, expected str"),
                (dict(text="a", speaker="x\0"), "speaker has a zero byte at 1"),
                (dict(text="a", seed=-1), "seed is -1, which is out of range"),
                (dict(text="a", seed=2**64), "seed is 18446744073709551616, which is out of range"),
                (dict(ids=[1, 2**64 + 17]), "ids is 18446744073709551633, which is out of range")):
            with self.assertRaisesRegex(voxport.Error, message):
                self.voice.say(**arguments)
        for options, message in ((dict(threads=2**32 + 1), "threads is 4294967297, which is out of range"),
                                 (dict(threads=-1), "a voice is to run on -1 threads, expected 1 to 1024"),
                                 (dict(threads=1025), "a voice is to run on 1025 threads, expected 1 to 1024")):
            with self.assertRaisesRegex(voxport.Error, message):
                voxport.Voice("voice", **options)
        with self.assertRaisesRegex(voxport.Error, "the path has a zero byte at 8, expected none"):
            voxport.inspect("rnn.pt2 \0")
        with self.assertRaisesRegex(voxport.Error, "sizes is 18446744073709551618, which is out of range"):
            voxport.check("full.onnx", sizes=[2**64 + 2])

    @NEEDS_NUMPY
    def test_takes_numbers_of_numpy(self):
        ids = [1, 0, 17, 0, 14, 0, 2]
        self.assert_same(self.say(ids=numpy.array(ids), seed=numpy.int64(3)), self.say(ids=iter(ids), seed=3))

    def test_refuses_what_it_does_not_have(self):
        for arguments, message in (
                (dict(text="a", ids=[1]), "say\\(\\) takes one of text, ids and phonemes"),
                (dict(text="a", speaker="nobody"), "there is no speaker 'nobody'"),
                (dict(text="a", length_scale=-1), "the length scale is -1"),
                (dict(text="a", pitch=1), "this voice has no pitch control")):
            with self.assertRaisesRegex(voxport.Error, message):
                self.voice.say(**arguments)
        with self.assertRaisesRegex(voxport.Error, "99999"):
            list(self.voice.say(ids=[1, 99999]))
        with self.assertRaisesRegex(voxport.Error, "the decoder is 'new', expected one of best, cached, context"):
            voxport.Voice("voice", decoder="new")
        with self.assertRaisesRegex(voxport.Error, "has its config in it; another one was given") as raised:
            voxport.Voice("voice", config="letters.json")
        self.assertEqual(raised.exception.option, "config")
        with self.assertRaises(voxport.Error) as raised:
            voxport.Voice("/nonexistent")
        self.assertEqual(raised.exception.code, voxport.Error.UNREADABLE)

    def test_notes_what_was_left_out(self):
        with self.voice.say("h\u00e9llo") as stream:
            list(stream)
            self.assertRegex(stream.notes[0], "the voice has no symbol .*, which is left out")


class Readme(unittest.TestCase):
    @NEEDS_ESPEAK
    def test_shows_a_script_that_runs(self):
        blocks = re.findall(r"```python\n(.*?)```", (PROJECT / "README.md").read_text(), re.S)
        (script,) = [block for block in blocks if "import voxport" in block]
        self.assertLessEqual(len(script.splitlines()), 10)
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(script, "README.md", "exec"), {})
        self.assertGreater(Path("hello.wav").stat().st_size, 16000)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        shutil.copy(DATA / "onnx" / "full.onnx", "full.onnx")
        try:
            voxport.check("full.onnx", quick=True)
        except voxport.Error as error:
            if "ONNX Runtime" not in str(error):
                raise
            print(error)
            sys.exit(77)
        prepare_folder()
        unittest.main()


if __name__ == "__main__":
    main()

# The front door. Every goal sets up what it needs by itself; `make` alone lists the goals.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
# Voices and vocoders of full size beside PyTorch's exports of them; see tools/make_voices.py.
RACES ?=
JOBS ?= $(shell getconf _NPROCESSORS_ONLN)
CLANG_FORMAT ?= clang-format-14
CLANG_TIDY ?= clang-tidy-14
# ON: warnings are errors. Our own checks say so; whoever builds with a compiler that we do not know gets a program.
WERROR ?= OFF

# Each is run by Debian's Python, the one that sees Debian's PyTorch, with the program as its argument.
BENCHMARKS := bench/inspect_checkpoint.py bench/export_voice.py bench/stream_voice.py bench/export_program.py

sources = $(shell find src include tests fuzz bench -name '*.h' -o -name '*.cpp')

.PHONY: help demo test build bench fuzz lint format install debs package tarball release clean setup setup-fuzz onnxruntime

help:  ## list the goals
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 18

demo: build  ## export the bundled voices, prove that axes are dynamic, and have them speak
	@echo "== What is in a checkpoint: voxport inspect voices/slt-x_low.ckpt"
	@build/voxport inspect voices/slt-x_low.ckpt
	@echo
	@echo "== To ONNX, for streaming: voxport export voices/slt-x_low.ckpt build/demo"
	@build/voxport export voices/slt-x_low.ckpt build/demo
	@echo
	@echo "== Are its axes dynamic? voxport check build/demo/encoder.onnx --quick, and decoder.onnx"
	@if [[ -e third_party/onnxruntime ]]; then \
	  for graph in encoder decoder; do build/voxport check build/demo/$$graph.onnx --quick; done; \
	else echo "there is no ONNX Runtime here to run it"; fi
	@echo
	@echo "== The same voice as one graph, as sherpa-onnx and Piper want it: voxport export ... --for sherpa"
	@build/voxport export voices/slt-x_low.ckpt build/demo/voice.onnx --for sherpa
	@echo
	@echo "== Text in, audio out: voxport speak build/demo 'Hello world, ...' -o build/demo/hello.wav --stats"
	@tools/setup speak
	@if [[ -e third_party/onnxruntime ]]; then \
	  build/voxport speak build/demo 'Hello world, this is a test of the streaming voice.' \
	    -o build/demo/hello.wav --stats; echo "== to be heard in build/demo/hello.wav"; \
	else echo "there is no ONNX Runtime here to run it"; fi
	@echo
	@echo "== A FastSpeech2 and its vocoder: voxport export voices/fastspeech2-slt.pth.tar ... --vocoder voices/hifigan-slt.pth"
	@build/voxport export voices/fastspeech2-slt.pth.tar build/demo/fastspeech2 --vocoder voices/hifigan-slt.pth
	@if [[ -e third_party/onnxruntime ]]; then \
	  build/voxport speak build/demo/fastspeech2 'The weather was cold, but the sun was bright.' --pitch 1.15 \
	    -o build/demo/higher.wav --stats; echo "== with raised pitch, to be heard in build/demo/higher.wav"; \
	else echo "there is no ONNX Runtime here to run it"; fi

test: build build/sanitizers/build.ninja build/tsan/build.ninja  ## run all tests, then those of readers and threads under sanitizers
	@tools/setup speak test || echo "warning: going on without it; the tests that need it are skipped" >&2
	@cmake --build --preset release
	@ctest --preset release --output-on-failure -j $(JOBS)
	@cmake --build --preset sanitizers
	@ctest --preset sanitizers --output-on-failure -j $(JOBS)
	@cmake --build --preset tsan
	@ctest --preset tsan --output-on-failure

build: onnxruntime build/release/build.ninja  ## build build/voxport, and the libraries that are installed with it
	@cmake --build --preset release --target voxport voxport_shared voxport_piper pages
	@ln -sfn release/voxport build/voxport

bench: build  ## measure voxport beside PyTorch (VOXPORT_BASELINE: its exports; RACES: voices of full size)
	@tools/setup bench
	@cmake --build --preset release --target bench_graphs bench_streams bench_serve bench_interfaces
	@build/release/bench_serve voices/slt-x_low.ckpt --requests 10000
	@build/voxport export --quiet --no-check voices/slt-x_low.ckpt build/bench-voice
	@build/release/bench_interfaces build/bench-voice
	@/usr/bin/python3 bench/speak_from_python.py build/bench-voice
	@for script in $(BENCHMARKS); do /usr/bin/python3 "$$script" build/voxport; done
	@if [[ -n "$(RACES)" ]]; then \
	  bench/race_voices.py build/voxport "$(RACES)" --frames 48,128,400 --markdown build/races.md; \
	  bench/long_input.py build/voxport "$(RACES)" --svg build/long_input.svg; \
	  echo "== the tables for docs/performance.md are in build/races.md, the drawing in build/long_input.svg"; \
	fi

# A target starts from what is known (its own corpus, past findings, our seeds, the tests' checkpoints).
fuzz: build/fuzz/build.ninja  ## fuzz every reader for FUZZ_SECONDS (60) each
	@cmake --build --preset fuzz
	@compgen -G 'build/fuzz/fuzz_*' >/dev/null || { echo "there is nothing to fuzz in build/fuzz" >&2; exit 1; }
	@crashed=; \
	for target in build/fuzz/fuzz_*; do \
	  [[ -f $$target && -x $$target ]] || continue; \
	  name=$${target##*/}; corpus=build/fuzz/corpus/$$name; findings=tests/fuzz_findings/$$name; \
	  mkdir -p "$$corpus" "$$findings"; \
	  echo "== $$name, $(FUZZ_SECONDS) s"; \
	  "$$target" -max_total_time=$(FUZZ_SECONDS) -artifact_prefix="$$findings/" -print_final_stats=1 \
	    "$$corpus" "$$findings" tests/data/checkpoints \
	    $$(ls -d "tests/fuzz_seeds/$$name" 2>/dev/null || true) || crashed+=" $$name"; \
	  rmdir "$$findings" 2>/dev/null || true; \
	done; \
	if [[ -n $$crashed ]]; then echo "crashed:$$crashed; the inputs are in tests/fuzz_findings" >&2; exit 1; fi

# Each room as one source, so that its headers are read once, and without precompiled headers, which clang-tidy cannot
# read. The pages, which a build makes into sources, are not there.
lint: build/lint/build.ninja  ## check the layout and the habits of the code
	@tools/setup lint
	@$(CLANG_FORMAT) --dry-run -Werror $(sources)
	@sed -n 's/^ *"file": "\(.*\)",*$$/\1/p' build/lint/compile_commands.json | \
	  grep -v -e /bench/ -e '/lint/[a-z]*_page\.cpp$$' | \
	  xargs -P $(JOBS) -n 1 $(CLANG_TIDY) --quiet -p build/lint \
	  --extra-arg=-Wno-unknown-warning-option \
	  2> >(grep -v 'warnings\? generated' >&2)

format:  ## lay the code out anew
	@tools/setup lint
	@$(CLANG_FORMAT) -i $(sources)

install: build  ## install under PREFIX (/usr/local)
	@cmake --install build/release --prefix "$(PREFIX)"

# The official build of ONNX Runtime is part of a package; one that ONNXRUNTIME_ROOT named is this machine's.
debs: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || date -r CHANGELOG.md +%s)
debs: onnxruntime  ## write Debian packages for this release of Debian to build/packages
	@tools/setup package
	@compgen -G 'third_party/onnxruntime/lib/libonnxruntime.so.*.*' >/dev/null || \
	  { echo "packages need the official build of ONNX Runtime in third_party; run tools/onnxruntime" >&2; exit 1; }
	@cmake --preset package
	@cmake --build --preset package
	@rm -rf build/packages
	@cpack --config build/package/CPackConfig.cmake -B build/packages
	@rm -rf build/packages/_CPack_Packages
	@lintian --fail-on error build/packages/*.deb

package: debs  ## write the same, and the tarball beside them
	@$(MAKE) tarball

tarball: onnxruntime  ## write the tarball, which runs where nothing is installed, to build/packages
	@tools/setup speak
	@tools/make_tarball

release:  ## test, make packages and the tarball, check them, and print their SHA-256 sums
	@tools/make_release

clean:  ## remove what was built
	@rm -rf build

setup:
	@tools/setup build

setup-fuzz:
	@tools/setup fuzz

# Only running a model needs it, so that without a network the rest goes on; a build notices when it comes later.
onnxruntime: setup
	@tools/onnxruntime || echo "warning: going on without ONNX Runtime; running models will not work" >&2

# Later changes of the lists of files are Ninja's to notice, those of the presets are ours.
build/%/build.ninja: CMakePresets.json | setup
	@cmake --preset $* -DCMAKE_COMPILE_WARNING_AS_ERROR=$(WERROR) $(compiler_of_$*)
	@touch $@

# Another compiler than the program's, where there is one, warns of other things.
compiler_of_sanitizers = $(addprefix -DCMAKE_CXX_COMPILER=,$(shell tools/second_compiler))

build/fuzz/build.ninja: | setup-fuzz

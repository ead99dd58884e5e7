#!/usr/bin/env bash
# onnxruntime_node_test.sh BUILD_ROOT VOXPORT CHECKPOINT: does onnxruntime-node speak what we export? The exported
# folder is encoder.onnx, decoder.onnx and voice.json. EXPORTED names one that is there already.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
source "$here/package.sh"
build=$1 voxport=$2 checkpoint=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [[ -z ${EXPORTED-} ]]; then
  EXPORTED=$work/voice
  export_voice "$voxport" "$checkpoint" "$EXPORTED"
fi
need_package "$build" onnxruntime-node@1.30.0
node "$here/run_encoder_decoder.js" "$EXPORTED"

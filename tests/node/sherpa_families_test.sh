#!/usr/bin/env bash
# sherpa_families_test.sh BUILD_ROOT VOXPORT FAMILIES: does sherpa-onnx make the ids of a text that we do, of voices that
# are not Piper's? It is seen by the audio, without noise: that of its text and that of our ids are the same.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
source "$here/package.sh"
build=$1 voxport=$2 families=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[[ $(uname -m) == x86_64 ]] && platform=linux-x64 || platform=linux-arm64

# try VOICE TEXT ESPEAK_DATA [ID]: ESPEAK_DATA is empty for voices of characters; ID is one that sherpa-onnx adds.
try() {
  local folder=$work/${1//\//-} ids
  [[ -e $folder ]] || "$voxport" export "$families/$1" "$folder/voice.onnx" --for sherpa --no-check --quiet
  ids=$("$voxport" speak "$folder/voice.onnx" "$2" --print-ids)
  "$voxport" speak "$folder/voice.onnx" --ids "$ids ${4-}" --noise-scale 0 --noise-w 0 --raw --quiet >"$work/raw"
  LD_LIBRARY_PATH=$NODE_PATH/sherpa-onnx-$platform node "$here/compare_with_sherpa.js" "$folder" "$2" "$work/raw" "$3"
}

need_package "$build" sherpa-onnx-node@1.13.8
try hf/mms 'Hello world' ''
try hf/mms-parametrized 'Привет МИР' ''  # sherpa-onnx leaves capitals beyond ASCII as they are
try vits/mms 'Bună ȚARĂ' ''
try vits/speakers 'koNbaNwa.' ''
try coqui/speakers-languages 'Grüß ÄÖ' ''  # the first language
try coqui/d-vectors 'AÇÃO, a' ''
for espeak_data in /usr/lib/*/espeak-ng-data; do
  [[ -e $espeak_data/phontab ]] || continue
  try vits/single 'Hello world.' "$espeak_data" 3  # a comma, for a longer pause
  try hf/vctk 'Hello world.' "$espeak_data" 3
  try coqui/single 'Hello, world.' "$espeak_data" 3
done

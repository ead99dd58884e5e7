#!/usr/bin/env bash
# web_voice_test.sh BUILD_FOLDER VOXPORT CHECKPOINT DATA SPEAK_FLOATS: voices that are exported for the web speak in a browser, by their
# page and its module, what `voxport speak` makes of the same. SCREENSHOTS=FOLDER keeps pictures of the page.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
. "$here/package.sh"
build=$1 voxport=$2 checkpoint=$3 data=$4 speak_floats=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v node >/dev/null || skip "there is no node here"

# Voices of all families.
folders=()
for cases in "$data"/families/*/*.cases.safetensors; do
  voice=${cases%.cases.safetensors}
  folder=$work/$(basename "$(dirname "$voice")")-$(basename "$voice")
  [[ ! -e $voice.ids.json ]] || cp "$voice.ids.json" "$folder.ids.json"
  [[ -e $voice ]] || voice=$voice.onnx
  "$voxport" export "$voice" "$folder" --for web --no-check --quiet || fail "voxport export $voice"
  folders+=("$folder")
done
cat >"$work/letters.json" <<'END'
{"audio": {"sample_rate": 22050}, "language": {"code": "en_US"}, "phoneme_type": "text", "num_symbols": 48,
 "phoneme_id_map": {"_": [0], "^": [1], "$": [2], " ": [3], ".": [4],
   "a": [10], "b": [11], "c": [12], "d": [13], "e": [14], "f": [15], "g": [16], "h": [17], "i": [18], "j": [19], "k": [20],
   "l": [21], "m": [22], "n": [23], "o": [24], "p": [25], "q": [26], "r": [27], "s": [28], "t": [29], "u": [30], "v": [31],
   "w": [32], "x": [33], "y": [34], "z": [35]}}
END
letters=$work/letters
"$voxport" export "$data/voices/single.ckpt" "$letters" --config "$work/letters.json" --for web --no-check --quiet ||
  fail "voxport export of a voice of letters"
mkdir "$work/module"
cp "$letters"/*.js "$work/module"
echo '{"type": "module"}' >"$work/module/package.json"

# From text to ids.
node "$here/web_picture.mjs" "$work/module/picture.js"
node "$here/web_text.mjs" "$work/module/text.js" "$voxport" "$letters" "${folders[@]}"

# From ids to audio, in Node.
need_package "$build" onnxruntime-node@1.30.0
node "$here/web_families.mjs" "$work/module/voxport.js" "$speak_floats" "${folders[@]}"

# From text to audio, in a browser.
command -v chromium >/dev/null || skip "there is no chromium here"
bundled=$work/bundled
"$voxport" export "$checkpoint" "$bundled" --for web --no-check --quiet || fail "voxport export $checkpoint"
speakers=$work/speakers
"$voxport" export "$data/voices/speakers.ckpt" "$speakers" --for web --no-check --quiet || fail "voxport export of speakers"
need_package "$build" onnxruntime-web@1.30.0
for folder in "$letters" "$bundled" "$speakers"; do
  mkdir "$folder/ort"
  cp "$NODE_PATH"/onnxruntime-web/dist/{ort.wasm.min.mjs,ort-wasm-simd-threaded.{mjs,wasm}} "$folder/ort"
done
need_package "$build" playwright-core@1.50.1
echo 'export const phonemise = async (text, voice) => ({ "It was cold.": { "en-us": "ɪt wʌz kˈoʊld, bˌʌt ðə sˈʌn wʌz bɹˈaɪt." } })[text][voice];' \
  >"$bundled/phonemise.js"

cat >"$work/orders.json" <<'END'
[{"voice": "letters", "text": "Hello world. This is the second sentence of a text that is not so short.", "options": {"seed": 7}},
 {"voice": "letters", "text": "1 0 20 0 14 0 21 0 21 0 24 0 3 0 32 0 24 0 27 0 21 0 13 0 2",
  "options": {"input": "ids", "noiseScale": 0, "noiseW": 0}},
 {"voice": "letters", "text": "long ago.", "options": {"seed": "18446744073709551615", "lengthScale": 3}},
 {"voice": "letters", "text": "long ago.", "options": {"seed": 2, "noiseW": 2}},
 {"voice": "bundled", "text": "It was cold.", "phonemised": true, "options": {"seed": 1}},
 {"voice": "speakers", "text": "1 5 9 2 7 3 1 8 11 13 2\n3 1 4 1 5 9 2 6", "options": {"input": "ids", "seed": 2, "speaker": 1, "lengthScale": 4, "chunkFrames": 5}}]
END
count=0
speak() {
  "$speak_floats" "$@" >"$work/orders.$count.f32" || fail "speak_floats $*"
  count=$((count + 1))
}
speak "$letters" text "Hello world. This is the second sentence of a text that is not so short." 7 0.667 0.8 1 ""
speak "$letters" ids "1 0 20 0 14 0 21 0 21 0 24 0 3 0 32 0 24 0 27 0 21 0 13 0 2" 0 0 0 1 ""
speak "$letters" text "long ago." 18446744073709551615 0.667 0.8 3 ""
speak "$letters" text "long ago." 2 0.667 2 1 ""  # longer than the first guess at its noise
speak "$bundled" phonemes "ɪt wʌz kˈoʊld, bˌʌt ðə sˈʌn wʌz bɹˈaɪt." 1 0.667 0.8 1 ""
speak "$speakers" ids $'1 5 9 2 7 3 1 8 11 13 2\n3 1 4 1 5 9 2 6' 2 0.667 0.8 4 1
node "$here/open_web_voice.js" "$work" "$work/orders" "${SCREENSHOTS:-}"

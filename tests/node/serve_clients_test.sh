#!/usr/bin/env bash
# serve_clients_test.sh BUILD_FOLDER VOXPORT VOICE: what curl, Node and Python hear of `voxport serve` is what
# `voxport speak` says.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
. "$here/package.sh"
. "$here/serve.sh"
voxport=$2 voice=$3

command -v espeak-ng >/dev/null || skip "there is no espeak-ng here"
"$voxport" export "$voice" "$work/voice" --quiet --no-check || fail "voxport export $voice"
start_server "$voxport" slt="$work/voice" --http 127.0.0.1:0 --wyoming 127.0.0.1:0
text='Hello world, this is one sentence.'
"$voxport" speak "$work/voice" "$text" --seed 7 --threads 1 --raw >"$work/expected.pcm"

if command -v curl >/dev/null; then
  curl -sSf "$URL/v1/audio/speech" -H 'Content-Type: application/json' -o "$work/curl.pcm" \
    -d "{\"model\": \"tts-1\", \"voice\": \"slt\", \"input\": \"$text\", \"seed\": 7, \"response_format\": \"pcm\"}"
  cmp "$work/curl.pcm" "$work/expected.pcm" || fail "curl hears something else"
  code=$(curl -s -o "$work/error" -w '%{http_code}' "$URL/v1/audio/speech" -d '{}')
  [[ $code == 400 ]] || fail "curl got $code for a request without text"
fi
if command -v node >/dev/null; then
  # Node 18 has no WebSocket, Node 20 if asked for; fetch is everywhere.
  option=--experimental-websocket
  node $option -e '' 2>/dev/null || option=
  node $option "$here/hear_serve.js" "$URL" "$text" "$work/expected.pcm"
fi
if command -v python3 >/dev/null; then
  python3 "$here/hear_wyoming.py" "$WYOMING" "$text" "$work/expected.pcm"
fi
kill -TERM $SERVER
wait $SERVER || fail "the server ended with $?"
echo "curl, Node and Python hear what voxport speak says"

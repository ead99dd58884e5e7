#!/usr/bin/env bash
# serve_haproxy_test.sh BUILD_FOLDER VOXPORT VOICE: two servers behind HAProxy, as packaging/haproxy.cfg has it; one is
# killed while clients listen to both. The name by which HAProxy is called reaches them.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
. "$here/package.sh"
. "$here/serve.sh"
voxport=$2 voice=$3

PATH=$PATH:/usr/sbin
command -v haproxy >/dev/null || skip "there is no haproxy here"
command -v node >/dev/null || skip "there is no node here"
command -v espeak-ng >/dev/null || skip "there is no espeak-ng here"
"$voxport" export "$voice" "$work/voice" --quiet --no-check || fail "voxport export $voice"
start_server "$voxport" "$work/voice" --http 127.0.0.1:0 --ahead 1 --host speech.example.org
first=$SERVER first_url=$URL
start_server "$voxport" "$work/voice" --http 127.0.0.1:0 --ahead 1 --host speech.example.org
free_port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
VOXPORT_FRONT=127.0.0.1:$free_port VOXPORT_1=${first_url#http://} VOXPORT_2=${URL#http://} \
  haproxy -f "$here/../../packaging/haproxy.cfg" >"$work/haproxy.log" 2>&1 &
node "$here/lose_a_server.js" "http://127.0.0.1:$free_port" "$first" || fail "$(cat "$work/haproxy.log")"
status_of_name() {
  node -e 'require("http").get(process.argv[1], { headers: { Host: process.argv[2] } }, ({ statusCode }) => {
    console.log(statusCode); process.exit(); })' "http://127.0.0.1:$free_port/health" "$1"
}
[[ $(status_of_name speech.example.org) == 200 ]] || fail "the name of HAProxy is not known to the servers"
[[ $(status_of_name evil.example) == 421 ]] || fail "another name is known to the servers"

# Sourced by the tests of `voxport serve`.

# start_server VOXPORT ARGUMENT...: sets URL, SERVER (a process) and WYOMING (a port, where it is spoken); it is ended
# with the script.
start_server() {
  local said=$work/server.out
  "$1" serve "${@:2}" >"$said" 2>"$work/server.err" &
  SERVER=$!
  for _ in $(seq 600); do
    [[ $(cat "$said") == http*/* ]] && break
    kill -0 $SERVER 2>/dev/null || fail "voxport serve: $(cat "$work/server.err")"
    sleep 0.1
  done
  URL=$(sed -n 's|^\(http://.*\)/$|\1|p' "$said")
  WYOMING=$(sed -n 's|^tcp://.*:\([0-9]*\) .*|\1|p' "$said")
}

work=$(mktemp -d)
end_all() {
  local ended=$?
  kill $(jobs -p) 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$work"
  exit $ended
}
trap end_all EXIT

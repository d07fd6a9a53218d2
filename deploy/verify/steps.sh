# Sourced by the scripts beside it. A step is one line: result, seconds, title. The first failed step ends the run
# with its last lines of output and exit code 1.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
scratch=$(mktemp -d)
# The account of the demo, apart from that of a local stack.
export LOCAL_STACK_DIR=$scratch/local-stack OPERATOR_TOKEN=local-operator-token

missing() {
  echo "$*" >&2
  exit 2
}

now() { echo "${EPOCHREALTIME:-$SECONDS}"; }

step() {
  local title=$1 result=ok started ended
  shift
  started=$(now)
  "$@" >"$scratch/output" 2>&1 || result=FAILED
  ended=$(now)
  awk -v r=$result -v s="$started" -v e="$ended" -v t="$title" 'BEGIN { printf "%-6s %6.1f s  %s\n", r, e - s, t }'
  [ $result = FAILED ] || return 0
  tail -n 40 "$scratch/output" >&2
  exit 1
}

# Polls a command until it succeeds; gives up after a number of seconds.
within() {
  local last=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $last ] || return 1
    sleep 0.1
  done
}

answers() { curl --fail --silent --show-error --max-time 5 --output /dev/null "$@"; }

demo() { npm start --silent -- --demo-only; }

#!/usr/bin/env bash
# Runs a command on a simulated slow machine: in a CPU cgroup limited to a share of one core, beside a
# busy loop in the same cgroup. Needs Linux, and root for the cgroup.
#
#   scripts/slow-machine.sh 0.5 npm test        half a core
#   scripts/slow-machine.sh all .ci/run         no limit and no busy loop
#
# Ends with the command's exit code, after a line with its time and its CPU seconds.
set -euo pipefail

cores=${1:?"usage: slow-machine.sh <cores>|all <command> [argument...]"}
shift
name=inventory-slow-$$
period_us=100000

if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
  group=/sys/fs/cgroup/$name
  mkdir "$group"
  [ "$cores" = all ] || awk -v c="$cores" -v p=$period_us 'BEGIN{printf "%d %d\n", c*p, p}' >"$group/cpu.max"
  cpu_seconds() { awk '/^usage_usec/{print $2/1e6}' "$group/cpu.stat"; }
  groups=("$group")
else
  group=/sys/fs/cgroup/cpu/$name
  accounts=/sys/fs/cgroup/cpuacct/$name
  mkdir -p "$group" "$accounts"
  echo $period_us >"$group/cpu.cfs_period_us"
  [ "$cores" = all ] || awk -v c="$cores" -v p=$period_us 'BEGIN{printf "%d\n", c*p}' >"$group/cpu.cfs_quota_us"
  cpu_seconds() { awk '{print $1/1e9}' "$accounts/cpuacct.usage"; }
  groups=("$group" "$accounts")
fi

enter='for g in "${groups[@]}"; do echo $BASHPID >"$g/cgroup.procs"; done'
busy=
if [ "$cores" != all ]; then
  (eval "$enter"; while :; do :; done) &
  busy=$!
fi
finish() {
  [ -z "$busy" ] || kill "$busy" 2>/dev/null || true
  for attempt in 1 2 3 4 5; do
    rmdir "${groups[@]}" 2>/dev/null && break
    sleep 1
  done
}
trap finish EXIT

start=$SECONDS
status=0
(eval "$enter"; exec "$@") || status=$?
busy_seconds=0
[ -z "$busy" ] || busy_seconds=$(awk '{print ($14+$15)/100}' "/proc/$busy/stat")
awk -v t=$((SECONDS - start)) -v c="$(cpu_seconds)" -v b="$busy_seconds" -v s=$status -v n="$cores" \
  'BEGIN{printf "cores %s: exit %d, %d s, %.0f CPU seconds and %.0f of the busy loop\n", n, s, t, c-b, b}'
exit $status

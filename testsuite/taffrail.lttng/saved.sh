#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# saved.sh DIR: has LTTng save three sessions, into DIR/save/NAME.lttng and, all
# in one file each, DIR/all. The session daemon has a folder and a network of its
# own, as in stock.sh. Exits with 77 and a reason where that is impossible.
set -u
if test "${SAVED_INSIDE-}" = ''; then
	test "$(id -u)" = 0 ||
		{ echo 'needs root for a mount namespace'; exit 77; }
	mkdir -p /run/lttng "$1" || exit 77
	SAVED_INSIDE=1 exec unshare -mn --propagation private sh "$0" "$@"
fi
dir=$1
mount -t tmpfs tmpfs /run/lttng || { echo 'cannot mount'; exit 77; }
LTTNG_HOME=$dir HOME=$dir
export LTTNG_HOME HOME
lttng-sessiond --no-kernel >"$dir/daemon.log" 2>&1 &
daemon=$!
tries=0
until timeout 10 lttng -n list >/dev/null 2>&1; do
	tries=$((tries + 1))
	if test $tries -gt 100; then
		echo 'lttng-sessiond does not start'
		kill "$daemon"
		exit 77
	fi
	sleep .1
done
lttng()
{
	timeout 20 lttng -q -n "$@" || failed=1
}
failed=0

lttng create plain --output="$dir/trace"
lttng enable-event -u 'every:*' --exclude 'every:c*,every:nothing'
lttng enable-event -u every:crowd --filter 'id > 10'
lttng enable-event -u every:enums --filter 'e > 4 && $ctx.procname == "every*"'
lttng enable-event -u every:one --loglevel WARNING
lttng add-context -u -t vpid -t procname -t pthread_id -t perf:thread:cpu-cycles
lttng track -u --vpid 100
lttng save plain -o "$dir/save"

lttng create ring --snapshot
lttng enable-channel -u big --subbuf-size 1M --num-subbuf 2
lttng enable-channel -u small --discard --blocking-timeout inf \
	--tracefile-size 1M --tracefile-count 3
lttng enable-event -u -c big every:floats
lttng enable-event -u -c small every:strings
lttng enable-event -u -c small every:arrays
lttng disable-event -u -c small every:arrays
lttng enable-event -j -a
lttng save ring -o "$dir/save"

lttng create java --output="$dir/java"
lttng enable-event -l -a
lttng save java -o "$dir/save"
kill "$daemon"
wait "$daemon"
exit $failed

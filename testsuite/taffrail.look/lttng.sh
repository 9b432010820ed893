#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# lttng.sh DIR PROGRAM: records PROGRAM with LTTng-UST into DIR/per-user and
# DIR/per-process. The session daemon sees folders and a network of its own, so
# that it meets no other. Exits with 77 and a reason where that is impossible.
set -u
if test "${3-}" != inside; then
	test "$(id -u)" = 0 ||
		{ echo 'needs root for a mount namespace'; exit 77; }
	mkdir -p /run/lttng "$1" || exit 77
	exec unshare -mn --propagation private sh "$0" "$1" "$2" inside
fi
for folder in /run/lttng /dev/shm; do
	mount -t tmpfs tmpfs $folder || { echo 'cannot mount'; exit 77; }
done
LTTNG_HOME=$1 HOME=$1 LTTNG_UST_REGISTER_TIMEOUT=5000
export LTTNG_HOME HOME LTTNG_UST_REGISTER_TIMEOUT
lttng-sessiond --no-kernel >"$1/daemon.log" 2>&1 &
daemon=$!
tries=0
until lttng -n list >/dev/null 2>&1; do
	tries=$((tries + 1))
	if test $tries -gt 100; then
		echo 'lttng-sessiond does not start'
		kill "$daemon"
		exit 77
	fi
	sleep .1
done
for buffers in uid pid; do
	test $buffers = uid && out=$1/per-user || out=$1/per-process
	{ lttng -q -n create $buffers --output="$out" &&
	  lttng -q -n enable-channel -u -s $buffers --buffers-$buffers c &&
	  lttng -q -n enable-event -u -s $buffers -c c 'foreign:*' &&
	  lttng -q -n add-context -u -s $buffers -c c -t vtid -t procname &&
	  lttng -q -n start $buffers && "$2" && "$2" &&
	  lttng -q -n destroy $buffers; } || { echo 'lttng fails'; exit 1; }
done
kill "$daemon"
wait "$daemon"
exit 0

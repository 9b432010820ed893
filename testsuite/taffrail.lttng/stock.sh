#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# stock.sh DIR RULE COMMAND...: runs COMMAND while LTTng itself records the events
# that RULE names, into DIR/trace. The session daemon has a folder and a network
# of its own, so that it meets no other. Exits with 77 and a reason where that is
# impossible.
set -u
if test "${STOCK_INSIDE-}" = ''; then
	test "$(id -u)" = 0 ||
		{ echo 'needs root for a mount namespace'; exit 77; }
	mkdir -p /run/lttng "$1" || exit 77
	STOCK_INSIDE=1 exec unshare -mn --propagation private sh "$0" "$@"
fi
dir=$1
rule=$2
shift 2
mount -t tmpfs tmpfs /run/lttng || { echo 'cannot mount'; exit 77; }
LTTNG_HOME=$dir HOME=$dir LTTNG_UST_REGISTER_TIMEOUT=5000
export LTTNG_HOME HOME LTTNG_UST_REGISTER_TIMEOUT
lttng-sessiond --no-kernel >"$dir/daemon.log" 2>&1 &
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
{ lttng -q -n create stock --output="$dir/trace" &&
  lttng -q -n enable-event -u -s stock "$rule" &&
  lttng -q -n start stock; } || { kill "$daemon"; exit 77; }
"$@"
status=$?
lttng -q -n destroy stock
kill "$daemon"
wait "$daemon"
exit $status

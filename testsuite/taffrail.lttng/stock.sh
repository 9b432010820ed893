#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# stock.sh DIR RULE COMMAND...: runs COMMAND while LTTng itself records the events
# that RULE names, into DIR/trace. Exits with 77 and a reason where that is
# impossible (sessiond.sh).
set -u
. "$(dirname "$0")/../shared/sessiond.sh"
sessiond_enter "$1" "$0" "$@"
dir=$1
rule=$2
shift 2
sessiond_start "$dir" /run/lttng
{ lttng -q -n create stock --output="$dir/trace" &&
  lttng -q -n enable-event -u -s stock "$rule" &&
  lttng -q -n start stock; } || { sessiond_end; exit 77; }
"$@"
status=$?
lttng -q -n destroy stock
sessiond_end
exit $status

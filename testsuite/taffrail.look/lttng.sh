#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# lttng.sh DIR PROGRAM: records PROGRAM with LTTng-UST into DIR/per-user and
# DIR/per-process. Exits with 77 and a reason where that is impossible
# (sessiond.sh).
set -u
. "$(dirname "$0")/../shared/sessiond.sh"
sessiond_enter "$1" "$0" "$@"
sessiond_start "$1" /run/lttng /dev/shm
for buffers in uid pid; do
	test $buffers = uid && out=$1/per-user || out=$1/per-process
	{ lttng -q -n create $buffers --output="$out" &&
	  lttng -q -n enable-channel -u -s $buffers --buffers-$buffers c &&
	  lttng -q -n enable-event -u -s $buffers -c c 'foreign:*' &&
	  lttng -q -n add-context -u -s $buffers -c c -t vtid -t procname &&
	  lttng -q -n start $buffers && "$2" && "$2" &&
	  lttng -q -n destroy $buffers; } || { echo 'lttng fails'; exit 1; }
done
sessiond_end
exit 0

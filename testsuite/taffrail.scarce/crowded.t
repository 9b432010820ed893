# SPDX-License-Identifier: LGPL-2.1-or-later
# There are more processes at once than the recorder has descriptors for. It
# takes processes in when others end, reports what it could not write, and
# leaves in the buffers what it could not open. With more processes than there
# is room for, no file stays in the end.

compile: crowded crowded.c -O2
need: command -v babeltrace2
before:
	# N LIMIT: records N processes with a limit of descriptors. What could not
	# be opened is in the buffers.
	record_crowd()
	{
		status=0
		(ulimit -n "$2" && exec taffrail record -e 'app/*' \
			--buffers process --buffer-size 256K -o trace -- crowded "$1") 2>said ||
			status=$?
		count_events
		session=$(sed -nE 's/.*taffrail snapshot (record-[0-9]+) -o DIR writes it.*/\1/p' said)
		rest=0
		if test -n "$session"; then
			taffrail snapshot "$session" -o rest 2>rest-said || :
			rest=$(sed -nE 's/^taffrail: snapshot: ([0-9]+) events?.*/\1/p' rest-said)
		fi
		left=$(find "$TAFFRAIL_DIR" -mindepth 1 -maxdepth 2 \
			! -path '*/.*' ! -path "$TAFFRAIL_DIR/sessions")
	}
	count_events()
	{
		kept=$(sed -nE 's/^taffrail: record: ([0-9]+) events? \([0-9]+ lost, .*/\1/p' said)
		lost=$(sed -nE 's/^taffrail: record: [0-9]+ events? \(([0-9]+) lost, .*/\1/p' said)
	}

group: a few too many
case: all are recorded, and nothing is left
run:
	record_crowd 50 256
	cat said >&2
	echo "$left"
	exit $status
stderr: record: 500 events \(0 lost, .* of 50 processes
whole stdout:
case: number of events
run: babeltrace2 trace | grep -c ' app:hit: '
whole stdout: 500
whole stderr:
case: verify
run: taffrail verify trace

group: far too many
case: every event is recorded or in a buffer, and most are recorded
run:
	record_crowd 200 160
	cat said >&2
	echo $((kept + rest)) events, $lost lost, most: $((kept > 1800))
	echo "$left"
	exit $status
status: 1
stderr: Too many open files
whole stdout: 2000 events, 0 lost, most: 1

# A recorder that cannot even look for processes says so.
group: no descriptors
case: why
run: record_crowd 5 12; cat said >&2; exit $status
status: 1
stderr: Too many open files

# With fewer descriptors than one process takes, its events are in the trace, or
# the recorder says which limit was too low, and they are in the buffers.
group: limit {limit}
for: limit 8 9 10 11 12 13 14 15 16 18 24
case: every event is there, or it is said
run:
	record_crowd 2 {limit}
	echo $((kept + rest)) events, ${lost:-0} lost
	cat said >&2
	test $status = $((kept < 20)) &&
		{ test -z "$session" || grep -q 'ulimit -n is {limit}' said; }
whole stdout: 20 events, 0 lost

group: no room
need: unshare -m true
case: every event is recorded or lost, some are lost, and nothing is left
run:
	mkdir small
	unshare -m sh -c 'mount -t tmpfs -o size=12m,mode=700 none small || exit 77
		export TAFFRAIL_DIR=$PWD/small
		taffrail record -e "app/*" --buffers process --buffer-size 256K -o trace -- crowded 60
		ls small' 2>said
	count_events
	cat said >&2
	echo $((kept + lost)) events, some lost: $((lost > 0))
whole stdout:
	sessions
	600 events, some lost: 1

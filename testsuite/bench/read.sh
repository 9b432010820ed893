# SPDX-License-Identifier: LGPL-2.1-or-later
# Part of `run`: reading traces, beside babeltrace2. All times are processor
# time, the least of some runs: others' work does not count, and one command
# does not wait for another.

read_events=2000000

# least NAME TIMES COMMAND...: a value, in seconds; and NAME.real, the elapsed
# time.
least()
{
	local name=$1 times=$2
	shift 2
	for _ in $(seq "$times"); do
		{ TIMEFORMAT='%U %S %R'; time "$@" >"$work/out" 2>"$work/log"; } \
			2>&1 || say "$* failed: $(tail -n 1 "$work/log")"
	done | awk -v n="$name" '
		{ t = $1 + $2
		  if (NR == 1 || t < least) least = t
		  if (NR == 1 || $3 < real) real = $3 }
		END { print "value", n, least; print "value", n ".real", real }' |
		results
}

discard()
{
	"$@" >/dev/null
}

# NAME BUFFER-SIZE OPTIONS...
read_trace()
{
	local name=$1 size=$2
	shift 2
	"$taffrail" record --context none -e 'bench/*' --buffer-size "$size" \
		-o "$work/read.$name" "$@" >"$work/out" 2>"$work/log" ||
		say "recording for $name failed"
	find "$work/read.$name" -name 'stream_*' ! -name '*.idx' -type f \
		-exec cat {} + | wc -c |
		awk -v n="$name" '{ print "value read." n ".bytes", $1 }' |
		results
}

# An LTTng-UST trace.
read_peer()
{
	test -x "$work/events-peer" || return
	if peer_start "" --discard --subbuf-size 8M --num-subbuf 8
	then
		with_agent "$work/events-peer" peer 40 lttng_u64 \
			lttng_int_string >"$work/out"
		lttng -q stop bench >>"$work/peer.log" 2>&1
		cp -r "$work/lttng/out" "$work/read.lttng"
	else
		cat "$work/peer.log" >&2
	fi
	peer_stop
}

# The babeltrace2 of another release, whose tree is BENCH_TREE.
other_babeltrace2()
{
	local lib=$BENCH_TREE/usr/lib/x86_64-linux-gnu
	"$BENCH_TREE/lib64/ld-linux-x86-64.so.2" --library-path "$lib" \
		"$BENCH_TREE/usr/bin/babeltrace2" --omit-system-plugin-path \
		--plugin-path "$lib/babeltrace2/plugins" "$@"
}

# What the browser of testsuite/taffrail.timeline takes for a page.
page_times()
{
	local python missing
	for python in python3 /usr/bin/python3; do
		missing=$("$python" "$work/timeline.py" need 2>&1 |
			tail -n 1)
		test -n "$missing" || break
	done
	if test -n "$missing"; then
		echo "absent read.page.picture $missing" | results
		return
	fi
	HOME=$work TMPDIR=$work timeout 200 "$python" "$work/page.py" "$1" 3 \
		2>"$work/log" | results ||
		say "the browser failed: $(tail -n 1 "$work/log")"
}

step_read()
{
	local trace form
	if ! command -v babeltrace2 >/dev/null; then
		say 'no babeltrace2: it is what reading is compared with'
		return
	fi
	say 'reading'
	read_trace small 256M -- "$work/read" small $read_events
	read_trace mixed 256M --context vtid -- "$work/read" mixed $read_events
	read_trace pairs 256M --context vtid -- "$work/read" pairs $read_events
	read_trace served 256M --context vtid,procname -- "$work/read" served \
		1000000
	read_trace many 256K -- sh -c "for i in \$(seq 1000); do
		'$work/read' small 10; done"
	echo "value read.events $read_events" | results
	for trace in small mixed; do
		least read.$trace.view 3 discard "$taffrail" view --raw \
			"$work/read.$trace"
		for form in long short; do
			least read.$trace.$form 3 discard "$taffrail" view \
				--$form "$work/read.$trace"
		done
		least read.$trace.peer 2 discard babeltrace2 "$work/read.$trace"
	done
	read_peer
	if test -d "$work/read.lttng"; then
		least read.lttng.view 2 discard "$taffrail" view --raw \
			"$work/read.lttng"
		least read.lttng.peer 2 discard babeltrace2 "$work/read.lttng"
	fi
	if test -n "${BENCH_TREE-}"; then
		other_babeltrace2 --version |
			awk '{ print "other", $2; exit }' | results
		for trace in small mixed; do
			least read.$trace.other 2 discard other_babeltrace2 \
				"$work/read.$trace"
		done
	fi
	least read.dummy 2 discard babeltrace2 "$work/read.small" -o dummy
	least read.where 3 discard "$taffrail" view --where \
		'bench/small if n > 1000000000' "$work/read.small"
	least read.report 3 discard "$taffrail" report "$work/read.small"
	least read.many.view 3 discard "$taffrail" view --raw "$work/read.many"
	least read.many.peer 1 discard babeltrace2 "$work/read.many"
	least read.json 2 discard "$taffrail" export --format json \
		"$work/read.mixed"
	least read.csv 2 discard "$taffrail" export --format csv \
		--where bench/mixed "$work/read.mixed"
	least read.perfetto 2 "$taffrail" export --format perfetto \
		-o "$work/read.out" "$work/read.pairs"
	least read.sqlite 1 "$taffrail" export --format sqlite \
		-o "$work/read.out" "$work/read.mixed"
	least read.timeline 1 "$taffrail" timeline -o "$work/read.html" \
		"$work/read.served"
	echo "value read.page $(stat -c %s "$work/read.html")" | results
	page_times "$work/read.html"
	rm -rf "$work"/read.*
}

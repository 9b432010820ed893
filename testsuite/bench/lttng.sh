# SPDX-License-Identifier: LGPL-2.1-or-later
# Part of `run`: programs made for LTTng-UST, recorded by Taffrail and by LTTng
# (docs/lttng.md).

lttng_events=30

# Writes a program with so many events: EVENTS [STATEMENT]. It ends with 0 where
# a session wants as many of them as BENCH_ON says.
lttng_source()
{
	cat <<-'END'
	#undef LTTNG_UST_TRACEPOINT_PROVIDER
	#define LTTNG_UST_TRACEPOINT_PROVIDER many
	#undef LTTNG_UST_TRACEPOINT_INCLUDE
	#define LTTNG_UST_TRACEPOINT_INCLUDE "./started.c"
	#if !defined(STARTED_C) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
	#define STARTED_C
	#ifndef LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ
	#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
	#define LTTNG_UST_TRACEPOINT_DEFINE
	#endif
	#include <lttng/tracepoint.h>
	END
	for i in $(seq $1); do
		echo "LTTNG_UST_TRACEPOINT_EVENT(many, event$i,"
		echo 'LTTNG_UST_TP_ARGS(int, id, const char *, url),'
		echo 'LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, id, id)'
		echo 'lttng_ust_field_string(url, url)))'
	done
	printf '#endif\n#include <lttng/tracepoint-event.h>\n'
	printf '#ifndef STARTED_MAIN\n#define STARTED_MAIN\n'
	printf '#include <stdlib.h>\nint main(void) { int on = 0;\n'
	printf '%s\n' "${2-}"
	for i in $(seq $1); do
		echo "on += !!lttng_ust_tracepoint_enabled(many, event$i);"
	done
	printf 'return on != atoi(getenv("BENCH_ON")); }\n#endif\n'
}

step_lttng()
{
	say 'events of LTTng-UST'
	test -x "$work/events-peer" || return
	if ! peer_start --snapshot --overwrite --subbuf-size 512K \
		--num-subbuf 4; then
		cat "$work/peer.log" >&2
		skip_peer 'lttng-sessiond does not work'
		peer_stop
		return
	fi
	TAFFRAIL_BUFFER_SIZE=2M LD_PRELOAD=$library \
		TAFFRAIL_ENABLE='bench/*;taffrail_bench/beside_*' \
		timeout 100 "$work/events-peer" beside "$rounds" roofline \
		empty u64 int_string lttng_u64 lttng_int_string beside_u64 \
		beside_int_string least_u64 least_int_string lttng_off8 |
		results
	lttng_start
	peer_stop
	BENCH_ALONE=1 "$work/events-peer" stock "$rounds" empty lttng_off8 |
		results
}

# A session of LTTng beside a recording, with buffers of the same size; the
# program is in one of them.
lttng_start()
{
	say 'the start of a program with events of LTTng-UST'
	( cd "$work" && lttng_source $lttng_events >started.c &&
	  ${CC:-cc} -O2 -w -I. -o started started.c -llttng-ust -ldl ) ||
		return
	lttng -q enable-event -u -s bench -c channel 'many:*' \
		>>"$work/peer.log" 2>&1
	"$taffrail" record --buffers shared --buffer-size 2M -e 'many/*' \
		-o "$work/started-trace" -- env -u LD_PRELOAD "$work/spawn" \
		peer started "$library" 100 "$work/started" 2>"$work/log" |
		results
}

# What a session costs a short program, and the recorder for it: one without
# markers, one with a marker and an event, and one with an event of LTTng's, in
# a session of LTTng's.
step_many()
{
	local single=
	say 'many short programs'
	if test -x "$work/events-peer" && peer_start --snapshot --overwrite \
		--subbuf-size 512K --num-subbuf 4; then
		( cd "$work" && lttng_source 1 \
			'lttng_ust_tracepoint(many, event1, 1, "a");' |
			sed 's/started.c/single.c/' >single.c &&
		  ${CC:-cc} -O2 -w -I. -o single single.c -llttng-ust -ldl ) &&
		lttng -q enable-event -u -s bench -c channel 'many:*' \
			>>"$work/peer.log" 2>&1 && single=$work/single
	fi
	short_programs short process ${single:+"$single"}
	peer_stop
	short_programs shared shared
}

# Short programs in a recording whose buffers are those of each process, or
# shared: "short_programs PREFIX BUFFERS [PEER]".
short_programs()
{
	local program context='' prefix=$1 buffers=$2
	shift 2
	# those that are shared have the context of the writer
	test "$buffers" = shared || context='--context none'
	# "spawn" has an agent, as programs do that start others in a recording
	env -u TAFFRAIL_CONTEXT "$taffrail" record --buffers "$buffers" \
		$context -e 'bench/one' -o "$work/many-$prefix" --force -- \
		"$work/spawn" many "$prefix" "$library" "$rounds" \
		/bin/true "$work/one" "$@" 2>"$work/log" | results
	# that of the recorder's time has none
	for i in true one; do
		program=/bin/true
		test $i = true || program=$work/one
		env -u TAFFRAIL_CONTEXT "$work/spawn" recorder \
			"recorder-$prefix.$i" "$library" "$rounds" "$program" \
			"$taffrail" record --buffers "$buffers" $context \
			-e 'bench/*' -o "$work/many-$i" --force -- env \
			-u LD_PRELOAD 2>"$work/log" | results
	done
}

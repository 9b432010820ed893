# SPDX-License-Identifier: LGPL-2.1-or-later
# Part of `run`: what gdb costs the program that it traces (see
# docs/benchmarks.md). Programs are points.c and stall.c.
#
# What must stay true: the program that is measured and gdb's own work do not
# overlap, save where that is what is measured.

gdb_rounds=${BENCH_GDB_ROUNDS:-$rounds}
stall_rounds=${BENCH_STALL_ROUNDS:-15}
attach_rounds=${BENCH_ATTACH_ROUNDS:-15}
# What the peer's and our tracepoint with a condition collect.
gdb_full='collect points_level, points_total, points_scale, id, size'

# Starts PROGRAM ARGS... with the agent, its input a pipe of ours: `tell TEXT`
# writes there, `obeyed WORD` waits for a line of its output.
gdb_start()
{
	rm -f "$work/input"
	mkfifo "$work/input" || return
	LD_PRELOAD=$library "$@" <"$work/input" >"$work/said" &
	traced=$!
	exec 8>"$work/input"
	wait_for "$work/said" ready 1
	wait_for_agent "$traced"
}

gdb_end()
{
	exec 8>&-
	wait "$traced"
}

# wait_for FILE WORD N: until the N-th line of it is there
wait_for()
{
	local i
	for i in $(seq 600); do
		test "$(grep -c "^$2" "$1" 2>/dev/null)" -ge "$3" && return
		sleep .1
	done
	say "no $2 in $1"
	return 1
}

# wait_for_agent PID [FILE]: until it has its page, or that file
wait_for_agent()
{
	local i
	for i in $(seq 100); do
		set -- "$1" "${2-0/process}" \
			"$TAFFRAIL_DIR/$1".*/"${2-0/process}"
		test -e "$3" && return
		sleep .1
	done
	say "the agent has no $2"
	return 1
}

gdb_script()
{
	cat >"$work/script.gdb"
}

# All cases in one run, in a ring that is never full.
points_ours()
{
	gdb_start "$work/points" gdb "$gdb_rounds" cpu "$work/points.out" \
		empty off sdata regs full off_register untrue \
		untrue_register || return
	gdb_script <<-END
		set circular-trace-buffer on
		strace -m bench/sdata
		actions
		collect \$_sdata
		end
		strace -m bench/regs
		actions
		collect \$regs
		end
		strace -m bench/full if id > 1000
		actions
		$gdb_full
		end
		strace -m bench/untrue if id > 1000
		actions
		$gdb_full
		end
		strace -m bench/untrue_register if id > 1000
		actions
		collect \$regs
		end
		tstart
		shell echo >$work/input
		shell until grep -qs '^done' $work/points.out; do sleep .1; done
		tstop
		tstatus
		info tracepoints
		detach
	END
	timeout 200 "$taffrail" gdb -p "$traced" -- -nx -batch \
		-x "$work/script.gdb" >"$work/gdb.log" 2>&1
	gdb_end
	hits_check && grep '^ns' "$work/points.out"
}

# Five tracepoints: three that collect, all their hits; two that do not.
hits_check()
{
	local found
	found=$(awk -v n=$(((gdb_rounds + 10) * 2000)) '
		/already hit/ { hits += $4; some++ }
		END { print some == 3 && hits == 3 * n }' "$work/gdb.log")
	test "$found" = 1 && return
	say 'gdb did not see every hit:'
	cat "$work/gdb.log" >&2
	return 1
}

# Where GDB's own agent is; empty: not here.
peer_agent()
{
	ls /usr/lib/libinproctrace.so /usr/lib/*/libinproctrace.so \
		2>/dev/null | head -n 1
}

# Runs script.gdb on points under stock gdbserver with an agent, as far as to
# where it measures: gdbserver_points NAME AGENT CASE...
gdbserver_points()
{
	local name=$1 agent=$2
	shift 2
	rm -f "$work/points.out"
	cat - "$work/script.gdb" >"$work/whole.gdb" <<-END
		set sysroot /
		set breakpoint pending off
		target remote | exec gdbserver --once \
			--wrapper env LD_PRELOAD=$agent -- - $work/points \
			$name 10 wall $work/points.out $*
		break points_measure
		continue
		delete
		python
		import re
		text = gdb.execute("info probes stap bench", to_string=True)
		at = dict(re.findall(r"bench +(\w+) +(0x[0-9a-f]+)", text))
		end
	END
	timeout 100 gdb -nx -batch "$work/points" -x "$work/whole.gdb" \
		>"$work/gdb.log" 2>&1 </dev/null
	grep '^ns' "$work/points.out" || tail -n 20 "$work/gdb.log" >&2
}

# Stock gdbserver and its agent: a fast tracepoint and one by a trap. The
# instruction of five bytes is behind the nop.
points_peer()
{
	gdb_script <<-END
		set circular-trace-buffer on
		python gdb.execute("ftrace *%s+1 if id > 1000" % at["full"])
		python gdb.execute("trace *%s if id > 1000" % at["trap"])
		actions 2
		$gdb_full
		end
		actions 3
		$gdb_full
		end
		tstart
		continue
	END
	gdbserver_points gdbserver "$peer" empty full trap
}

# The same fast tracepoint with either agent, in turn.
points_agents()
{
	gdb_script <<-'END'
		python gdb.execute("ftrace *%s+1" % at["fast"])
		actions
		collect $rax, points_level
		end
		tstart
		break _exit
		continue
		tstop
		tstatus
		kill
	END
	gdbserver_points theirs "$peer" empty fast
	frames_check
	gdbserver_points ours "$library" empty fast
	frames_check
}

# 10 rounds to measure, and as many before
frames_check()
{
	grep -q '^Collected 1600 trace frames' "$work/gdb.log" && return
	say 'gdbserver did not collect every hit:'
	tail -n 20 "$work/gdb.log" >&2
}

# stall_session NAME COMMAND...
stall_session()
{
	local name=$1
	shift
	sessions=$((sessions + 2))
	echo begin >&8
	wait_for "$work/said" obeyed $((sessions - 1))
	timeout 60 "$@" >"$work/gdb.log" 2>&1 </dev/null
	echo "end $name" >&8
	wait_for "$work/said" obeyed "$sessions"
}

# The control is the same work on a twin, which sleeps.
stalls()
{
	local sessions=0 twin i
	rm -f "$work/twin"
	mkfifo "$work/twin" || return
	LD_PRELOAD=$library "$work/stall" <"$work/twin" >"$work/twin.out" &
	twin=$!
	exec 9>"$work/twin"
	wait_for_agent "$twin"
	gdb_start "$work/stall" || return
	gdb_script <<-'END'
		strace -m bench/spin
		actions
		collect $_sdata
		end
		tstart
		tstop
		tstatus
		detach
	END
	for i in $(seq "$stall_rounds"); do
		stall_session traced "$taffrail" gdb -p "$traced" -- -nx \
			-batch -x "$work/script.gdb"
		stall_session control "$taffrail" gdb -p "$twin" -- -nx \
			-batch -x "$work/script.gdb"
		test "$i" -gt 3 ||
			stall_session attached gdb -nx -batch -p "$traced"
	done
	exec 8>&- 9>&-
	wait "$twin" "$traced"
	grep '^us' "$work/said"
}

# A program of eight threads that has no agent yet, each time a new one: first
# gdb attaches and detaches, then the agent comes. The command tells how long
# the one thread stood that it stopped; the program, what its threads saw.
attach_once()
{
	local sessions=0
	rm -f "$work/input"
	mkfifo "$work/input" || return
	"$work/stall" 8 <"$work/input" >"$work/said" &
	traced=$!
	exec 8>"$work/input"
	wait_for "$work/said" ready 1
	stall_session gdb gdb -nx -batch -p "$traced" -ex detach
	stall_session attach "$taffrail" attach "$traced"
	sed -n 's/.* was stopped for \([0-9]*\) us$/us attach.stop \1/p' \
		"$work/gdb.log"
	gdb_end
	sed -n 's/^us stall\.\([a-z]*\) /us attach.\1 /p' "$work/said"
}

step_attach()
{
	local i
	say 'attach'
	command -v gdb >/dev/null || say 'without gdb'
	for i in $(seq "$attach_rounds"); do
		attach_once
	done | sort -k2,2 -k3,3n | awk '
		$2 != name { name = $2; n = 0 }
		{ value[name, n++] = $3; count[name] = n }
		END { for (name in count) {
			n = count[name]
			print "us", name, value[name, int(n / 2)]
			print "us", name ".most", value[name, n - 1] } }' |
		results
}

step_gdb()
{
	command -v gdb >/dev/null ||
		{ echo 'value gdb.missing 1' | results; return; }
	say 'tracepoints of gdb'
	points_ours | results
	peer=$(peer_agent)
	if command -v gdbserver >/dev/null && test -n "$peer"; then
		points_peer | results
		points_agents | results
	else
		say 'without gdbserver'
	fi
	say 'stalls by gdb'
	stalls | results
}

# SPDX-License-Identifier: LGPL-2.1-or-later
# Rules that match no marker, and recordings without an event: `record` tells of
# a rule within a second of the start, --strict ends the program then, and a
# recording without an event is an empty trace that all commands read.

compile: unmet unmet.c -O2
compile: worker ../shared/worker.c -O2 -pthread

group: a rule that matches nothing is told while the program runs
case: before the end, and again at the end
run:
	: >said
	taffrail record -o trace -e app/hti -e app/hit -- unmet 60 1 2>said &
	for i in $(seq 600); do
		grep -q 'so far' said && break
		sleep 0.05
	done
	cat said >&2
	echo --- >&2
	kill -TERM $!
	wait $! || echo $?
	tail -n +2 said >&2
stdout: ^1$
whole stderr:
	taffrail: record: no marker of the modules so far matches 'app/hti'; nearest: app/hit
	---
	taffrail: record: no marker matched 'app/hti'; nearest: app/hit
	taffrail: record: 0 events (0 lost, 0.0 bytes per event) of 1 process in trace
case: functions are told as functions, early and at the end
run: for rule in "-e fn:unmet/maim" "--functions unmet/maim"; do rm -rf maim; taffrail record -o maim --strict $rule -- unmet 60; done
status: 1
no stderr: marker
stderr: ^taffrail: record: no function of the modules so far matches 'fn:unmet/maim'; nearest: main.*
stderr: no function of the modules so far matches 'fn:unmet/maim if duration >= 0ns'; nearest: main
stderr: no function matches 'fn:unmet/maim'; nearest: main
case: a rule that matches is not told of
run: taffrail record -o met -e app/hit -- unmet 1.5 1
stderr: record: 1 event \(0 lost, .* of 1 process in met
no stderr: so far
case: a short program is told of at its end only
run: taffrail record -o short -e app/hti -- unmet
status: 1
stderr: no marker matched 'app/hti'
no stderr: so far
case: a condition that can never hold is a rule that matches nothing
run: taffrail record -o never --strict -e 'app/hit if j > 1' -- unmet 60 1
status: 1
no stderr: no marker of the modules
stderr: process [0-9]+, so far: condition 'j > 1', column 1: no field "j"; there are i$
stderr: process [0-9]+: condition 'j > 1', column 1: no field "j"; there are i$
case: the fields are those of one marker of several
run: taffrail record -o one -e 'app/* if j > 1' -- unmet
status: 1
stderr: condition 'j > 1', column 1: no field "j"; app/hit has i$
case: a level that no marker has is told as that
run: taffrail record --strict -o level --level warning -- unmet 60
status: 1
stderr: record: no marker so far that '\*' names has the level warning or a more severe one$
stderr: record: no marker that '\*' names has the level warning or a more severe one$
no stderr: nearest
case: one level, and a condition beside it
run:
	taffrail record -o equal --level =info -e 'app/*' -- unmet
	taffrail record -o beside --level info -e 'app/hit if i > 1' -- unmet
status: 1
stderr: record: no marker that 'app/\*' names has the level info$
stderr: no marker that 'app/hit' names can meet the condition '\$level <= info && \(i > 1\)'$

group: a process that runs: a level that no marker has, or an id
before:
	worker
	taffrail start s -p $pid -e app/hit
cases:
	1 taffrail report -p $pid --for 60 -e 'app/* if $level <= warning'
		^no marker that 'app/\*' names has the level warning or a more severe one$
	1 taffrail top -p $pid -e '* if $level == err'
		^no marker that '\*' names has the level err$
	1 taffrail view --follow -p $pid -e '* if $id ~ "app/x*"'
		^no marker that '\*' names can meet the condition '\$id ~ "app/x\*"'$
	1 taffrail start t -p $pid --level warning
		^no marker that '\*' names has the level warning or a more severe one$
	1 taffrail record -p $pid --level warning -o never
		^no marker that '\*' names has the level warning or a more severe one$
	1 taffrail enable s --level =err other/tick
		^no marker that 'other/tick' names has the level err$
case: a level that they have
run:
	taffrail enable s --level debug other/tick
	say worker 'go 1' '^done 1$'
	taffrail report -s s
stdout: ^4 events
case: without a session
run:
	taffrail destroy s
	taffrail report -p $pid
status: 1
stderr: report: process {pid} has no session; -e RULE makes one
case: the program ends
run: worker_ends

group: two processes that run: a field that one of them has
before:
	start other "$CASES/unmet" 60
	wait_for sh -c "readlink /proc/$pid/exe | grep -q unmet"
	other=$pid
	worker
	echo "both=$other,$pid" >pids
case: start
run:
	. ./pids
	taffrail start s -p $both -e 'app/* if n > 4'
	say worker 'go 10' '^done 10$'
	taffrail report -s s
stdout: ^10 events .* of 2 processes
case: report
run: . ./pids; taffrail report -p $both -e 'app/hit if n > 4' --for 0.1
stdout: ^0 events
case: record
run: . ./pids; taffrail record -p $both -e 'app/hit if n > 4' -o trace --for 0.1
stderr: 0 events
cases:
	1 . ./pids; taffrail start t -p $both -e 'app/* if z > 4'
		condition 'z > 4', column 1: no field "z"; 
case: the worker ends
run: worker_ends

group: two processes: names of arguments, which debug information has
before:
	cat >said.c <<'EOF'
	#include <stdio.h>
	volatile int sum;
	__attribute__((noinline)) int mid(int k) { sum += k; sum += sum / 3; return sum; }
	int main(void) { puts("ready"); fflush(stdout); do sum = mid(3) + 1; while (getchar() != EOF); return 0; }
	EOF
	gcc -O1 -g0 -o said0 said.c && gcc -O1 -g -o said2 said.c
	start first ./said2 && first=$pid && start second ./said2 && second=$pid && start bare ./said0
	wait_for grep -q ready first.out && wait_for grep -q ready second.out && wait_for grep -q ready bare.out
	echo "named=$first,$second mixed=$first,$pid" >pids
	for both in $first,$second $first,$pid; do
		taffrail start known -p $both -e fn:mid && taffrail destroy known
	done
cases:
	1 . ./pids; taffrail start never -p $named -e 'fn:mid if arg1 == 3'
		^process [0-9]+: condition 'arg1 == 3', column 1: no field "arg1"; fn/mid has k, cfa$
	1 . ./pids; taffrail report -p $named -e 'fn:mid if arg1 == 3' --for 60
		^process [0-9]+: condition 'arg1 == 3', column 1: no field "arg1"; fn/mid has k, cfa$
	0 . ./pids; taffrail start some -p $mixed -e 'fn:mid if k == 3'
		^process [0-9]+ has no field of 'fn:mid if k == 3'$

group: a process that runs: probes, and the events of pthread
need: taffrail list /usr/bin/python3 | grep -q '^python/audit '
before:
	start python /usr/bin/python3 -c 'print("ready", flush=True); input()'
	wait_for grep -q ready python.out
	start shell sh -c 'echo ready; read line'
	wait_for grep -q ready shell.out
	worker
	echo "worker=$pid shell=$(cat shell.pid) python=$(cat python.pid)" >pids
cases:
	1 . ./pids; taffrail report -p $python --for 60 -e '*'
		^no marker matches '\*'; probes are recorded if a rule names them: python/
	1 . ./pids; taffrail top -p $python -e '*/gc*'
		^no marker matches '\*/gc\*'; probes are recorded if a rule names them: python/gc
	1 . ./pids; taffrail view --follow -p $python -e '*'
		^no marker matches '\*'; probes are recorded if a rule names them: python/
	1 . ./pids; taffrail start s -p $python -e '*'
		^no marker matches '\*'; probes are recorded if a rule names them: python/
	0 . ./pids; taffrail record -p $python --for 0.1 -o named
		^no process has a marker; probes are recorded if -e names them: python/
	0 . ./pids; taffrail record -p $shell --for 0.1 -o bare
		^no process has a marker: 'taffrail list FILE' .*, --provider pthread adds those of threads and locks$
	1 . ./pids; taffrail view --follow -p $worker -e 'pthread/*'
		^no marker matches 'pthread/\*'; the nearest: .*; taffrail record --provider pthread adds those of threads and locks$
	1 . ./pids; taffrail record -p $worker -o none -e 'pthread/mutex*'
		; taffrail record --provider pthread adds those of threads and locks$
group: a recording that ends at once
cases:
	0/1 taffrail record -o trace --for 1ns -e app/hit -- unmet
		^the recording ended before the agent was active in unmet: let it run longer$

group: --strict
case: ends the program as Ctrl-C does
run:
	taffrail record --strict -o trace -e app/hti -- unmet 60 || echo $?
whole stdout: 1
stderr: no marker of the modules so far matches 'app/hti'; nearest: app/hit
stderr: --strict: the recording ends
case: a program that ignores SIGINT gets SIGTERM
run:
	ln -s $(command -v unmet) deaf
	taffrail record --strict -o deaf-trace -e app/hti -- ./deaf 60
status: 1
stderr: --strict: the recording ends
case: a process for which there are no descriptors may have the marker
run:
	for n in $(seq 14 28); do
		(ulimit -n $n; exec taffrail record --strict -o limit-$n \
			-e app/hit -- sh -c 'unmet 1.2 1; :') 2>&1 &
		# a shell that takes a second to begin is a process without it
		test $((n % 3)) -ne 1 || wait
	done | cat
no stdout: so far
case: without a mistake it changes nothing
run: taffrail record --strict --fail-if-none -o right -e app/hit -- unmet 1 5
stderr: record: 5 events \(0 lost, .* of 1 process in right

group: --strict, signal by signal
need: command -v strace
case: the program gets one SIGINT, as it has the agent and is the command's
run:
	strace -o calls -e trace=kill,pidfd_send_signal \
		taffrail record --strict -o trace -e app/hti -- unmet 60 ||
		echo $?
	grep -c SIGINT calls
whole stdout:
	1
	1

group: no event
need: command -v babeltrace2
case: an empty trace, and the program's status
run: taffrail record -o trace -- unmet
whole stderr: taffrail: record: 0 events (0 lost, 0.0 bytes per event) of 1 process in trace
case: it is valid
run: taffrail verify trace
whole stdout: 0 emitted = 0 kept + 0 overwritten + 0 lost, in 0 streams of 1 trace
case: view
run: taffrail view trace
whole stdout:
whole stderr:
case: report
run: taffrail report trace
stdout: 0 events \(0 bytes\) of 1 process, 0 lost
case: export
run: taffrail export --format json trace | wc -l
whole stdout: 0
case: babeltrace2 reads it
run: babeltrace2 trace
whole stdout:
whole stderr:
case: one event beside two processes without any
run:
	taffrail record -o three -- sh -c 'unmet; unmet 0 1; unmet'
	grep -v '^#' three/traces | grep -c '^trace '
whole stdout: 1
stderr: record: 1 event \(0 lost, .* of 1 process in three
case: a report of locks alone, where there are none
run: taffrail report --locks three
stdout: ^No event is of a lock: taffrail record --provider pthread adds those$
no stdout: Events
case: --fail-if-none: record
run: taffrail record --fail-if-none -o none -e app/hit -- unmet
status: 1
whole stderr:
	taffrail: record: 0 events (0 lost, 0.0 bytes per event) of 1 process in none
	taffrail: record: --fail-if-none: there is no event of 'app/hit'
case: --fail-if-none: each rule is named
run: taffrail record --fail-if-none -o both -e app/hit -e 'app/* if i > 5' -- unmet
status: 1
stderr: record: --fail-if-none: there is no event of 'app/hit', 'app/\* if i > 5'$
case: --fail-if-none: view
run: taffrail view --fail-if-none trace
status: 1
whole stderr: taffrail: view: --fail-if-none: there is no event
case: --fail-if-none: a report that does not begin says nothing of events
run: taffrail report --fail-if-none --pair app:hit three
status: 2
no stderr: there is no event
case: --fail-if-none: nor does one with a wrong name
run: taffrail report --fail-if-none --field none three
status: 1
no stderr: there is no event
case: --fail-if-none: view of a part
run: taffrail view --fail-if-none --where 'app/hit if i > 5' three
status: 1
whole stderr: taffrail: view: --fail-if-none: there is no event of 'app/hit if i > 5'
case: --fail-if-none: view of an event
run: taffrail view --fail-if-none three
stdout: app:hit
case: --fail-if-none: report
run: taffrail report --fail-if-none trace
status: 1
stdout: 0 events
stderr: taffrail: report: --fail-if-none: there is no event

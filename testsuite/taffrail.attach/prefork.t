# SPDX-License-Identifier: LGPL-2.1-or-later
# Processes that a server had forked before a session began in it are not in the
# session. The commands say so, and what they say adds these processes.

compile: prefork prefork.c -O2
before:
	server()
	{
		start prefork prefork && wait_for grep -q ^ready prefork.out &&
			wait_for eval 'test "$(pgrep -c -P $pid -x sleep)" = 1'
	}
	# DIR: how many processes have written events
	writers()
	{
		taffrail report --json "$1" | python3 -c '
	import json, sys
	print(len([p for p in json.load(sys.stdin)["processes"] if p["events"]]))'
	}

group: of one process
before: server
case: record
run: taffrail record --for 0.2 -e app/tick -o one -p $pid && writers one
stdout: ^1$
stderr: ^taffrail: record: process {pid} had forked 2 other processes before, which are not traced: -p {pid},\$\(pgrep -d, -P {pid}\) adds them$
case: start
run: taffrail start s -e app/tick -p $pid && taffrail destroy s
stderr: ^taffrail: start: process {pid} had forked 2 other processes before, which
case: view
run: taffrail view --follow --for 0.2 -e app/tick -p $pid | grep -c tick
stderr: ^taffrail: view: process {pid} had forked 2 other processes before, which
case: top
run: taffrail top --for 0.2 -e app/tick -p $pid
stderr: ^taffrail: top: process {pid} had forked 2 other processes before, which
case: not where nothing begins
run: taffrail start s -e app/tock -p $pid
status: 1
stderr: nearest: app/tick
no stderr: had forked
case: two of three
run: taffrail record --for 0.2 -e app/tick -o two -p $pid -p $(pgrep -n -P $pid -x prefork) && writers two
stdout: ^2$
stderr: ^taffrail: record: process {pid} had forked 1 other process before, which is not traced: -p {pid},\$\(pgrep -d, -P {pid}\) adds it$

group: of all of them
before: server
case: what it says adds them, and one that executes another program
run: taffrail record --for 0.2 -e app/tick -o all -p $pid,$(pgrep -d, -P $pid) && writers all
stdout: ^3$
no stderr: had forked
case: a list of lines
run: taffrail record --for 0.2 -e app/tick -o lines -p "$(pgrep -f -x prefork -P $pid)" && writers lines
stdout: ^2$
no stderr: had forked

group: of processes that end
before:
	three()
	{
		for name in a b c; do
			start $name prefork && wait_for grep -q ^ready $name.out &&
				declare -g $name=$pid || return
		done
	}
	# NAME: kills it, and waits until it is no process any more
	end_of()
	{
		kill -9 "${!1}" && wait_for test -f "$1.status"
	}
	three && end_of b
case: one has ended before
run: taffrail record --for 0.2 -e app/tick -o one -p $a,$b,$c && writers one
stdout: ^2$
stderr: ^taffrail: record: process {b} is left out: it has ended$
case: providers
run: taffrail record --provider pthread --for 0.2 -e app/tick -o pro -p $b,$c && writers pro
stdout: ^1$
stderr: ^taffrail: record: process {b} is left out: it has ended$
case: commands that look: the agent was not there
run:
	taffrail report --for 0.3 -e app/tick -p $a,$b,$c | grep 'of 2 processes'
	taffrail top --for 0.3 -e app/tick -p $b,$a >top || echo $?
	grep -c app/tick top
stdout: of 2 processes
stdout: ^1$
stderr: ^taffrail: report: process {b} is left out: it has ended$
stderr: ^taffrail: top: process {b} is left out: it has ended$
no stderr: no such process
case: view, where one process ends before its agent is there
run: taffrail view --follow --for 0.3 -e app/tick -p $a,$b | grep -c app:tick
stdout: ^[1-9][0-9]*$
stderr: ^taffrail: view: process {b} is left out: it has ended$
case: where all have ended, that is told
run: taffrail view --follow --for 0.3 -e app/tick -p $b
status: 1
stderr: ^taffrail: view: no such process: {b}$
case: start takes all or none
run: taffrail start s -e app/tick -p $a,$b
status: 1
stderr: ^taffrail: start: no such process: {b}$
case: all have ended
run: end_of a; end_of c; taffrail record --for 0.2 -o none -p $a,$b,$c || { test ! -e none && exit 1; }
status: 1
stderr: ^taffrail: record: no such process: {a}$
no stderr: is left out

group: of processes that end meanwhile
case: at any time
run:
	# a recording does not fail while a process is left
	for i in $(seq 0 11); do
		start stays prefork && wait_for grep -q ^ready stays.out || exit
		stays=$pid
		start ends prefork && wait_for grep -q ^ready ends.out || exit
		ends=$pid
		{ read -rt 0.0$((i * 7 + 10)) <> <(:); kill -9 $ends; } &
		taffrail record --for 0.2 -e app/tick -o any -p $ends,$stays \
			2>said || { echo "$i: $(cat said)"; exit 1; }
		# the other one may have written events before its end
		n=$(writers any)
		test $n = 1 -o $n = 2 || { echo "$i: $n"; exit 1; }
		kill -9 $stays; wait_for test -f stays.status
		rm -r any
	done

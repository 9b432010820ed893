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

# SPDX-License-Identifier: LGPL-2.1-or-later
# The commands that look at traces take the newest recording in the current
# directory where none is named.

compile: worker ../shared/worker.c -O2 -pthread agent
before:
	# a worker with session s that has written six events
	session()
	{
		worker && taffrail start s -p "$pid" -e 'app/*' &&
			say worker 'go 3' '^done 3$'
	}

group: nothing is here
before: mkdir -p empty .hidden/p/index; touch .hidden/p/index/session
cases:
	2 taffrail view
		^give a directory that record or snapshot wrote, or -s NAME; there is none here$
	2 taffrail report
		^give a directory that record or snapshot wrote, or -s NAME; there is none here$
	2 taffrail timeline
		^give a directory that record or snapshot wrote, or -s NAME; there is none here$
	2 taffrail export --format=json
		^give a directory that record or snapshot wrote, or -s NAME
	2 taffrail verify
		^give a directory that record or snapshot wrote; there is none here$

group: recordings are here
before:
	session
	taffrail snapshot s -o older
	taffrail snapshot s -o newer
	mkdir latest-but-empty
	ln -s older link
	touch -d '2020-01-01' older
	touch -d '2021-01-01' newer
case: view
run: taffrail view | wc -l
whole stdout: 6
whole stderr: taffrail: view: newer: the newest recording here
cases:
	0 taffrail report
		^newer: the newest recording here$
	0 taffrail export --format json -o events.json
		^newer: the newest recording here$
	0 taffrail timeline
		^newer: the newest recording here$
	0 taffrail verify
		^newer: the newest recording here$
case: timeline has its name
run: test -s newer.html
cases:
	2 taffrail view --fields older
		^give a directory that record or snapshot wrote, or -s NAME; 'older' is the value of --fields$
case: the other is newer
run: touch older; taffrail view | wc -l
whole stdout: 6
whole stderr: taffrail: view: older: the newest recording here
case: one that is being recorded
run:
	taffrail record -o now -e 'other/*' -p $pid 2>/dev/null & recorder=$!
	wait_for test -d now
	taffrail view
	echo $?; kill $recorder; wait $recorder
stdout: ^1$
stderr: ^taffrail: view: now: the newest recording here$
case: its program ends
run: worker_ends

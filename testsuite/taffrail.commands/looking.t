# SPDX-License-Identifier: LGPL-2.1-or-later
# What a beginner mistypes with the commands that look at traces and buffers,
# and with those for probe libraries. What cannot be found is said, with what there
# is instead; nothing is written where it was not meant.

compile: worker ../shared/worker.c -O2 -pthread agent
compile: loaded.so ../shared/loaded.c -O2 -shared -fPIC probe

before:
	worker
	taffrail start s -p $pid -e 'app/*'
	say worker 'go 100' '^done 100$'
	taffrail snapshot s -o trace
	taffrail load $pid loaded.so
	mkdir here
wrap: cd here; {} >/dev/null; status=$?; test -z "$(ls)" && exit $status

# Times without an event
cases:
	0 taffrail view --begin +1000 $CASES/trace
		^no event in this time: the first is of \[[-\d]+ [:\d]+\.\d{9}\], the last of \[[-\d]+ [:\d]+\.\d{9}\]$
	0 taffrail view --end '1970-01-02 00:00' $CASES/trace
		^no event in this time: the first is of \[[-\d]+ [:\d]+\.\d{9}\], the last of \[[-\d]+ [:\d]+\.\d{9}\]$
	0 taffrail report --begin +1000 $CASES/trace
		^no event in this time: the first is of \[[-\d]+ [:\d]+\.\d{9}\], the last of \[[-\d]+ [:\d]+\.\d{9}\]$
	0 taffrail report --end '1970-01-02 00:00' $CASES/trace
		^no event in this time: the first is of \[[-\d]+ [:\d]+\.\d{9}\], the last of \[[-\d]+ [:\d]+\.\d{9}\]$
	0 taffrail export --format json --begin +1000 $CASES/trace
		^no event in this time: the first is of \[[-\d]+ [:\d]+\.\d{9}\], the last of \[[-\d]+ [:\d]+\.\d{9}\]$
	0 taffrail export --format json --end '1970-01-02 00:00' $CASES/trace
		^no event in this time: the first is of \[[-\d]+ [:\d]+\.\d{9}\], the last of \[[-\d]+ [:\d]+\.\d{9}\]$
	1 taffrail timeline --begin +1000 -o page.html $CASES/trace
		^no event in this time: the first is of \[[-\d]+ [:\d]+\.\d{9}\], the last of \[[-\d]+ [:\d]+\.\d{9}\]$
	1 taffrail view --begin 12:00 --end 11:00 $CASES/trace
		^--begin '12:00' is behind --end '11:00'$
	1 taffrail report --begin 12:00 --end 11:00 $CASES/trace
		^--begin '12:00' is behind --end '11:00'$
	1 taffrail export --format json --begin 12:00 --end 11:00 $CASES/trace
		^--begin '12:00' is behind --end '11:00'$

# Where sessions, processes and directories stand
	1 taffrail view s
		^s: there is no such directory; for a session's buffers, put -s before its name$
	1 taffrail report $pid
		^{pid}: there is no such directory; for a process, put -p before its number$
	1 taffrail view ./s
		^\./s: there is no such directory$
	1 taffrail report -s none -p $pid
		^process {pid} has no session 'none'; the nearest: s$
	1 taffrail snapshot none -p $pid -o $CASES/none
		^process {pid} has no session 'none'; the nearest: s$
	2 taffrail view -s s -s t
		^sessions 's' and 't': give one -s$
	2 taffrail top s
		^unexpected argument 's': a session stands behind -s, a process behind -p; for a trace: taffrail report s$

# Names of outputs
	2 taffrail timeline -o - $CASES/trace
		^-o -: give the name of a file; /dev/stdout is standard output$
	1 taffrail timeline -o new/ $CASES/trace
		^new/ is the name of a directory: give that of a file$
	2 taffrail export --format json -o - $CASES/trace
		^-o -: give the name of a file; /dev/stdout is standard output$
	1 taffrail export --format json -o new/ $CASES/trace
		^new/ is the name of a directory: give that of a file$
	2 taffrail export --format sqlite -o - $CASES/trace
		^-o -: give the name of a file; /dev/stdout is standard output$
	1 taffrail export --format sqlite -o new/ $CASES/trace
		^new/ is the name of a directory: give that of a file$

	1 taffrail export --format csv -o $CASES $CASES/trace
		^the directory \S+ is not empty: give another one$
	1 taffrail record -o $CASES -- true
		^\S+ exists and is not empty: give another directory, or --force, which keeps a recording as DIR\.old$

# Probe libraries
	2 taffrail load worker $pid
		^'worker' is not a process id; pidof\(1\) tells that of a program$
	2 taffrail load ./x.so $pid
		^'\./x\.so' is not a process id; pidof\(1\) tells that of a program$
	2 taffrail call worker loaded:print
		^'worker' is not a process id; pidof\(1\) tells that of a program$
	2 taffrail connect worker app/hit loaded:count
		^'worker' is not a process id; pidof\(1\) tells that of a program$
	2 taffrail load $pid ''
		^the library's name is empty$
	1 taffrail call $pid loaded.so:print
		^process {pid}: no library 'loaded\.so' is loaded, only: loaded; load it with taffrail load PID LIB\.so$

case: doctor of a number
run: taffrail doctor 4194303
status: 1
stdout: ^ +remedy: for a process, put -p before its number$
case: the program ends
run: worker_ends

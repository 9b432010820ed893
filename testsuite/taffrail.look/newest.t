# SPDX-License-Identifier: LGPL-2.1-or-later
# The commands that look at traces take the newest recording in the current
# directory where none is named; outputs that are there are kept with --force.

compile: worker ../shared/worker.c -O2 -pthread agent
compile: signalled.so signalled-lib.c -O2 -shared -fPIC
before:
	# a worker with session s that has written six events
	session()
	{
		worker && taffrail start s -p "$pid" -e 'app/*' &&
			say worker 'go 3' '^done 3$'
	}
	# a command as rights of files bind it; root without capabilities
	bound()
	{
		if test "$(id -u)" = 0; then
			setpriv --bounding-set=-dac_override,-dac_read_search \
				"$@"
		else
			"$@"
		fi
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
	wait_for sh -c 'taffrail status | grep -q record-'
	taffrail view
	echo $?; kill $recorder; wait $recorder
stdout: ^1$
stderr: ^taffrail: view: now: the newest recording here$
case: its program ends
run: worker_ends

group: --force
before:
	session
	taffrail snapshot s -o full
	mkdir -p full-directory own/notes/index tables
	touch full/precious full-directory/x.csv own/metadata own/notes/x
	touch tables/x.csv tables/thesis.csv.tex
	echo text >file
	ln -s own link-to-own
	ln -s nowhere dangling
cases:
	1 taffrail record --force -o own -- true
		^own is no recording, and --force moves nothing else: give another directory$
	1 taffrail snapshot s -o own/ --force
		^own/ is no recording, and --force moves nothing else: give another directory$
	2 taffrail record -o own --force
		^give either -p PID or a program
	1 taffrail record --force -o link-to-own -- true
		^link-to-own is no recording
	1 taffrail record --force -o file -- true
		^file is no recording
	1 taffrail record --force -o dangling -- true
		^dangling is no recording
	1 taffrail export --format csv --force -o tables full
		^tables is no export, for it has thesis.csv.tex, and --force moves nothing else: give another directory$
	1 taffrail export --format csv --force -o full full
		^full is no export, for it has
	1 taffrail record -o full -- true
		^full exists and is not empty: give another directory, or --force, which keeps a recording as DIR.old$
	1 taffrail snapshot s -o full
		^full exists and is not empty: give another directory, or --force, which keeps a recording as DIR.old$
	0 taffrail snapshot s --force -o full
		^the former full is full.old now$
	0 taffrail snapshot s --force -o full/
		^the former full is full.old.2 now$
	0 taffrail record --force -o full -p $pid -e 'app/*' --for 50ms
		^the former full is full.old.3 now$
	0 taffrail snapshot s --force -o new
		^6 events
	1 taffrail record --force -o full -p $pid -e app/none
		^full.old.4 is full again$
	127 taffrail record --force -o full -- ./none
		^full.old.4 is full again$
	1 taffrail export --format csv -o full-directory full.old.2
		^the directory full-directory is not empty: give another one, or --force
	0 taffrail export --format csv --force -o full-directory full.old.2
		^the former \S*full-directory is \S*full-directory.old now$
	0 taffrail export --format json -o page full.old.2
	0 taffrail export --format json --force -o page full.old.2
		^the former \S*page is \S*page.old now$
	0 taffrail timeline full.old.2
	1 taffrail timeline ./full.old.2
		^full.old.2.html is there already: give -o full.old.2.html to replace it, --force to keep it as full.old.2.html.old, or another file$
	0 taffrail timeline --force full.old.2
		^the former \S*full.old.2.html is \S*full.old.2.html.old now$
case: a link to a recording is moved itself
run:
	ln -s full.old link
	taffrail snapshot s --force -o link/ && test -L link.old -a -d link -a \
		! -L link && taffrail snapshot s --force -o link && ls link.old.2
stderr: ^taffrail: snapshot: the former link is link.old.2 now$
case: everything is there
run:
	ls full.old/precious full-directory.old/x.csv page page.old \
		full.old.2.html full.old.2.html.old new own/notes/x file \
		link-to-own/metadata tables/thesis.csv.tex &&
		! ls -d own.old tables.old file.old link-to-own.old &&
		test -L dangling && taffrail view full.old.2 | wc -l
stdout: ^6$
case: an empty directory is taken
run: mkdir -p none; taffrail snapshot s --force -o none; ls -d none*
whole stdout: none
case: one that is being recorded
status: 1
run:
	taffrail record -o now -e 'other/*' -p $pid 2>/dev/null & recorder=$!
	wait_for test -d now
	taffrail record --force -o now -- true
	ret=$?; kill $recorder; wait $recorder
	test ! -e now.old && exit $ret
stderr: ^taffrail: record: now is being recorded: give another directory$
cases:
	2 taffrail record -o - -- true
		^-o -: a trace is a directory, which standard output cannot be: give its name \(./- for this one\)$
	2 taffrail snapshot s -o -
		^-o -: a trace is a directory, which standard output cannot be: give its name \(./- for this one\)$
case: the program ends
run: worker_ends

group: a snapshot that another one took
before:
	session
	worker_ends
	mkdir deep
	taffrail snapshot s -o first
	taffrail record -o other -e app/none -- true || :
case: beside it
run: taffrail snapshot s -o second
status: 1
stderr: ^taffrail: snapshot: no process has a session 's'$
stderr: ^taffrail: snapshot: first has events of a session 's': a snapshot takes the buffers of ended processes with it$
case: in another directory
run: cd deep && taffrail snapshot s -o ../second/
status: 1
stderr: ^taffrail: snapshot: ../first has events of a session 's'
case: another session
run: taffrail snapshot t -o second
status: 1
no stderr: has events
case: nothing was made
run: ! ls -d second

group: a signal before the recording begins
before:
	session
	taffrail snapshot s -o full
	signalled()
	{
		LD_PRELOAD=$CASES/signalled.so SIGNAL_AT=$1 "${@:2}"
	}
case: the directory was made
run:
	signalled new taffrail record -o new -- true
	echo $?; test ! -e new
stdout: ^143$
case: a former one was moved
run:
	signalled full taffrail record --force -o full -- true
	echo $?; taffrail view full | wc -l; test ! -e full.old
stdout: ^143$
stdout: ^6$
case: the program begins: the recording ends as later, with the program
run: signalled sleep taffrail record -o begun -- sleep 60; test $? -gt 0
stderr: record: (the recording ended before the agent|0 events)
case: its program ends
run: worker_ends

group: a directory that cannot be read
need: bound true
before: mkdir -p blind mute/x && chmod 000 mute/x && chmod 311 blind
cases:
	2 cd blind && bound taffrail view
		^give a directory that record or snapshot wrote, or -s NAME; this directory cannot be read: Permission denied$
	2 cd blind && bound taffrail verify
		^give a directory that record or snapshot wrote; this directory cannot be read: Permission denied$
	2 cd mute && bound taffrail report
		^give a directory that record or snapshot wrote, or -s NAME; there is none here, but x cannot be read: Permission denied$
	1 bound taffrail record --force -o mute/x -- true
		^mute/x cannot be read, so it is not moved: Permission denied: give another directory$
case: they can be removed
run: chmod 755 blind mute/x

group: a directory that cannot be written
need: bound true
before: mkdir -p shut/t/p/index && touch shut/t/p/index/session && chmod 555 shut
cases:
	1 bound taffrail record --force -o shut/t -- true
		^cannot move shut/t to shut/t.old: Permission denied
case: it can be removed
run: chmod 755 shut

# SPDX-License-Identifier: LGPL-2.1-or-later
# A recorder that is killed before it has written anything: its directory is
# empty, and the buffers have the events. Commands name the session.

compile: prefork ../taffrail.attach/prefork.c -O2

group: killed
before:
	has_events()
	{
		taffrail status --json | grep -q '"written":[1-9]'
	}
	start recorder taffrail record -e app/tick -o killed -- prefork &&
		wait_for grep -q ^ready recorder.out && wait_for has_events &&
		kill -9 $pid && wait_for test -f recorder.status
	session=record-$pid
	mkdir empty
case: there is no trace
run: ls killed
whole stdout:
case: view
run: taffrail view killed
status: 1
stderr: ^taffrail: view: killed: no trace in this directory; the recorder of session '{session}' was killed, and had this directory or another: 'taffrail snapshot {session} -o OTHER' writes the events that are still in its buffers$
case: report
run: taffrail report killed
status: 1
stderr: ^taffrail: report: killed: no trace .*; the recorder of session '{session}' was killed, and had this directory or another: 'taffrail snapshot {session} -o OTHER'
case: a directory beside it is not said to be its own
run: taffrail view empty
status: 1
stderr: '{session}' was killed, and had this directory or another: 
case: its cause
run: taffrail report --json killed
status: 1
stderr: "recorder-killed"
case: what it says writes them, once the program has ended
run: say recorder end '' && wait_for sh -c '! pgrep -x prefork -s 0' && taffrail snapshot $session -o other && taffrail report --fail-if-none other
stdout: app:tick
case: then there is nothing to say
run: taffrail view killed
status: 1
whole stderr: taffrail: view: killed: no trace in this directory

group: a recorder at work
before:
	start recorder taffrail record -e app/tick -o works -- prefork &&
		wait_for grep -q ^ready recorder.out
	mkdir empty
case: it is not named
run: taffrail view empty
status: 1
whole stderr: taffrail: view: empty: no trace in this directory

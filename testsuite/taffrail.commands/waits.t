# SPDX-License-Identifier: LGPL-2.1-or-later
# record --for TIME -- PROGRAM: the program may go on behind the time, for which
# the command waits.

compile: unmet unmet.c -O2 agent

case: it says that it waits
run: taffrail record --for 0.3 -o waits -- sh -c 'unmet 0 1; sleep 1; exit 3'
status: 3
stderr:
	^taffrail: record: 1 event .* in waits\ntaffrail: record: the time of --for has passed; sh goes on, and this command waits for it: Ctrl-C reaches both$
case: not where the program has ended
run: taffrail record --for 60 -o over -- unmet 0 1
no stderr: the time
case: not after Ctrl-C
run: timeout -s INT 1 taffrail record --for 60 -o ended -- sh -c 'unmet 0 1; sleep 20' ; true
no stderr: the time

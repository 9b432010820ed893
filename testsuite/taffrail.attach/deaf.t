# SPDX-License-Identifier: LGPL-2.1-or-later
# Threads that block all signals: a command has them unblock SIGTRAP where code
# is to be switched, and they notice nothing else. Where it may not stop them,
# the places stay off, which is told.

compile: deaf deaf.c -O2 -g -D_GNU_SOURCE -pthread
before:
	cat >$CASES/begin <<-'END'
		mkfifo go
		$CASES/deaf $1 <go >said &
		exec 9>go
		until grep -q ready said; do sleep 0.02; done
		pid=$(sed 's/ready //' said)
	END

group: any function
before:
	. $CASES/begin
	timeout 60 taffrail record -p $pid -e fn:compute -o out 2>err 9>&- &
	until taffrail list -p $pid 2>&1 | grep -q '^fn/compute .* on '; do
		sleep 0.05; kill -0 $pid || break; done
	sleep 0.1
	exec 9>&-
	wait
case: no wait has ended, and no other signal is unblocked
run: sed 1d said
whole stdout: 0 wrong, 0 block it
case: it is recorded
run: taffrail view out | grep -c 'fn:compute: '
stdout: ^\d{2,}$
case: the threads are told, and no place
run: grep -c 'not traced' err; grep SIGTRAP err | sed "s/ $pid:/:/"
whole stdout:
	0
	taffrail: record: process: 8 threads that blocked SIGTRAP were stopped for a moment, and block it no more

group: rules for markers alone
before:
	. $CASES/begin
	taffrail record -p $pid --provider pthread --for 0.5s -o out 2>err
	exec 9>&-
	wait
case: change no mask, and tell none
run: sed 1d said; ! grep -c SIGTRAP err
whole stdout:
	0 wrong, 8 block it
	0

group: a tracer is there
need: strace -V
before:
	. $CASES/begin 7
	taffrail attach $pid >attached
	strace -qq -f -e trace=none -p $pid 2>traced 9>&- &
	until grep -q 'TracerPid:.[1-9]' /proc/$pid/status; do sleep 0.02; done
	taffrail start s -p $pid -e fn:compute 2>err || echo $? >status
	kill $!
	while grep -q 'TracerPid:.[1-9]' /proc/$pid/task/*/status; do sleep 0.02; done
	taffrail enable s fn:compute 2>enabled
	taffrail list -p $pid >listed
	taffrail destroy s
	exec 9>&-
	wait
case: the place is told
run: cat status; cat err >&2
whole stdout: 1
stderr: fn/compute.* at 0x[0-9a-f]+ is not traced: a thread blocks SIGTRAP$
case: without it, the rule is obeyed
run: cat listed
stdout: ^fn/compute .* on 
case: nothing was harmed
run: sed 1d said
whole stdout: 0 wrong, 0 block it

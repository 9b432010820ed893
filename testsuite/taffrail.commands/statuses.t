# SPDX-License-Identifier: LGPL-2.1-or-later
# Each sub-command where something is scarce or broken: its exit status, and
# what it says. The manuals have each exit status that is seen here.

compile: worker ../shared/worker.c -O2 -pthread agent
compile: loaded.so ../shared/loaded.c -O2 -shared -fPIC probe
need: command -v babeltrace2
before:
	# a worker with session s that has written 200 events
	session()
	{
		worker "$@" && taffrail start s -p "$pid" -e 'app/*' &&
			say worker 'go 100' '^done 100$'
	}
	has_no_thread()
	{
		! grep -qsx taffrail /proc/"$1"/task/*/comm
	}
	session
	taffrail snapshot s -o whole
	worker_ends
	manuals=$(dirname "$(command -v taffrail)")/../share/man/man1

# the second word: what the sub-command looks at
rows commands:
	list		taffrail list -p $pid
	status		taffrail status s -p $pid
	start		taffrail start new -p $pid -e 'app/*' --buffer-size 256K
	enable		taffrail enable s 'other/*' -p $pid
	disable		taffrail disable s 'other/*' -p $pid
	flush		taffrail flush s -p $pid
	snapshot	taffrail snapshot s -p $pid -o snap
	view		taffrail view -s s -p $pid
	report		taffrail report -s s -p $pid
	export		taffrail export --format json -s s -p $pid
	timeline	taffrail timeline -o page.html -s s -p $pid
	top		taffrail top --for 0.1 -s s -p $pid
	view-session	taffrail view -s s
	report-session	taffrail report -s s
	export-session	taffrail export --format json -s s
	timeline-session taffrail timeline -o page.html -s s
	top-session	taffrail top --for 0.1 -s s
	view-trace	taffrail view $CASES/whole
	report-trace	taffrail report $CASES/whole
	export-trace	taffrail export --format json $CASES/whole
	timeline-trace	taffrail timeline -o page.html $CASES/whole
	record		taffrail record -p $pid -e 'app/*' --for 0.1 -o rec
	attach		taffrail attach $pid
	load		taffrail load $pid $CASES/loaded.so
	connect		taffrail connect $pid app/hit loaded:count
	call		taffrail call $pid loaded:print
	disconnect	taffrail disconnect $pid app/hit loaded:count
	unload		taffrail unload $pid $CASES/loaded.so
	doctor		taffrail doctor -p $pid
	detach		taffrail detach $pid
	gdb		taffrail gdb --print -p $pid
	watch		timeout ${watch-60} taffrail watch -p $pid
	stop		taffrail stop s -p $pid
	destroy		taffrail destroy s -p $pid
	verify		taffrail verify $CASES/whole
	completion	taffrail completion bash

# `attach` finds an agent; `detach` ends the sessions; `watch` ends with its
# process, so a time-out ends it.
group: plain
env: watch=1
before: session
expect commands:
	*		0
	snapshot	0 200 events \(0 lost
	record		0 0 events
	attach		1 has an agent already
	watch		124
	stop|destroy	1 no session 's'
case: the program ends
run: worker_ends

# A command that must ask a stopped process says so, and changes nothing later;
# the buffers can be read all the same.
group: stopped, {name}
for: name asleep thread
env: watch=1
before:
	case {name} in
	asleep) session ;;
	thread) session TAFFRAIL_SERVICE=thread ;;
	esac
	kill -STOP $pid
	wait_for grep -q '^State:.T' /proc/$pid/status
beside: all
expect commands:
	*		1 is stopped: continue it first \(kill -CONT
	view*		0
	report*		0
	export*		0
	timeline*	0
	top*		0
	verify		0
	completion	0
	snapshot	0 200 events \(0 lost
	attach		1 has an agent already
	doctor		1 tracing process \d+ will not work: agent
	watch		124
case: nothing was changed or started
run:
	kill -CONT $pid
	say worker 'go 100' '^done 200$' && taffrail status
stdout: ^s: active, discard; rules app/\*$
no stdout: ^new
case: the program ends
run: worker_ends

# The command has few descriptors.
group: descriptors
before: session
wrap: ulimit -n 8; {}
expect commands:
	*		1 Too many open files \(ulimit -n is 8\): . more can .*raise it
	*-trace|verify|completion 0
	doctor		1 process \d+ will not work: descriptors
case: the program ends
run: worker_ends

# Its files may have 512 bytes. The messages do, and few outputs, here a file.
group: file size
env: watch=1
before: session
wrap: sh -c 'ulimit -f 1; exec "$@"' sh {}
expect commands:
	*		0
	view*|export*|timeline* 1 cannot write.*: File too large \(ulimit -f is 0K\): raise it
	doctor|completion 1 cannot write the output: File too large \(ulimit -f is 0K\)
	attach		1 has an agent already
	snapshot	1 0 events are there, .*: File too large \(ulimit -f is 0K\): raise it
	record		1 rec: the rest is lost: File too large \(ulimit -f is 0K\): raise it
	detach		-
	watch		124
case: the program ends
run: worker_ends

# Whatever the limit, a command that fails by it names it, and says to raise it.
group: ulimit -n {limit}
for: limit 7 10 12 14 16 18 20 24 32
before: session
wrap: ulimit -n {limit}; {}
expect commands:
	* 0/1 \(ulimit -n is {limit}\).*raise it|no session 's'|no event|no library 'loaded'|is loaded already|is not connected|has no probe library
	watch|attach|detach|doctor -
case: the program ends
run: worker_ends

# /proc is not mounted where the command runs. What needs no process works.
group: no /proc
need: unshare -m true
before: session
wrap: unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh {}
expect commands:
	*		1 /proc is not mounted here, and processes cannot be told apart
	*-session|*-trace|verify|completion 0
	doctor		1 process \d+ will not work: proc, 
case: the program ends
run: worker_ends

# Limits of the process
group: process's nofile=0
need: command -v prlimit
before:
	session
	wait_for has_no_thread $pid
	prlimit --pid $pid --nofile=0:
expect commands:
	*		-
	view*|report*|export*|timeline*|top*|verify|completion 0
	list|start|record 1 cannot serve a command: .*its limits: ulimit -n is 0
	snapshot	0 200 events
	load		1 cannot make a file for .*; its limits: ulimit -n is 0
	doctor		1 process \d+ will not work: limits
case: the program ends
run: prlimit --pid $pid --nofile=1024:; worker_ends

group: process's nofile=3
need: command -v prlimit
env: watch=1
before:
	session
	wait_for has_no_thread $pid
	prlimit --pid $pid --nofile=3:
expect commands:
	*		0
	start|record	1 cannot make the session's files in .*: ulimit -n is 3
	attach		1 has an agent already
	gdb		1 cannot make gdb.sock: [^;]*; its limits: ulimit -n is 3
	doctor		1 process \d+ will not work: limits
	watch		124
	detach		-
case: the program ends
run: prlimit --pid $pid --nofile=1024:; worker_ends

group: process's fsize=0
need: command -v prlimit
env: watch=1
before:
	session
	wait_for has_no_thread $pid
	prlimit --pid $pid --fsize=0:
expect commands:
	*		0
	start|record	1 cannot make the session's files in .*: ulimit -f is 0K
	doctor		1 process \d+ will not work: limits
	attach		1 has an agent already
	watch		124
	detach		-
case: the program ends
run: prlimit --pid $pid --fsize=unlimited:; worker_ends

group: process's as=1000000
need: command -v prlimit
before:
	session
	wait_for has_no_thread $pid
	prlimit --pid $pid --as=1000000:
expect commands:
	*		-
	view*|report*|export*|timeline*|top*|verify|completion 0
	list|start	1 process \d+: no memory; its limits: ulimit -v leaves 0K
	snapshot	0 200 events
	load		1 no memory for the agent: its limits: ulimit -v leaves 0K
	doctor		1 process \d+ will not work: limits
case: the program ends
run: prlimit --pid $pid --as=unlimited:; worker_ends

# Its address space has room for smaller buffers only.
group: smaller buffers
need: command -v prlimit
before:
	worker
	used=$(awk '/^VmSize:/ { print $2 }' /proc/$pid/status)
	prlimit --pid $pid --as=$(((used + 60000) * 1024)):
case: start names the limit
run: taffrail start less -p $pid --buffer-size 64M
stderr: ^taffrail: start: process {pid}: buffers of \d+K instead of 65536K in \S+: its limit of address space \(ulimit -v\) leaves no more: raise it, or give a smaller --buffer-size$

# A command waits for seconds until a process without descriptors, or without
# memory, is known not to answer: here all commands wait at once, for a process
# each, because only one command can trace a process.
group: waits for a process's nofile=0
need: command -v prlimit
before:
	for word in list status start enable disable flush record detach gdb \
			stop destroy load connect; do
		mkdir $word && cd $word && session && cd ..
		case $word in
		connect) taffrail load $pid $CASES/loaded.so ;;
		esac
	done
	for pid in $(cat */worker.pid); do
		wait_for has_no_thread $pid
		prlimit --pid $pid --nofile=0:
	done
beside: all
wrap: cd {name} || exit; pid=$(cat worker.pid); {}
expect commands:
	*		1 (?:cannot serve a command: Too many open files;|make a file for .*;) its limits: ulimit -n is 0
	snapshot|view*|report*|export*|timeline*|top*|attach|call|disconnect|unload -
	doctor|watch|verify|completion -

group: waits for a process's {limit}=1000000
for: limit as data
need: command -v prlimit
before:
	for word in list status start enable disable flush record detach gdb \
			stop destroy load connect call disconnect unload; do
		mkdir $word && cd $word && session && cd ..
		case $word in
		connect|call|disconnect|unload)
			taffrail load $pid $CASES/loaded.so ;;
		esac
	done
	for pid in $(cat */worker.pid); do
		wait_for has_no_thread $pid
		prlimit --pid $pid --{limit}=1000000:
	done
	case {limit} in
	as) letter=v ;;
	data) letter=d ;;
	esac
beside: all
wrap: cd {name} || exit; pid=$(cat worker.pid); {}
expect commands:
	*		1 (?:no memory;|no memory for the agent:) its limits: ulimit -{letter} leaves 0K
	snapshot|view*|report*|export*|timeline*|top*|attach -
	doctor|watch|verify|completion -

# The files of record -p may have 512 bytes, and it has events to write.
group: file size, with events
before: session
case: record
run:
	start recorder sh -c 'ulimit -f 1; exec "$@"' sh \
		taffrail record -p $pid -e 'app/*' -o short
	wait_for sh -c 'taffrail status | grep -q "record-[0-9]*: active"'
	say worker 'go 100' '^done 200$'
	kill -INT $pid
	ended recorder
	status=$?
	cat recorder.err >&2
	exit $status
status: 1
stderr: File too large \(ulimit -f is 0K\): raise it
case: detach
run: sh -c 'ulimit -f 1; exec "$@"' sh taffrail detach --force $pid
case: the program ends
run: worker_ends

# The disk of the trace is full, has no room for a file, or is read-only.
group: full disk
need: unshare -m true
before: session; mkdir disk
wrap: unshare -m sh -c 'mount -t tmpfs -o size=4k none disk && cd disk && exec "$@"' sh {}
expect commands:
	*		-
	verify		0
	snapshot	1 0 events are there, and no buffer was removed: the disk is full: .*another snapshot
case: nothing was lost
run: taffrail snapshot s -o again
says: 200 events \(0 lost
case: the program ends
run: worker_ends

group: no inodes
need: unshare -m true
before: session; mkdir disk
wrap: unshare -m sh -c 'mount -t tmpfs -o nr_inodes=3 none disk && cd disk && exec "$@"' sh {}
expect commands:
	*		-
	verify		0
	snapshot	1 0 events are there, .*: the disk is full
case: nothing was lost
run: taffrail snapshot s -o again
says: 200 events \(0 lost
case: the program ends
run: worker_ends

group: read-only disk
need: unshare -m true
before: session; mkdir disk
wrap: unshare -m sh -c 'mount -t tmpfs -o ro none disk && cd disk && exec "$@"' sh {}
expect commands:
	*		-
	verify		0
	snapshot	1 the file system is read-only
case: nothing was lost
run: taffrail snapshot s -o again
says: 200 events \(0 lost
case: the program ends
run: worker_ends

group: read-only runtime directory
need: unshare -m true
before: session; worker_ends
wrap: unshare -m sh -c 'mount --bind "$TAFFRAIL_DIR" "$TAFFRAIL_DIR" && mount -o remount,bind,ro "$TAFFRAIL_DIR" && exec "$@"' sh {}
cases:
	1 taffrail record -o trace -- true
		^cannot write \S+/sessions/record-\d+: the file system is read-only: set TAFFRAIL_DIR to a private directory
	1 taffrail start later --all
		^cannot write \S+/sessions/later: the file system is read-only: set TAFFRAIL_DIR to a private directory

# The process has ended, or has no agent.
group: ended
before: session; kill -KILL $pid; wait_for test -f worker.status
expect commands:
	*		1 no such process: \d+
	*-session|*-trace|verify|completion 0
	view|top	1 the events of process \d+ are still in the buffers of s: give
	doctor		1 process \d+ will not work: process
case: its events are there
run: taffrail snapshot s -o dead
says: 200 events \(0 lost

group: no agent
before: start none sleep 600
expect commands:
	*		1 has no agent: taffrail attach \d+ loads it
	view|top	1 -e RULE loads it for this command, and takes it back; -e '\*' means every marker
	*-session	1 no process has a session 's'
	*-trace|verify|completion 0
	detach		1 has no agent at work: there is nothing to take back
	doctor		0
	attach|load|connect|record|gdb|start -
	call		1 has no probe library: load one with taffrail load \d+ LIB
	disconnect|unload 1 has no probe library: load one with taffrail load

group: no agent: {name}
for: name attach gdb load
before: start none sleep 600
expect commands:
	*		-
	{name}		0
case: has loaded it
run: taffrail list -p $pid

group: no agent: {name}
for: name record start
before: start none sleep 600
expect commands:
	*		-
	{name}		1
case: has loaded it
run: taffrail list -p $pid

# The manuals have each status of the tables.
group: taffrail-{word}.1
for: word list status start enable env disable flush snapshot view report export timeline top record attach load connect call disconnect unload doctor detach gdb watch stop destroy verify completion
case: has the exit statuses 0 and 1
run: sed -n '/^\.SH EXIT STATUS/,/^\.SH [^E]/p' $manuals/taffrail-{word}.1
stdout: \b0\b
stdout: \b1\b

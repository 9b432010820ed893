# SPDX-License-Identifier: LGPL-2.1-or-later
# Buffers that all processes of a recording share: each event is there once, with
# the process and thread; a process that is killed loses nothing; processes that
# cannot share have buffers of their own. `judge` compares the events of a trace
# with the numbers that the writers print.

compile: shared shared.c -O2 agent
compile: orphans ../taffrail.children/orphans.c -O2 -D_GNU_SOURCE
compile: worker ../shared/worker.c -O2 -pthread agent
before:
	cat >$CASES/judge <<-'END'
		#!/bin/sh
		# judge OUT SAID: prints the number of writers and of mistakes
		taffrail view --long $1 | awk -v said=$2 '
			function field(name) {
				match($0, name " = -?[0-9]+")
				return substr($0, RSTART + length(name) + 3,
					      RLENGTH - length(name) - 3)
			}
			BEGIN { while ((getline line < said) > 0) {
				split(line, a, " "); want[a[1]] = a[2]; dead[a[1]] = a[3] } }
			{ w = field("writer"); i = field(" i")
			  if (i != n[w] + 0) { order++ } n[w]++
			  if (field("vtid") != field("me")) thread++
			  if (!index($0, ":(" field("own") ") ")) process++
			  if (!/:(shared|exe):\(/) name++ }
			END { for (w in want) { writers++
				if (n[w] < want[w] || n[w] > want[w] + dead[w]) count++ }
			      print writers, "writers", order + 0, count + 0,
				    thread + 0, process + 0, name + 0 }'
	END
	chmod +x $CASES/judge

group: twenty processes
before:
	taffrail record --buffers shared -o out -- $CASES/shared 20 500 7 >said 2>err
case: no event is missing, doubled or another's
run: $CASES/judge out said
whole stdout: 40 writers 0 0 0 0 0
case: there is one trace
run: ls out
stdout: ^record-\d+@
no stdout: shared-|exe-
case: the counts are right
run: taffrail verify out && test $(taffrail view out | wc -l) = $(taffrail verify out | cut -d' ' -f1) && cat err
stdout: ^(\d+) emitted = \1 kept \+ 0 overwritten \+ 0 lost
stdout: events \(0 lost, .* of 40 processes in out
case: ids are the session's
run: grep -c '^event {' out/record-*/metadata
whole stdout: 3
case: babeltrace2 reads it
run: babeltrace2 out >bt && taffrail view --raw out | cmp - bt && wc -l <bt
stdout: ^\d+$
case: the short form has the process
run: taffrail view --short out
stdout: (shared|exe)/\d+ shared:step
case: rules and reports know the process
run: taffrail report out && taffrail report --json out
stdout: of 40 processes, 0 lost
stdout: ^ +\d+ +[0-9.]+% +\d+ +0 +\d+  (shared|exe)$
stdout: \{"pid":\d+,"name":"(shared|exe)","host":.*,"events":\d+
case: nothing is left
run: find $TAFFRAIL_DIR -mindepth 2 ! -name .known | wc -l
whole stdout: 0

group: overwritten
before:
	taffrail record --buffers shared --overwrite --buffer-size 256K -o out -- $CASES/shared 6 20000 0 >said
case: emitted = kept + overwritten + lost
run: taffrail verify out
stdout: ^240000 emitted = \d+ kept \+ [1-9]\d* overwritten \+ 0 lost
case: every event has its thread
run: taffrail view --long out | awk '{ match($0, /vtid = [0-9]+/); v = substr($0, RSTART + 7, RLENGTH - 7); match($0, /me = [0-9]+/); bad += v != substr($0, RSTART + 5, RLENGTH - 5) } END { print (NR > 0), bad + 0 }'
whole stdout: 1 0

group: own buffers, {WAY}
for: WAY rseq clock
before:
	case {WAY} in
	rseq) export GLIBC_TUNABLES=glibc.pthread.rseq=0 ;;
	clock) export TAFFRAIL_CLOCK=monotonic ;;
	esac
	taffrail record --buffers shared -o out -- $CASES/shared 3 300 1 >said
case: no event is missing
run: $CASES/judge out said | cut -d' ' -f1-5
whole stdout: 6 writers 0 0 0
case: traces stand side by side
run: ls out
stdout: ^(shared|exe)-\d+-\d+
case: the counts are right
run: taffrail verify out
stdout: ^(\d+) emitted = \1 kept

group: one of three has own buffers
before:
	taffrail record --buffers shared -o out -- sh -c '
		$CASES/shared 2 200 0 >said &
		GLIBC_TUNABLES=glibc.pthread.rseq=0 $CASES/shared 1 100 0 >other &
		wait'
case: both are in the output
run: ls out | sed 's/[0-9][0-9]*/N/g' | sort -u | grep -v traces
stdout: ^record-N@
stdout: ^shared-N-N$
case: no event is missing
run: taffrail verify out
stdout: ^1000 emitted = 1000 kept

group: while it runs
before:
	mkfifo go gone
	taffrail record --buffers shared -o killed -- sh -c '
		$CASES/shared 1 10 0 >other; echo >over; read line <gone' &
	until test -s over; do sleep 0.05; done
	kill -9 $!
	echo >gone
	rm $TAFFRAIL_DIR/sessions/record-*
	taffrail record --buffers shared -o out -- sh -c '
		$CASES/shared 3 300 0 >said; echo >ready; read line <go' 2>err &
	until test -s ready; do sleep 0.05; done
	name=$(ls $TAFFRAIL_DIR/sessions)
case: there is one set of buffers
run: find $TAFFRAIL_DIR/sessions/.shared.$name $TAFFRAIL_DIR/*.* -name 'ring.*' | wc -l | grep -x $(getconf _NPROCESSORS_CONF)
stdout: \d
case: status counts it
run: taffrail status --json
stdout: "name":"\(shared\)","alive":true,"written":1800,"lost":0
case: a snapshot has all
run: taffrail snapshot $name -o snap && $CASES/judge snap said
whole stdout: 6 writers 0 0 0 0 0
case: a snapshot of one process has those of all that share, and says so
run: taffrail snapshot $name -o one -p $(pgrep -P ${name#record-} sh) && echo $($CASES/judge one said; taffrail view one --where "* if vpid == $(taffrail view --long one | sed -n 's/.*:(\([0-9]*\)) .*/\1/p' | head -1)" | wc -l)
whole stdout: 6 writers 0 0 0 0 0 300
stderr: ^taffrail: snapshot: process \d+ shares the buffers of session 'record-\d+': the trace has the events of all its processes; --where '\* if vpid == \d+' shows those of this one$
case: the buffers are there, and those of a killed recorder
run: ls -d $TAFFRAIL_DIR/sessions/.shared.$name $TAFFRAIL_DIR/sessions/.shared.* | wc -l
whole stdout: 3
case: report counts those that have written
run: taffrail report -s $name
stdout: of 6 processes
case: so has view
run: taffrail view -s $name | wc -l
whole stdout: 1800
case: the recording has all at the end
run: echo >go; until grep -q events err; do sleep 0.05; done; $CASES/judge out said
whole stdout: 6 writers 0 0 0 0 0

group: followed
before:
	mkfifo go
	exec 9<>go
	cp $CASES/shared late
	taffrail record --buffers shared -o out -- sh -c '
		$CASES/shared 1 10 0 >said; echo >ready; read line <go
		./late 1 50 0 >said' 2>err &
	until test -s ready; do sleep 0.05; done
	taffrail view --follow --long -s $(ls $TAFFRAIL_DIR/sessions) \
		--where '* if procname == "late"' >followed &
	taffrail view --follow --long out --where '* if procname == "late"' >beside &
	sleep 0.5
	echo >&9
	exec 9>&-
	wait
case: a process that comes later has its name
run: wc -l <followed
whole stdout: 100
case: also in the recorder's directory
run: wc -l <beside
whole stdout: 100

group: the recorder is killed
before:
	mkfifo go
	taffrail record --buffers shared -o out -- sh -c '
		$CASES/shared 3 300 0 >said; echo >ready; read line <go' &
	until test -s ready; do sleep 0.05; done
	kill -9 $!
	name=$(ls $TAFFRAIL_DIR/sessions)
case: a snapshot has what is in the buffers
run: taffrail snapshot $name -o snap && $CASES/judge snap said
whole stdout: 6 writers 0 0 0 0 0
case: the buffers stay, as a process still has them
run: taffrail status --json
stdout: "name":"\(shared\)","alive":true,"written":1800
case: destroy removes them
run: taffrail destroy $name && echo >go && find $TAFFRAIL_DIR -name 'ring.*' | wc -l
whole stdout: 0

group: names behind a killed recorder
case: a directory has them also behind the last metadata
run:
	mkfifo stay
	taffrail record --buffers shared -o killed -- sh -c '
		$CASES/shared 1 10 0 >early; echo >begun; read line <stay
		cp $CASES/shared later; ./later 1 50 0 >over; read line <stay' &
	until test -s begun; do sleep 0.05; done
	taffrail view --follow killed >seen &
	follower=$!
	exec 9<>stay
	until test "$(wc -l <seen)" = 20; do sleep 0.05; done
	echo >&9
	until test "$(wc -l <seen)" = 120; do sleep 0.05; done
	kill -9 $(ls $TAFFRAIL_DIR/sessions | sed -n "s/record-//p")
	wait $follower
	echo >&9
	grep -c 'process_.*later' killed/*/metadata
	taffrail view --long killed 2>err | grep -c ':later:('
stdout: ^0$
stdout: ^100$

group: few descriptors, {LIMIT}
for: LIMIT 6 10 14 18 19 20
before:
	status=0
	(ulimit -n {LIMIT} && exec taffrail record --buffers shared -o out -- \
		$CASES/shared 6 200 0) >said 2>err || status=$?
	session=$(sed -n 's/.*taffrail snapshot \(record-[0-9]*\) -o DIR writes it.*/\1/p' err)
	test -z "$session" || taffrail snapshot "$session" -o rest
case: each event is in the trace, or a snapshot writes it
run:
	n=0
	for dir in out rest; do
		test ! -d $dir || n=$((n + $(taffrail view $dir | wc -l)))
	done
	cat err >&2
	echo $((n - $(awk '{ n += $2 } END { print n + 0 }' said))) more
whole stdout: 0 more
case: the failure is told once
run: echo $(grep -cE 'trace is incomplete|cannot write' err) $status
stdout: ^1 1$|^0 0$
case: nothing is left
run: find $TAFFRAIL_DIR -mindepth 2 ! -name .known
whole stdout:

group: no room
need: unshare -m true
before:
	mkdir small
	unshare -m sh -c 'mount -t tmpfs -o size=3m,mode=700 none small || exit 77
		export TAFFRAIL_DIR=$PWD/small
		taffrail record --buffers shared --buffer-size 256K -o out -- \
			$CASES/shared 1 20 0 >said
		find small -mindepth 2 ! -name .known' 2>err >left
case: the program runs, with buffers of each process
run: wc -l <said && taffrail verify out
stdout: ^2$
stdout: ^40 emitted = \d+ kept \+ 0 overwritten \+ \d+ lost
case: the sentence is true
run: cat err left
stdout: no buffers are shared: they have no room in /.*/small \(No space left on device\), so each process has buffers of its own: give a smaller --buffer-size
no stdout: had no room for any|^small/

group: little room
need: unshare -m true
before:
	mkdir small
	unshare -m sh -c 'mount -t tmpfs -o size=6m,mode=700 none small || exit 77
		export TAFFRAIL_DIR=$PWD/small
		taffrail record --buffers shared --buffer-size 4M -o out -- \
			$CASES/shared 1 20 0 >said
		find small -name "ring.*"' 2>err >left
case: the shared buffers are smaller
run: $CASES/judge out said && ls out
whole stderr:
stdout: ^2 writers 0 0 0 0 0
stdout: ^record-\d+@
case: that is said once
run: cat err left
stdout: the buffers that processes share in /.*/small have \d+K instead of 4096K: the file system is full: make room there, or give a smaller --buffer-size
no stdout: smaller buffers|^small/

group: children without files
case: their losses are in the ledger
run:
	taffrail record --buffers shared -e 'app/*' -o out -- \
		$CASES/orphans late $TAFFRAIL_DIR 2>err || echo $?
	cat err
	taffrail verify out
stdout: ^1$
stdout: 2 forked processes could not make files, and counted their events as lost
stdout: ^24 emitted = 10 kept \+ 0 overwritten \+ 14 lost

group: another clock source
need: unshare -m true && test -f /sys/devices/system/clocksource/clocksource0/current_clocksource
case: the program runs, with buffers of each process
run:
	echo hpet >source
	unshare -m sh -c 'mount --bind source \
			/sys/devices/system/clocksource/clocksource0/current_clocksource || exit 77
		taffrail record --buffers shared -o out -- \
			$CASES/shared 1 20 0' 2>&1 >said
	taffrail verify out
stdout: no buffers are shared here: the clock is not
stdout: ^40 emitted = 40 kept

group: files of a limited size
case: the program runs, with buffers of each process
run:
	(ulimit -f 1000 && exec taffrail record --buffers shared -o out -- \
		$CASES/shared 1 20 0) 2>&1 >said
	taffrail verify out
stdout: no buffers are shared: they have no room in .*File too large
stdout: ^40 emitted = 40 kept

group: a thousand turns
case: an option that --buffers shared refuses is not recommended
run:
	taffrail record --buffers shared -o out -- sh -c \
		'for i in 1 2 3 4 5; do $CASES/shared 100 1 0; done' 2>&1 >said
stdout: 1000 events \(0 lost, .* 1\d\d\d writer records\)
no stdout: --context

group: no event
case: the trace is there, and empty
run: taffrail record --buffers shared -o out -- true 2>err; cat err; taffrail verify out
stdout: 0 events \(0 lost, 0.0 bytes per event\) of 1 process in out
stdout: ^0 emitted = 0 kept
case: report counts the process, as without shared buffers
run: taffrail report out
stdout: ^0 events \(0 bytes\) of 1 process, 0 lost

group: little address space
case: a process that has none for the shared buffers makes smaller ones
run:
	taffrail record --buffers shared --buffer-size 64M -o out -- sh -c \
		'ulimit -v 172000; exec $CASES/shared 1 20 0' >said
	taffrail verify out
stdout: ^40 emitted = 40 kept

group: a signal before the program starts
before:
	# until the kernel's clock of files is beyond this time, the program waits
	cp $CASES/shared late
	for i in 1 2 3 4 5 6 7 8 9 10; do
		touch late
		taffrail record --buffers shared -o out.$i -- ./late 1 5 0 >said 2>err &
		until test -d out.$i || ! kill -0 $!; do :; done
		kill -TERM $! 2>>err || :
		wait $! || :
	done
case: nothing is left
run: ls -A $TAFFRAIL_DIR/sessions
no stdout: shared

group: refused
cases:
	2 taffrail record --buffers all -- true
		buffers 'all' are neither 'process' nor 'shared'
	2 taffrail record --buffers shared -p 1
		--buffers shared is for a program that record starts, and not for -p
	2 taffrail record --buffers shared --overwrite --keep 2s -- true
		--keep is for --buffers process
	2 taffrail record --buffers shared --context vtid -- true
		--buffers shared has the context 'writer', and no other

group: start --all
before:
	start before $CASES/worker 0 before.counts
	wait_for grep -q ^ready before.out
	taffrail start every --all --buffers shared -e 'shared/*' -e app/hit
	say before 'go 100' '^done 100'
	$CASES/shared 20 500 7 >said
	for i in 1 2 3; do $CASES/worker 0 ended.counts <<-END >ended; done
		go 10
		end
	END
case: there is one set of buffers
run: find $TAFFRAIL_DIR -name 'ring.*' | wc -l | grep -x $(getconf _NPROCESSORS_CONF)
stdout: \d
case: a process that ends leaves nothing of its own
run: grep -l worker $TAFFRAIL_DIR/*/0/process | wc -l
whole stdout: 1
case: a process that runs, later ones, their children, and those that are killed
run:
	taffrail snapshot every -o out 2>err
	cat err
	taffrail view --long out >all
	grep -c app:hit all
	taffrail verify out
	ls out
stdout: of 44 processes in out
stdout: ^260$
stdout: ^(\d+) emitted = \1 kept \+ 0 overwritten \+ 0 lost, in \d streams of 1 trace
stdout: ^every@
case: no event is missing, doubled or another's
run:
	taffrail snapshot every -o again
	$CASES/judge 'again --where shared/*' said
whole stdout: 40 writers 0 0 0 0 0
case: -p shows the events of one process
run:
	taffrail view -p $pid | grep -c ':worker:('
	taffrail report -p $pid --json
	taffrail export -p $pid --format csv --where app/hit | wc -l
whole stderr:
stdout: ^200$
stdout: "events":200,
stdout: ^201$
case: they are needed
run: taffrail start every --all --buffers shared
status: 1
says: session 'every' exists already
case: a rule is taken back, and another one is added
run:
	taffrail disable every app/hit
	say before 'go 50' '^done 150'
	taffrail enable every app/hit
	say before 'go 1' '^done 151'
	taffrail flush every
	taffrail view -s every | grep -c app:hit
whole stdout: 262
case: once the session has stopped, no event comes
run:
	taffrail stop every
	say before 'go 10' '^done 161'
	taffrail view -s every | grep -c app:hit
whole stdout: 262
case: while a process lives that has joined, the buffers stay
run:
	taffrail snapshot every -o third
	find $TAFFRAIL_DIR/sessions -name 'ring.*' | wc -l | grep -x $(getconf _NPROCESSORS_CONF)
	taffrail start every --all --buffers shared
status: 1
stdout: ^\d
stderr: ^taffrail: start: session 'every' exists already
case: a snapshot removes them after the last process
run:
	say before end '' && ended before
	taffrail snapshot every -o last
	find $TAFFRAIL_DIR -mindepth 2 ! -name .known
whole stdout:

group: start --all, one process is followed
before:
	taffrail start every --all --buffers shared
	for name in first second; do
		start $name $CASES/worker 0 $name.counts
		wait_for grep -q ^ready $name.out
	done
	second=$pid
	start follower taffrail view --follow -p $second
	say first 'go 5' '^done 5'
	say second 'go 3' '^done 3'
	wait_for test -s follower.out
	say first 'go 5' '^done 10'
	say second 'go 2' '^done 5'
	say second end '' && ended second
case: the follower has all events of it, and ends with it
run: ended follower && grep -c ":worker:($second)" follower.out && wc -l <follower.out
whole stdout:
	20
	20

group: start --all, top of one process
before:
	taffrail start every --all --buffers shared
	for name in first second; do
		start $name $CASES/worker 0 $name.counts
		wait_for grep -q ^ready $name.out
	done
	start top taffrail top -p $pid --json
	wait_for test -s top.out
	say first 'go 500' '^done 500'
	say second 'go 20' '^done 20'
	# in one interval, or in two
	count() { sed 's/,"events":.*//' top.out | awk -v key="\"$1\":" 'NF { sub(".*" key, ""); n += $0 } END { print n + 0 }'; }
	wait_for eval 'test $(count seen) -ge 80'
case: it counts what this one has written
run: count written; count seen
whole stdout:
	80
	80

group: start --all, at any moment
before:
	taffrail start every --all --buffers shared
	for i in 1 2 3 4; do
		$CASES/shared 10 600 4 >said.$i &
		jobs[i]=$!
	done
	n=0
	while test $n -lt 3 || kill -0 "${jobs[@]}" 2>live; do
		n=$((n + 1))
		# the first one may be too early
		taffrail snapshot every -o part.$n 2>err ||
			grep -q 'has no event' err
	done
	taffrail snapshot every -o whole
case: each snapshot is right, and each event is in the last one
run:
	for dir in part.*; do
		taffrail verify $dir | grep -qE '^([0-9]+) emitted = \1 kept \+ 0 overwritten \+ 0 lost' || echo "$dir is wrong"
	done
	awk '{ n += $2; dead += $3 } END { print n, dead }' said.* >want
	read -r least most <want
	n=$(taffrail view whole | wc -l)
	test $n -ge $least && test $n -le $((least + most)) || echo $n of $least
	rm -r part.*
whole stdout:
case: destroy removes all
run:
	taffrail destroy every
	find $TAFFRAIL_DIR/sessions -mindepth 1 ! -name .known
whole stdout:

group: start --all, full buffers
before:
	worker
	start watch taffrail watch
	wait_for grep -q 'worker: is running' watch.out
	taffrail start small --all --buffers shared --quota 200K
	taffrail start newest --all --buffers shared --overwrite --buffer-size 256K
	say worker 'go 40000' '^done 40000'
case: a quota makes them smaller
run: find $TAFFRAIL_DIR -path '*small*' -name 'ring.*' -printf '%s\n' | awk '{ n += $1 } END { print (n > 100000 && n <= 204800) }'
whole stdout: 1
case: losses are counted, and watch tells them
run:
	wait_for grep -q 'shared buffers: session small: buffers full, [0-9]* events lost' watch.out
	taffrail snapshot small -o out
	taffrail verify out
	taffrail status small
stdout: ^160000 emitted = \d+ kept \+ 0 overwritten \+ [1-9]\d* lost
stdout: \(shared\) +\d+ +[1-9]
case: old events are overwritten
run: taffrail snapshot newest -o out2 && taffrail verify out2
stdout: ^160000 emitted = [1-9]\d* kept \+ [1-9]\d* overwritten \+ 0 lost
case: the session of a program that is gone
run:
	worker_ends
	taffrail destroy small && taffrail destroy newest
	find $TAFFRAIL_DIR/sessions -mindepth 1 ! -name .known
whole stdout:

group: start --all, losses behind a snapshot
before:
	worker
	taffrail start every --all --buffers shared --buffer-size 256K
	say worker 'go 20000' '^done 20000'
	taffrail snapshot every -o first
	say worker 'go 1000' '^done 21000'
	worker_ends
	taffrail stop every
	touch -d '1 minute ago' $TAFFRAIL_DIR/sessions/.shared.every
case: the buffers stay until they are told
run: taffrail status every | grep -c shared
whole stdout: 1
case: a snapshot tells them
run: taffrail snapshot every -o out && taffrail verify out && find $TAFFRAIL_DIR/sessions -mindepth 1 ! -name .known
stdout: ^84000 emitted = \d+ kept \+ 0 overwritten \+ [1-9]\d* lost
no stdout: shared
case: once they are told, the buffers go
run:
	worker
	taffrail start every --all --buffers shared --buffer-size 256K
	say worker 'go 20000' '^done 20000'
	worker_ends
	taffrail snapshot every -o told
	taffrail stop every
	touch -d '1 minute ago' $TAFFRAIL_DIR/sessions/.shared.every
	taffrail status && find $TAFFRAIL_DIR/sessions -mindepth 1 ! -name .known
whole stdout: No sessions.

group: start --all, a core dump
need: command -v gcore
before:
	worker TAFFRAIL_CORE=on
	worker=$pid
	start other $CASES/worker 0 other.counts
	wait_for grep -q ^ready other.out
	taffrail start every --all --buffers shared
	say worker 'go 10' '^done 10'
	say other 'go 30' '^done 30'
	gcore -o core $worker >gcore.out 2>&1
case: it has the events of all
run: taffrail snapshot every --core core.$worker -o out && taffrail verify out
stderr: 160 events \(0 lost, 0 overwritten\) of 2 processes in out
stdout: ^160 emitted = 160 kept
case: the buffers are still there
run: taffrail snapshot every -o again
stderr: 160 events

group: start --all, a command that is killed
before:
	taffrail start every --all --buffers shared
	mkdir half
	cp -r $TAFFRAIL_DIR/sessions/.shared.every half
	taffrail destroy every
	cp -r half/.shared.every $TAFFRAIL_DIR/sessions/.shared.empty
	mkdir $TAFFRAIL_DIR/sessions/.shared.bare
	touch -d '1 minute ago' $TAFFRAIL_DIR/sessions/.shared.*
case: the next command that looks removes what it has left
run: taffrail status && find $TAFFRAIL_DIR/sessions -mindepth 1 ! -name .known
whole stdout: No sessions.
case: events of a session that has stopped stay
run:
	taffrail start every --all --buffers shared
	$CASES/worker 0 ended.counts <<-END >ended
		go 10
		end
	END
	taffrail stop every
	touch -d '1 minute ago' $TAFFRAIL_DIR/sessions/.shared.*
	taffrail start every --all --buffers shared
status: 1
says: session 'every' has ended, and its shared buffers have events: give another name; 'taffrail snapshot every' writes the events, 'taffrail destroy every' removes them
case: a snapshot has them
run: taffrail snapshot every -o out && find $TAFFRAIL_DIR/sessions -mindepth 1 ! -name .known
stderr: 40 events
whole stdout:

group: start --all, twice at the same time
need: command -v gdb
case: the first one has the session
run:
	worker
	gdb -nx -batch -ex 'set breakpoint pending on' \
		-ex 'break mkdirat if $_streq((char *)$rsi, ".shared.every")' -ex run \
		-ex 'shell taffrail start every --all --buffers shared >second 2>&1; echo $? >status' \
		-ex delete -ex continue -ex quit \
		--args taffrail start every --all --buffers shared >gdb.out 2>&1
	cat second status gdb.out
	say worker 'go 10' '^done 10'
	worker_ends
	taffrail stop every
	taffrail snapshot every -o out && ls out
stdout: ^0$
stdout: start: session 'every' exists already
stdout: exited with code 01
stdout: ^every@
stderr: 40 events

group: start --all, while another command has the lock
need: command -v gdb && command -v flock
before:
	members=$TAFFRAIL_DIR/sessions/.shared.every/0/members
	mkfifo release
	cat >hold <<-END
		flock -x $members sh -c 'echo >held; read line <release' &
		until test -f held; do sleep 0.01; done
	END
	cat >give <<-END
		echo >release
		rm held
		flock -x $members true
	END
	begin() {
		gdb -nx -batch -ex 'set breakpoint pending on' -ex 'break flock if $rsi == 5' \
			-ex run -ex 'shell sh hold' -ex delete "$@" -ex continue -ex quit \
			--args taffrail start every --all --buffers shared >gdb.out 2>&1
		cat gdb.out
	}
case: start waits for it
run: begin -ex 'break poll' -ex continue -ex 'shell sh give' -ex delete && taffrail status every
stdout: exited normally
stdout: every
case: after a while it gives up, and leaves nothing
run: taffrail destroy every; begin; echo >release; find $TAFFRAIL_DIR/sessions -mindepth 1 ! -name .known
stdout: exited with code 01
no stdout: ^/

group: start --all, a process that begins while the session stops, {BUFFERS}
for: BUFFERS process shared
need: command -v gdb
before:
	taffrail start every --all --buffers {BUFFERS}
	cat >begin <<-'END'
		mkfifo words
		$CASES/worker 0 late.counts <words >late.out &
		exec 9>words
		until grep -q ^ready late.out; do sleep 0.01; done
		sleep 1000 <&9 >idle 2>&1 &
		echo $! >holder
	END
	gdb -nx -batch -ex 'set breakpoint pending on' \
		-ex 'break unlinkat if $_streq((char *)$rsi, "every")' -ex run \
		-ex 'shell bash begin' -ex delete -ex continue -ex quit \
		--args taffrail stop every >gdb.out 2>&1
case: it is stopped, too
run:
	cat gdb.out
	taffrail status --json every | grep -o '"state":"[a-z]*"' | sort -u
	kill $(cat holder)
stdout: exited normally
stdout: ^"state":"stopped"
no stdout: active

group: start --all, files that cannot be read, {FILE}
for: FILE version session gone process pipe cut
before:
	end() { printf 'go 10\nend\n' | $CASES/worker 0 ended.counts >ended; }
	later() { printf '\143' | dd of=$1 bs=1 seek=4 conv=notrunc 2>log; }
	shared=$TAFFRAIL_DIR/sessions/.shared.every
	text='files of the buffers that processes share are missing, cut short or damaged'
	taffrail start every --all --buffers shared
	end
	case {FILE} in
	version)
		text='the buffers that processes share are of another version'
		for file in process members session.0; do later $shared/0/$file; done ;;
	session)
		text='the buffers that processes share are of another version'
		for file in members session.0; do later $shared/0/$file; done ;;
	gone) rm $shared/0/session.0 ;;
	process) rm $shared/0/process ;;
	pipe) rm $shared/0/process && mkfifo $shared/0/process ;;
	cut) truncate -s 4096 $shared/0/session.0 ;;
	esac
	end
	taffrail stop every
	touch -d '1 minute ago' $shared
	told() { code=0; "$@" >shown 2>err || code=$?; grep -c "session 'every': $text: $what" err; echo $code; }
case: status and view tell it
run:
	what='not counted'
	told taffrail status
	told taffrail status every
	what='not read'
	told taffrail view -s every
	wc -l <shown
	told taffrail report -s every
whole stdout:
	1
	1
	1
	1
	1
	1
	40
	1
	1
case: a snapshot does, and has the other events
run:
	what='their events are not in this snapshot'
	told taffrail snapshot every -o out
	taffrail verify out
stdout: ^1\n1\n40 emitted = 40 kept
case: no command has removed the events
run: find $shared -name 'ring.*' | wc -l | grep -x $(getconf _NPROCESSORS_CONF)
stdout: \d
case: but destroy does
run: taffrail destroy every && find $TAFFRAIL_DIR/sessions -mindepth 1 ! -name .known
whole stdout:

group: start --all, many processes
need: test $(df --output=avail -BM $TAFFRAIL_DIR | tail -n 1 | tr -dc 0-9) -ge 600
before:
	# together they have more than ended processes may leave
	taffrail start every --all --buffers shared --buffer-size 128M
	for i in 1 2 3 4; do $CASES/shared 20 1 0 >>said; done
case: the limit of ended processes' buffers removes no event
run: ls -d $TAFFRAIL_DIR/[0-9]* | awk 'END { print (NR < 100) }' && taffrail snapshot every -o out && taffrail verify out
stdout: ^1$
stdout: ^160 emitted = 160 kept
no stderr: missing

group: start --all, flush
before:
	taffrail start every --all --overwrite --buffers shared
	for i in {1..12}; do
		start idle$i $CASES/worker 0 idle$i.counts
		wait_for grep -q ^ready idle$i.out
	done
	start writes $CASES/worker 1000000 writes.counts
	wait_for grep -q ^ready writes.out
	say writes run ''
case: one process closes what all share, so nothing is overwritten
run:
	taffrail flush every && taffrail flush every && say writes halt '^halted'
	taffrail snapshot every -o out && taffrail verify out
stdout: ^[1-9]\d* emitted = [1-9]\d* kept \+ 0 overwritten \+ 0 lost

group: start --all, own buffers
before:
	worker
	taffrail start every --all --buffers shared
	start plain env GLIBC_TUNABLES=glibc.pthread.rseq=0 $CASES/worker 0 plain.counts
	wait_for grep -q ^ready plain.out
	for name in worker plain; do say $name 'go 10' '^done 10'; done
case: they are in the same output
run:
	taffrail snapshot every -o out
	taffrail verify out
	ls out | sed 's/[0-9][0-9]*/N/g' | sort | grep -v traces
stderr: 80 events \(0 lost, 0 overwritten\) of 2 processes in out
stdout: ^80 emitted = 80 kept
stdout: ^every@
stdout: ^worker-N-N$

group: start --all, refused
cases:
	2 taffrail start s --all --buffers each
		buffers 'each' are neither 'process' nor 'shared'
	2 taffrail start s -p $$ --buffers shared
		--buffers shared is for --all
	2 taffrail start s --all --buffers shared --overwrite --keep 2s
		--keep is for --buffers process
	2 taffrail start s --all --buffers shared --allow-group 4
		--allow-group is for --buffers process
	2 taffrail start s --all --buffers shared --context vtid
		--buffers shared has the context 'writer', and no other

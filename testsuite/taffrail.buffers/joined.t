# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs with one TAFFRAIL_SESSION share buffers, which the first of them makes;
# no command lives then. Programs that cannot share have buffers each.

compile: shared ../taffrail.sessions/shared.c -O2 agent
compile: worker ../shared/worker.c -O2 -pthread agent

group: TAFFRAIL_SESSION
before:
	traced() { env TAFFRAIL_ENABLE='shared/*;app/*' TAFFRAIL_SESSION=fly "$@"; }
	# the first ones make the buffers at the same time
	for i in 1 2 3 4; do traced $CASES/shared 10 500 4 >said.$i & done
	wait
case: programs with the same one share buffers
run: find $TAFFRAIL_DIR -name 'ring.*' | wc -l | grep -x $(getconf _NPROCESSORS_CONF)
stdout: \d
case: another session of that name is refused
run: taffrail start fly --all --buffers shared
status: 1
says: session 'fly' has ended, and its shared buffers have events
case: a snapshot has all, and removes them
run:
	taffrail snapshot fly -o out
	awk '{ n += $2; dead += $3 } END { print n, dead }' said.* >want
	read -r least most <want
	n=$(taffrail view out | wc -l)
	test $n -ge $least && test $n -le $((least + most)) || echo $n of $least
	taffrail verify out
	ls out | grep -v traces
	find $TAFFRAIL_DIR -mindepth 2 ! -name .known
stdout: ^(\d+) emitted = \1 kept \+ 0 overwritten \+ 0 lost
stdout: ^fly@
no stdout: ^/|^\d+ of |^shared-
case: a program that comes later makes them anew, and others join
run:
	start first env TAFFRAIL_ENABLE=app/hit TAFFRAIL_SESSION=fly $CASES/worker 0 first.counts
	wait_for grep -q ^ready first.out
	printf 'go 10\nend\n' | traced $CASES/worker 0 ended.counts >ended
	say first 'go 20' '^done 20'
	taffrail view -s fly | grep -c app:hit
	taffrail view -p $pid | wc -l
	taffrail status fly | awk '$2 == "(shared)" || $2 == "worker" { print $2, $3 }' | sort
whole stdout:
	60
	40
	(shared) 60
	worker 0
case: after stop and destroy, too
run:
	taffrail stop fly
	printf 'go 10\nend\n' | traced $CASES/worker 0 ended.counts >ended
	taffrail view -s fly | grep -c app:hit
	taffrail destroy fly
	find $TAFFRAIL_DIR/sessions -mindepth 1 ! -name .known
	printf 'go 10\nend\n' | traced $CASES/worker 0 ended.counts >ended
	taffrail view -s fly | grep -c app:hit
	say first end '' && ended first
whole stdout:
	80
	20
case: what a killed process has left goes with them
run:
	cp -r $TAFFRAIL_DIR/sessions/.shared.fly/0 $TAFFRAIL_DIR/sessions/.shared.fly/77.new
	taffrail destroy fly
	find $TAFFRAIL_DIR/sessions -mindepth 1 ! -name .known
whole stdout:

group: TAFFRAIL_SESSION, and a command's session of that name
before:
	taffrail start fly --all --buffers shared --overwrite -e other/tick
	printf 'go 10\nend\n' |
		TAFFRAIL_ENABLE=app/hit TAFFRAIL_SESSION=fly $CASES/worker 0 counts >said
case: the program obeys the rules of both
run:
	taffrail stop fly
	taffrail snapshot fly -o out
	taffrail view out | grep -c app:hit
	taffrail view out | grep -c other:tick
	ls out | grep -c @
whole stdout:
	20
	20
	1

group: TAFFRAIL_SESSION, little room
need: unshare -m true
before:
	mkdir small
	unshare -m sh -c 'mount -t tmpfs -o size=6m,mode=700 none small || exit 77
		export TAFFRAIL_DIR=$PWD/small TAFFRAIL_BUFFER_SIZE=4M
		for i in 1 2; do
			printf "go 10\nend\n" | TAFFRAIL_ENABLE=app/hit TAFFRAIL_SESSION=fly \
				$CASES/worker 0 counts >said
		done
		find small -name "ring.*"
		taffrail status fly
		taffrail snapshot fly -o out' >all 2>err
case: the programs share smaller buffers
run: cat all; taffrail verify out
stdout: ^small/sessions/.shared.fly/0/ring.0.0$
stdout: no room for buffers of 4096K: it has \d+K
stdout: ^40 emitted = 40 kept
no stdout: ^small/\d

group: TAFFRAIL_SESSION, own buffers, {WHY}
for: WHY context keep rseq quota
before:
	case {WHY} in
	context) export TAFFRAIL_CONTEXT=vtid ;;
	keep) export TAFFRAIL_KEEP=10s ;;
	rseq) export GLIBC_TUNABLES=glibc.pthread.rseq=0 ;;
	quota) export TAFFRAIL_QUOTA=2M ;;
	esac
	for i in 1 2; do
		TAFFRAIL_ENABLE='app/*' TAFFRAIL_SESSION=fly $CASES/worker 0 ended.counts <<-END >ended
			go 10
			end
		END
	done
case: each has a trace of that session
run:
	taffrail snapshot fly -o out
	taffrail verify out
	ls out | grep -c ^worker-
stdout: ^40 emitted = 40 kept
stdout: ^2$

group: TAFFRAIL_SESSION, a wrong name, {NAME}
for: NAME a/b record-7 .a gdb
before:
	TAFFRAIL_ENABLE='app/*' TAFFRAIL_SESSION={NAME} $CASES/worker 0 ended.counts <<-END >ended
		go 10
		end
	END
case: the session is env, and that is told
run: taffrail snapshot env -o out; taffrail verify out
stdout: ^20 emitted
stderr: TAFFRAIL_SESSION is '{NAME}': give a name as for taffrail start; the session is 'env'

# SPDX-License-Identifier: LGPL-2.1-or-later
# A program that shares the buffers of a recording, and has nothing else to tell,
# takes its files along. The recorder is stopped meanwhile, and has seen none.

compile: worker ../shared/worker.c -O2 -pthread agent

group: the recorder is stopped
before:
	mkfifo go
	taffrail record --buffers shared -e app/hit -o out -- sh -c '
		echo >ready; read line <go
		for i in 1 2 3 4 5; do $CASES/worker 0 counts <more >all; done
		env -u LD_PRELOAD true; $CASES/worker 0 counts <more >all
		echo >ready; read line <go' 2>err &
	recorder=$!
	until test -s ready; do sleep 0.05; done
	printf 'go 10\nend\n' >more
	rm ready
	kill -STOP $recorder
	echo >go
	until test -s ready; do sleep 0.05; done
case: programs with nothing else to tell take their files along
run: grep -l worker $TAFFRAIL_DIR/*/0/process | wc -l
whole stdout: 0
case: they count, and their events are there
run: kill -CONT $recorder; echo >go; until grep -q events err; do sleep 0.05; done; taffrail view out | wc -l; cat err
stdout: ^120$
stdout: 120 events \(0 lost, .* of 6 processes in out

group: one that has more to tell (bash ends by exit, and not as dash does)
before:
	mkfifo go
case: programs without an agent are named, also those of a child that goes on
run:
	taffrail record --buffers shared -e 'app/*' -o out -- sh -c '
		kill -STOP $PPID
		bash -c "unset LD_PRELOAD; uname; :" >all
		bash -c "unset LD_PRELOAD; (read line; exec date) <go >all & exit"
		echo >go
		(sleep 0.3; kill -CONT $PPID) &'
status: 1
stderr: 2 programs were executed without an agent
stderr: no agent in /.*/uname
stderr: no agent in /.*/date

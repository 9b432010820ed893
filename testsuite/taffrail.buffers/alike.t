# SPDX-License-Identifier: LGPL-2.1-or-later
# A trace of buffers that processes share looks like the traces of these processes
# with buffers of each: alike.py prints what all looking commands give for the
# same programs.

compile: alpha alike.c -O2 -g -pthread -DALPHA -DNAME=in_alpha agent
compile: beta alike.c -O2 -g -pthread -DBETA -DNAME=in_beta agent
compile: gamma alike.c -O2 -g -pthread -DNAME=in_gamma agent

group: recorded
before:
	for way in process shared; do
		mkdir $way
		(cd $way && taffrail record --buffers $way -o out -- \
			$CASES/alpha $CASES 2>err && python3 $SOURCE/alike.py out >all)
	done
case: all events are there
run: grep -c '"event":"work:' shared/all && tail -n 2 shared/all
stdout: ^96$
stdout: ^112 emitted = 112 kept \+ 0 overwritten \+ 0 lost
case: addresses have their names
run: grep -c '"name":"in_beta in beta (alike.c' shared/all
stdout: ^3$
case: a trace of shared buffers looks like traces of processes
run: diff process/all shared/all
whole stdout:
case: babeltrace2 reads it
run: babeltrace2 shared/out | grep -c -v taffrail:writer
whole stdout: 112

group: in buffers
before:
	mkfifo go ready
	exec 9<>go 8<>ready
	for way in process shared; do
		mkdir $way
		(cd $way && exec taffrail record --buffers $way -o out -- \
			$CASES/alpha $CASES ../ready ../go 2>err) &
		pid=$!
		read line <&8
		# else it takes what processes have written that have ended
		kill -STOP $pid
		echo >&9
		read line <&8
		python3 $SOURCE/alike.py -s record-$pid >$way/all
		kill -CONT $pid
		echo >&9
		wait $pid
	done
case: all events are there
run: grep -c '"event":"work:' shared/all
whole stdout: 96
case: shared buffers look like those of processes
run: diff process/all shared/all
whole stdout:

# SPDX-License-Identifier: LGPL-2.1-or-later
# A trace of buffers that processes share looks like the traces of these processes
# with buffers of each: alike.py prints what all looking commands give for the
# same programs.

compile: alpha alike.c -O2 -g -pthread -DALPHA -DNAME=in_alpha agent
compile: beta alike.c -O2 -g -pthread -DBETA -DNAME=in_beta agent
compile: gamma alike.c -O2 -g -pthread -DNAME=in_gamma agent
compile: wide wide.c -O2 agent

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
		taffrail view -s record-$pid >$way/view
		python3 $SOURCE/alike.py -s record-$pid >$way/all
		kill -CONT $pid
		echo >&9
		wait $pid
	done
case: all events are there
run: grep -c '"event":"work:' shared/all
whole stdout: 96
case: addresses have their names
run: grep -c '"in_beta in beta (alike.c' shared/view
stdout: ^3$
case: shared buffers look like those of processes
run: diff process/all shared/all
whole stdout:

group: many types, {WAY}
for: WAY process shared locked
before:
	case {WAY} in
	locked) export GLIBC_TUNABLES=glibc.pthread.rseq=0; way=process ;;
	*) way={WAY} ;;
	esac
	taffrail record --buffers $way -o out -- $CASES/wide 1000 2>err
case: every event has its type
run: taffrail view --raw out | sed -n 's/.*wide:type\([0-9]*\): .*v = \([0-9]*\) .*/\1 \2/p' | awk '$1 == $2 { n[$1]++ } END { for (type in n) { types++; all += n[type] } print types, all }'
whole stdout: 64 64000
case: 30 types have 96 bits, others 112
run: cat out/*/stream_* | wc -c | awk '{ bits = $1 * 8 / 64000; print (bits >= 104.5 && bits < 105.5), bits }'
stdout: ^1
case: the counts are right
run: taffrail verify out
stdout: ^64000 emitted = 64000 kept \+ 0 overwritten \+ 0 lost
case: babeltrace2 reads the same
run: babeltrace2 out >bt && taffrail view --raw out | cmp - bt && grep -c wide:type bt
whole stdout: 64000

# SPDX-License-Identifier: LGPL-2.1-or-later
# Each event's thread by writer records: readers show it as the context vtid, and
# babeltrace2 sees records as events. Each event has its thread's number as a
# field, too: `differ` prints how many events there are, and how many disagree.

compile: writers writers.c -O2 -pthread agent
before:
	cat >$CASES/differ <<-'END'
		#!/bin/sh
		awk '
			{ match($0, /vtid = -?[0-9]+/)
			  vtid = substr($0, RSTART + 7, RLENGTH - 7)
			  match($0, /me = [0-9]+/)
			  me = substr($0, RSTART + 5, RLENGTH - 5)
			  n++; bad += me != "0" && vtid != me; strange += me == "" }
			END { print (n > 0), bad + 0, strange + 0 }'
	END
	chmod +x $CASES/differ

group: recorded, {WAY}
for: WAY rseq locked monotonic
before:
	case {WAY} in
	locked) export GLIBC_TUNABLES=glibc.pthread.rseq=0 ;;
	monotonic) export TAFFRAIL_CLOCK=monotonic ;;
	esac
	taffrail record --context writer -o out -- $CASES/writers 2000 2>err
case: every event's thread is told
run: taffrail view --long out | $CASES/differ
whole stdout: 1 0 0
case: the counts are the program's events
run: taffrail verify out && test $(taffrail view --long out | wc -l) = $(taffrail verify out | cut -d' ' -f1)
stdout: ^(\d+) emitted = \1 kept
case: records are counted, too
run: test "$(taffrail verify out | sed -n 's/.*, with \([0-9]*\) writer records*$/\1/p')" = $(babeltrace2 out | grep -c taffrail:writer:) && grep ", $(babeltrace2 out | grep -c taffrail:writer:) writer records)" err
stdout: bytes per event
case: no event of the record is shown
run: taffrail view --long out
no stdout: taffrail:writer
case: babeltrace2 has records as events, and --raw its bytes
run: babeltrace2 out >bt && taffrail view --raw out | cmp - bt && cat bt
stdout: taffrail:writer: \{ cpu_id = \d+ \}, \{ vpid = \d+, vtid = \d+, process = \d+ \}
no stdout: \{ vtid = \d+ \}

group: used
before:
	taffrail record --context writer -o out -- $CASES/writers 300
case: a window begins behind the record
run: taffrail view --long --tail 200 out | $CASES/differ
whole stdout: 1 0 0
case: rules know the thread
run: tid=$(taffrail view --long out | sed -n '5s/.*vtid = \([0-9]*\).*/\1/p') && taffrail view --long --where "vtid == $tid" out | grep -v "me = $tid" | wc -l
whole stdout: 0
case: JSON has it
run: taffrail export --format json out | head -1
stdout: "context":\{"vtid":\d+\}
case: tables have it
run: taffrail export --format csv -o tables out && cat tables/*.csv
stdout: vtid
case: reports by thread
run: taffrail report --by vtid out
stdout: vtid
case: the short form has the thread
run: taffrail view --short out
stdout: writers/\d+

group: overwritten
before:
	taffrail record --context writer --overwrite --buffer-size 256K -o out -- $CASES/writers 20000
case: packets can be read alone
run: taffrail view --long out | $CASES/differ
whole stdout: 1 0 0
case: emitted = kept + overwritten + lost
run: taffrail verify out
stdout: [1-9]\d* overwritten

group: in rings
before:
	TAFFRAIL_ENABLE='writers/*' TAFFRAIL_CONTEXT=writer $CASES/writers 500
case: rings are read with their records
run: taffrail view --long -s env | $CASES/differ
whole stdout: 1 0 0
case: a snapshot has them
run: taffrail snapshot env -o out && taffrail verify out && taffrail view --long out | $CASES/differ
stdout: ^1 0 0$

group: followed
before:
	cat >follow <<-'END'
		export TAFFRAIL_ENABLE='writers/*' TAFFRAIL_CONTEXT=writer
		mkfifo go
		$CASES/writers 100 wait <go >ready &
		exec 9>go
		until grep -q ready ready; do sleep 0.01; done
		taffrail view --follow --long -s env --begin "$(date +%s.%N)" >new &
		sleep 0.5
		echo >&9
		exec 9>&-
		wait
		$CASES/differ <new
	END
case: a follower knows the thread whose packet goes on
run: bash follow
whole stdout: 1 0 0

group: refused
case: writer stands alone
run: taffrail record --context writer,ip -- true
status: 2
says: --context 'writer,ip': writer stands alone: its records already tell the thread

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
case: each child's events are there
run: taffrail view --long out | sed -n 's/.*writers:(\([0-9]*\)).*/\1/p' | sort | uniq -c | awk -v n=$((3 * $(nproc))) '{ print $1 - n }' | sort -n | head -n 5 | tr '\n' ' '
stdout: ^2000 2000 \d+ 4000 4000 $
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

group: limited
before:
	taffrail record --max-size 1M --buffer-size 256K -o out -- $CASES/writers 30000 2>err
	grep -q 'older events were dropped' err
case: records of packets that are gone do not count
run: taffrail verify out | sed -n 's/.*, with \([0-9]*\) writer records*$/, \1 writer record/p' | grep -F -f - err
stdout: bytes per event

group: alone
# The last packet of each stream is cut behind its record, as a thread leaves it
# that goes no further.
before:
	taffrail record --buffer-size 256K -o out -- $CASES/writers 4000
	cat >cut.py <<-'END'
		import pathlib, struct
		size = 8 * (84 + 25)
		for stream in pathlib.Path('out').glob('*/stream_*'):
		    data, at = bytearray(stream.read_bytes()), 0
		    while at + struct.unpack_from('<Q', data, at + 56)[0] // 8 < len(data):
		        at += struct.unpack_from('<Q', data, at + 56)[0] // 8
		    struct.pack_into('<Q', data, at + 48, size)
		    stream.write_bytes(data)
		    index = stream.parent / 'index' / (stream.name + '.idx')
		    data = bytearray(index.read_bytes())
		    struct.pack_into('>Q', data, len(data) - 80 + 16, size)
		    index.write_bytes(data)
	END
	python3 cut.py
case: the end of a trace is its last event
run: taffrail view --tail 3 out | wc -l
whole stdout: 3
case: a time before the end leaves the rest out
run: test $(taffrail view --begin -1ms out | wc -l) -lt $(taffrail view out | wc -l) && echo less
whole stdout: less

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

group: names of processes in a shared trace
before:
	taffrail record --buffers shared -o named -e fn:libc/getppid%entry -- perl -e '$0 = q(x*/"y); if (!fork) { getppid; exit } wait; $0 = q(perl); getppid'
case: babeltrace2 does not search them for each event
run: babeltrace2 named -c sink.text.details >details; grep -c process_ details; grep -o 'hostname: ' details | head -n 1 | wc -l; grep -ao 'process_[12] ' named/record-*/metadata
whole stdout:
	0
	1
	process_1 
	process_2 
case: a name that would end a comment is shown
run: taffrail view named | sed 's/^.* [^ ]*:\(.*\):([0-9]*) .*/\1/' && taffrail verify named | sed 's/,.*//'
whole stdout:
	x*/"y
	perl
	2 emitted = 2 kept + 0 overwritten + 0 lost

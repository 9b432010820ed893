# SPDX-License-Identifier: LGPL-2.1-or-later
# What processes lose in buffers that they share is counted for each: its events
# are those that the trace has, and those that it lost.

compile: worker ../shared/worker.c -O2 -pthread agent

group: shared buffers are full
before:
	taffrail start full --all --buffers shared --buffer-size 256K -e app/hit
	printf 'go 50000\nend\n' | $CASES/worker 0 counts >all
	printf 'go 5\nend\n' | $CASES/worker 0 counts >all
	start last $CASES/worker 0 last.counts
	wait_for grep -q ^ready last.out
	say last 'go 7' '^done 7'
case: status tells it of a process that lives
run: taffrail status full
stdout: ^ +lost 14 events in the shared buffers$
case: and in JSON
run: taffrail status --json full
stdout: "lost_shared": ?14\b
case: verify closes the count of each
run:
	say last end '' && ended last
	taffrail stop full
	taffrail snapshot full -o out
	taffrail verify out
stdout: ^process \d+ \(worker\): 100000 emitted = \d+ kept \+ \d+ lost$
stdout: ^process \d+( \(worker\))?: 14 emitted = 0 kept \+ 14 lost$
stdout: ^process \d+( \(worker\))?: 10 emitted = 0 kept \+ 10 lost$
stdout: ^100024 emitted = \d+ kept \+ 0 overwritten \+ \d+ lost
no stdout: other processes
case: the trace has what verify says
run:
	kept=$(taffrail verify out | sed -n 's/.* 100000 emitted = \([0-9]*\) kept.*/\1/p')
	test $kept -gt 1000
	test $kept = $(taffrail view out | wc -l)
case: a process that has lost more than the trace is a problem
run:
	ledger=$(echo out/*/index/ledger)
	sed -i 's/^\(process_[0-9]*\) 14 /\1 140000 /; /^checksum/d' $ledger
	printf 'checksum %s\n' $(python3 -c 'import sys, zlib
	print("%08x" % zlib.crc32(open(sys.argv[1], "rb").read()))' $ledger) >>$ledger
	taffrail verify out
status: 1
stderr: index/ledger: processes have lost \d+ events, the trace \d+$

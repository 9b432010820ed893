# SPDX-License-Identifier: LGPL-2.1-or-later
# Functions and source lines of them at the same instructions, or so near that
# they share jumps: together, and in either order in a running program.

compile: fast shop.c -O2 -g

group: in one recording
case: each call has an event of the function, of each line, and of the return
run: taffrail record -o both -e 'fn:sell' -e shop.c:31 -e shop.c:34 -e shop.c:35 -e shop.c:37 -- "$CASES/fast" 50 >out && taffrail view both | grep -o 'fn:sell[^:]*:\|line:[^ ]*:' | sort | uniq -c
stdout: ^ *100 fn:sell:$
stdout: ^ *100 fn:sell%return:$
stdout: ^ *100 line:shop.c:31:$
stdout: ^ *100 line:shop.c:34:$
stdout: ^ *100 line:shop.c:35:$
stdout: ^ *100 line:shop.c:37:$
no stderr: (fn|line)/.* not traced
case: the arguments are those of the call
run: taffrail export --format json both | python3 -c 'import json, sys; e = [json.loads(x) for x in sys.stdin]; f = [x["fields"]["n"] for x in e if x["event"] == "fn:sell"]; l = [x["fields"]["n"] for x in e if x["event"] == "line:shop.c:34"]; print(f == l, len(f))'
whole stdout: True 100

group: while the program runs, {FIRST} first
for: FIRST functions lines
before:
	snapshot_has() { rm -rf $1.trace; taffrail snapshot $1 -o $1.trace 2>/dev/null; for what in $2; do taffrail view $1.trace | grep -q "$what: " || return 1; done; }
	last_of() { rm -rf $1.last; taffrail snapshot $1 -o $1.last >/dev/null 2>&1; taffrail export --format json $1.last | tail -n 1 | sed 's/^{"ns":\([0-9]*\),.*/\1/'; }
	later_than() { [ "$(last_of $other)" -gt $1 ]; }
	functions() { taffrail start functions -p $pid -e 'fn:sell'; }
	lines() { taffrail start lines -p $pid -e shop.c:31 -e shop.c:34 -e shop.c:37; }
	start shop "$CASES/fast" 1 on
	wait_for taffrail attach $pid 2>attach.err
case: both are had
run: {FIRST} && if [ {FIRST} = lines ]; then functions; else lines; fi && wait_for snapshot_has functions 'fn:sell fn:sell%return' && wait_for snapshot_has lines 'shop.c:31 shop.c:34 shop.c:37'
no stderr: (fn|line)/.* not traced
case: a session that ends leaves the other's events
run: taffrail destroy {FIRST} && if [ {FIRST} = lines ]; then other=functions; else other=lines; fi && last_of $other >before && wait_for later_than $(cat before)
case: and it comes again
run: {FIRST} && wait_for snapshot_has functions 'fn:sell fn:sell%return' && wait_for snapshot_has lines 'shop.c:31 shop.c:34 shop.c:37'
no stderr: (fn|line)/.* not traced

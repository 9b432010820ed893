# SPDX-License-Identifier: LGPL-2.1-or-later
# Functions and source lines of them at the same instructions, or so near that
# they share jumps: together, and in either order in a running program.

compile: fast shop.c -O2 -g
compile: worker ../shared/worker.c -O2 -g -pthread agent

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

group: disable
before:
	off() { taffrail disable s "$1"; echo $? $(taffrail list -p $pid | grep ' on ' | awk '{ print $1 }'); }
	start shop "$CASES/fast" 1 on
	wait_for taffrail attach $pid 2>attach.err
	taffrail start s -p $pid -e fn:sell -e fn:main%entry -e shop.c:31 -e shop.c:34 -e shop.c:35 -e sell:+6
case: by the rule, by an id as list prints it, and by a glob
run: for rule in sell:+6 line/shop.c:35 fn/sell%return 'shop.c:*' 'shop.c:*' 'fn/s*' 'fn:ma*'; do off "$rule"; done
whole stdout:
	0 fn/main fn/sell fn/sell%return line/shop.c:31 line/shop.c:34 line/shop.c:35
	0 fn/main fn/sell fn/sell%return line/shop.c:31 line/shop.c:34
	0 fn/main fn/sell line/shop.c:31 line/shop.c:34
	0 fn/main fn/sell
	0 fn/main fn/sell
	0 fn/main
	0
case: what no session has is told, with the nearest names
run: taffrail enable s shop.c:34 && for rule in fn:sel fn/sel 'fn:x*' shop.c:36 line/shop.c:3 'fn/f(long, int)' 'shop.x:*'; do off "$rule"; done 2>&1 | sed 's/; .*nearest: [a-z].*/; nearest/'
whole stdout:
	taffrail: disable: no session has a function or line that 'fn:sel' names; nearest
	1 line/shop.c:34
	taffrail: disable: no session has a function or line that 'fn/sel' names; nearest
	1 line/shop.c:34
	taffrail: disable: no session has a function or line that 'fn:x*' names; nearest
	1 line/shop.c:34
	taffrail: disable: no session has a function or line that 'shop.c:36' names; nearest
	1 line/shop.c:34
	taffrail: disable: no session has a function or line that 'shop.c:3' names; nearest
	1 line/shop.c:34
	taffrail: disable: no session has a function or line that 'fn/f(long, int)' names; nearest
	1 line/shop.c:34
	taffrail: disable: no marker matches 'shop.x/*'; nearest
	1 line/shop.c:34
case: nor does enable take an id for a marker's
run: taffrail enable s fn/main; taffrail list -p $pid | grep -c ' on '
stdout: ^1$
stderr: enable: no marker matches 'fn/main'; .* a function fn:NAME$
case: all that is on, without markers and with them
run:
	taffrail enable s fn:sell; taffrail enable s sell:+6; taffrail enable s 'fn:*/getpid%entry'; off '*'
	worker; taffrail start s2 -p $pid -e 'app/*' -e fn:main%entry -e worker.c:44 -e worker.c:146 2>err
	taffrail list -p $pid | grep -c ' on '; taffrail disable s2 '*'; taffrail list -p $pid | grep -c ' on '; taffrail disable s2 '*'
whole stdout:
	0
	5
	0
case: with --all, of later processes
run: taffrail start later --all -e fn:elsewhere -e shop.c:34 --program "$CASES/fast" >/dev/null 2>&1; taffrail disable later fn:elsewhere && taffrail disable later fn:elswhere; echo $?; taffrail destroy later
whole stdout: 1
stderr: disable: no session has a function or line that 'fn:elswhere' names

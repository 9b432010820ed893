# SPDX-License-Identifier: LGPL-2.1-or-later
# Places of lines: at the entries of functions, beside functions and lines of
# sessions that have ended, and by traps.

compile: fast beside.c -O2 -g
compile: plain beside.c -O0 -g
compile: low beside.c -O0 -g -no-pie
compile: guarded beside.c -O2 -g -fcf-protection

group: where a function begins, {BUILD}
for: BUILD fast plain low guarded
case: a line alone
run: taffrail record -o line -e 'beside.c:15(a)' -- "$CASES/{BUILD}" && taffrail view line
stdout: line:beside\.c:15: .* \{ a = 4 \}$
stderr: 5 events
case: a line and the function
run: taffrail record -o both -e 'beside.c:15(a)' -e fn:thrice -- "$CASES/{BUILD}" && taffrail view both
stdout: line:beside\.c:15: .* \{ a = 4 \}$
stdout: fn:thrice: .* a = 4,
stdout: fn:thrice%return: .* value = 13,
stderr: 15 events
case: whole calls, too
run: taffrail record -o calls -e 'beside.c:15(a)' --functions thrice -- "$CASES/{BUILD}" && taffrail view calls
stdout: line:beside\.c:15: .* \{ a = 4 \}$
stdout: fn:thrice: .* value = 13
stderr: 10 events

group: one after the other, {BUILD}
for: BUILD fast plain
before:
	has() { rm -rf $1.trace; taffrail snapshot $1 -o $1.trace >/dev/null 2>&1 && taffrail view $1.trace | tail -n 3 | grep -q "$2"; }
	start beside "$CASES/{BUILD}" on
	wait_for taffrail attach $pid 2>attach.err
case: the function, when the line's session has ended
run: taffrail start line -p $pid --overwrite -e 'beside.c:15(a)' && wait_for has line 'beside.c:15: ' && taffrail destroy line && taffrail start fn -p $pid --overwrite -e fn:thrice && wait_for has fn 'fn:thrice: ' && wait_for has fn 'fn:thrice%return: '
case: the line again, while the function is traced
run: taffrail start line -p $pid --overwrite -e 'beside.c:15(a)' && wait_for has line 'beside.c:15: ' && wait_for has fn 'fn:thrice: '
case: and when that has ended
run: taffrail destroy fn && taffrail enable line -p $pid 'beside.c:16(a)' && wait_for has line 'beside.c:15: '

group: the line first, {BUILD}
for: BUILD fast plain
before:
	has() { rm -rf $1.trace; taffrail snapshot $1 -o $1.trace >/dev/null 2>&1 && taffrail view $1.trace | tail -n 3 | grep -q "$2"; }
	start beside "$CASES/{BUILD}" on
	wait_for taffrail attach $pid 2>attach.err
case: the function while the line is traced
run: taffrail start line -p $pid --overwrite -e 'beside.c:15(a)' && taffrail start fn -p $pid --overwrite -e fn:thrice && wait_for has fn 'fn:thrice: ' && wait_for has line 'beside.c:15: '
case: the function alone
run: taffrail destroy line && rm -rf fn.trace && wait_for has fn 'fn:thrice: '

group: lines that overlap
before:
	has() { rm -rf $1.trace; taffrail snapshot $1 -o $1.trace >/dev/null 2>&1 && taffrail view $1.trace | tail -n 3 | grep -q "$2"; }
	start beside "$CASES/fast" on
	wait_for taffrail attach $pid 2>attach.err
case: each once the one before has ended
run: for round in 1 2 3; do for line in 18 19 16 15; do taffrail start line$line -p $pid --overwrite -e "beside.c:$line(a)" && wait_for has line$line "beside.c:$line: .* a = [0-9]" && taffrail destroy line$line || exit 1; done; done

group: traps
case: a list tells what each line needs
run: taffrail list --lines beside.c "$CASES/plain"; taffrail list --lines beside.c "$CASES/low"
stdout: ^beside\.c:15 +thrice\(int32 a\)$
stdout: ^beside\.c:28 +choose\(int32 a\) \[int3: its code ends within five bytes\]$
case: the plan is that of the agent, which alone knows where a [punned] one may lead
run: taffrail list --json --lines beside.c "$CASES/plain" | python3 -c 'import json, sys; [print(r["rule"], r["placement"]) for r in json.load(sys.stdin) if r["placement"] != "punned"]' >plans; while read line plan; do taffrail record -o each --force -e "$line" -- "$CASES/plain" 2>&1 | grep -q "needs a trap" && echo "$line int3" || echo "$line jump"; done <plans | diff plans -
case: addresses are those of the file
run: nm "$CASES/fast" | sed -n 's/^0*\([0-9a-f]*\) T thrice$/"0x\1"/p' >want && taffrail list --json --lines beside.c "$CASES/fast" | grep -o '"rule":"beside.c:15".*' | cut -d, -f4 | cut -d[ -f2 | cut -d] -f1 | diff want -
case: a line that needs one
run: taffrail record -o none -e beside.c:28 -- "$CASES/plain"
status: 1
stderr: line/beside\.c:28 at 0x[0-9a-f]+ is not traced: it needs a trap for each hit: 
stderr: places that need a trap are traced with --int3
case: it has one
run: taffrail record -o trap --int3 -e 'beside.c:28(a)' -- "$CASES/plain" && taffrail view trap
stdout: line:beside\.c:28: .* \{ a = 4 \}$
stderr: 5 events

# SPDX-License-Identifier: LGPL-2.1-or-later
# Whole calls of functions: rules fn: with `duration`, and --functions. Where
# durations matter, the clock counts its readings: one when a call begins, one
# when it ends, and one when it is written.

compile: calls calls.c -O2 -g0 -pthread
compile: through through.c -O2
compile: leaves leaves.cc -O2 -pthread
compile: whole whole.cc -O2 -g0 -pthread
compile: small small.c -O2 -pthread
compile: left left.c -O2 -g0

# What is written
case: an event for each call, at its end
run: taffrail record -o all --functions 'calls/*' -- "$CASES/calls" 40 >traced && "$CASES/calls" 40 | cmp - traced && taffrail view all | grep -o 'fn:[a-z_%]*' | sort | uniq -c
stdout: 40 fn:outer$
stdout: 120 fn:recurses$
stdout: 58 fn:short_one$
stdout: ^ +1 fn:main$
no stdout: return
case: what the program knows of its calls: recursion, tail calls, exceptions, longjmp, coroutines, handlers of signals, threads that end
file known.py:
	# Compares the calls that the program whole.cc knows, in the file named, with
	# the events of whole calls on standard input (export --format json). The events
	# of a thread come in the order of the calls' ends; a call takes no less time
	# than the calls in it.
	import collections, json, sys

	wanted = collections.defaultdict(list)
	with open(sys.argv[1]) as known:
	    for line in known:
	        vtid, name, a, b, how, value, depth = line.split()
	        wanted[int(vtid)].append((name, int(a), int(b), how, int(value),
	                                  int(depth)))
	found = collections.defaultdict(list)
	for line in sys.stdin:
	    event = json.loads(line)
	    if event["event"].startswith("fn:fn"):
	        found[event["context"]["vtid"]].append(event)
	if set(wanted) != set(found):
	    sys.exit("threads: %s" % (set(wanted) ^ set(found)))
	ends = depths = 0
	for vtid, calls in wanted.items():
	    inside = []
	    if len(calls) != len(found[vtid]):
	        print("%d: %d calls, %d events" % (vtid, len(calls), len(found[vtid])))
	    for call, event in zip(calls, found[vtid]):
	        fields = event["fields"]
	        how = "value" if "value" in fields else "to"
	        got = (event["event"][3:], fields["arg1"], fields["arg2"], how,
	               fields["value"] if how == "value" else 0,
	               fields["depth"] if call[5] else 0)
	        if got != call:
	            sys.exit("%d: %s, not %s" % (vtid, got, call))
	        depths += call[5] > 0
	        # those directly in it took no longer; clocks of two CPUs differ
	        inner = 0
	        while call[5] and inside and inside[-1][1] > fields["depth"]:
	            took, _, end = inside.pop()
	            # others were in a call that was left
	            if end > event["ns"] - fields["duration"]:
	                inner += took - 200
	        if inner > fields["duration"]:
	            sys.exit("%d: %s took %d ns, those in it %d" %
	                     (vtid, got, fields["duration"], inner))
	        inside.append((fields["duration"], fields["depth"], event["ns"]))
	        ends += 1
	    if len(calls) != len(found[vtid]):
	        sys.exit("%d: too many or too few" % vtid)
	print("%d calls, %d with a depth" % (ends, depths))
run:
	for seed in 1 2 3; do
		taffrail record -o known --force --buffer-size 16M --functions 'whole/fn*' -- "$CASES/whole" $seed 7000 6 >known.txt || exit
		taffrail export --format json known | python3 known.py known.txt || exit
	done
stdout: ^[0-9]{5,} calls, [1-9][0-9]{4} with a depth$
case: the rule says the arguments; the last field is the value
run: taffrail record -o typed --functions 'with_text(,str)' -- "$CASES/calls" 1 && taffrail view typed
stdout: fn:with_text: .*\{ duration = [0-9.]+ [mun]?s, depth = 1, arg1 = 0, arg2 = "hello", value = 105 \}$
case: a call that ends by a jump to another function
run: taffrail record -o tail --functions branches -- "$CASES/calls" 3 && taffrail view tail
stdout: fn:branches: .*, arg1 = 1, .*, to = "short_one" \}$
case: a condition on that
run: taffrail record -o tail-if --functions 'branches(,) if to == "with_text"' -- "$CASES/calls" 40 && taffrail view tail-if | grep -o 'to = .*' | sort | uniq -c
stdout: ^ +[1-9][0-9]* to = "with_text" \}$
no stdout: short_one
case: strings on small stacks of coroutines
run: "$CASES/small" >plain && taffrail record -o strings --functions 'texts(str)' -- "$CASES/small" >traced && cmp plain traced && taffrail view strings | grep -o 'arg1 = "x*"' | awk '{ print length($0) }' | sort | uniq -c
whole stdout:
	     44 264
case: several strings, also ones that are empty, missing or of a length
run:
	cat >texts.c <<'EOF'
	#include <stdio.h>
	volatile int sum;
	__attribute__((noinline)) int get(const char *a, const char *b, long n, const char *c) { sum += *a + (int)n + (b ? *b : 0); return *c; }
	int main(void) { get("pear", "plum", 3, "fig"); get("", "kiwi", 2, "lime"); get("oak", NULL, 9, "ash"); return rename("/nope/a", "/nope/b") == 0; }
	EOF
	gcc -g0 -O2 -o texts texts.c
	rm -rf texts.d && taffrail record -o texts.d --functions 'get(str,str,int,str)' --functions libc/rename -- ./texts; taffrail view texts.d | sed 's/.*depth = 1, //; s/, value.*//'
	for rule in 'get(str,str:3,int,str) if arg4 == "lime"' 'get(str,str,int,str) if arg2 == "plum"' 'libc/rename if newpath == "/nope/b"'; do
		rm -rf texts.d && taffrail record -o texts.d --functions "$rule" -- ./texts; taffrail view texts.d | sed 's/.*depth = 1, //; s/, value.*//'
	done
whole stdout:
	arg1 = "pear", arg2 = "plum", arg3 = 3, arg4 = "fig"
	arg1 = "", arg2 = "kiwi", arg3 = 2, arg4 = "lime"
	arg1 = "oak", arg2 = "(null)", arg3 = 9, arg4 = "ash"
	oldpath = "/nope/a", newpath = "/nope/b"
	arg1 = "", arg2 = "ki", arg3 = 2, arg4 = "lime"
	arg1 = "pear", arg2 = "plum", arg3 = 3, arg4 = "fig"
	oldpath = "/nope/a", newpath = "/nope/b"

# Which calls
case: the manuals say of its time that it has a unit
run: cd "$SOURCE/../../docs/man" && grep -l 'without a unit means' taffrail-record.1 taffrail-start.1; grep -c '^the unit must be given' taffrail-record.1 taffrail-start.1
whole stdout:
	taffrail-record.1:1
	taffrail-start.1:1
case: --min-time
env: TAFFRAIL_CLOCK=atomic
run: taffrail record -o long --functions 'calls/*' --min-time 20ns -- "$CASES/calls" 3 >traced && taffrail view long | sed 's/.*fn:\([a-z]*\).*duration = \([0-9]*\).*/\1 \2/'
whole stdout:
	outer 27
	main 62
case: --depth
run: taffrail record -o flat --functions 'calls/*' --depth 2 -- "$CASES/calls" 3 >traced && taffrail view flat | grep -o 'fn:[a-z_]*' | sort | uniq -c
whole stdout:
	      1 fn:main
	      3 fn:outer
case: a condition with it, in the rule and in the option
env: TAFFRAIL_CLOCK=atomic
run:
	taffrail record -o rule -e 'fn:calls/* if duration < 20 && value > 136' -- "$CASES/calls" 3 >traced
	taffrail record -o option --functions 'calls/* if value > 136 || arg1 == 6' --depth 2 -- "$CASES/calls" 3 >traced
	for one in rule option; do taffrail view $one | sed 's/.*fn:\([a-z]*\).*\(value.*\)}/\1 \2/'; done
whole stdout:
	outer value = 237 
	outer value = 206 
	outer value = 237 
	outer value = 206 
	outer value = 434 
case: nothing is written for shorter calls
run: taffrail record -o none --functions 'calls/*' --min-time 1h --fail-if-none -- "$CASES/calls" 40
status: 1
stderr: 0 events \(0 lost
case: the last rule that names a function says how its calls are recorded
run: taffrail record -o mixed -e 'fn:calls/*' -e 'fn:outer if depth >= 1' -e 'fn:six' -- "$CASES/calls" 5 && taffrail view mixed | grep -o 'fn:[a-z_%]*' | sort | uniq -c
stdout: ^ +5 fn:outer$
stdout: ^ +5 fn:six$
stdout: ^ +5 fn:six%return$
no stdout: fn:outer%return
case: also between options, and a rule that has no event for that is named, with functions that never return
run:
	taffrail record -o last -e 'fn:outer%entry' --functions 'calls/outer' --functions six -e fn:six%entry -- "$CASES/calls" 5
	taffrail view last | grep -o 'fn:[a-z_%]*.* depth\|fn:[a-z_%]*' | sed 's/:.*:.* /:whole /' | sort | uniq -c
	printf 'void _exit(int); __attribute__((noinline)) void fail(int n) { _exit(n); } int main(void) { fail(0); }' | gcc -O2 -x c -o fails -
	taffrail record -o fails.d --functions fail -- ./fails
status: 1
stderr: record: no marker that 'fn:six if duration >= 0ns' names is one of whole calls: a later rule decides, or its function never returns$
stderr: record: no marker that 'fn:fail if duration >= 0ns' names is one of whole calls
no stderr: no function matches
stdout: ^ +5 fn:whole depth$
stdout: ^ +5 fn:six$
case: two sessions, each by its condition
run: taffrail record -o both --functions outer -- env TAFFRAIL_ENABLE='fn:outer if duration >= 0 && arg1 < 3;fn:six' "$CASES/calls" 7 && taffrail view both | wc -l && taffrail view -s env | grep -o 'fn:[a-z%]*' | sort | uniq -c
stdout: ^7$
stdout: ^ +3 fn:outer$
stdout: ^ +7 fn:six$
stdout: ^ +7 fn:six%return$
case: each session has its own depth, at the same time
run: taffrail record -o outer-too --functions outer --functions six -- env TAFFRAIL_ENABLE='fn:six if duration >= 0' "$CASES/calls" 7 >traced && for from in outer-too '-s env'; do taffrail view $from | sed -n 's/.*fn:six.*\(depth = .\).*/\1/p' | sort | uniq -c; done
whole stdout:
	      7 depth = 2
	      7 depth = 1
case: calls that exceptions and longjmp() have left do not count
file thrown.cc:
	#include <setjmp.h>
	static jmp_buf back;
	#define CALL __attribute__((noinline, noclone))
	static volatile int n;
	CALL int work() { __asm__ volatile("nop; nop; nop; nop; nop" : : : "memory"); return n + 1; }
	CALL int step() { volatile int below[8]; below[0] = n; return work() + below[0]; }
	CALL int check() { if (n % 2) throw 1; return n + 2; }
	CALL int jump() { if (n % 3) longjmp(back, 1); return n + 3; }
	int main(void)
	{
		for (n = 0; n < 1000; n++) {
			try { check(); } catch (int) { n += 0; }
			step();
			if (!setjmp(back))
				jump();
			step();
		}
		return 0;
	}
run: g++ -g0 -O1 -o thrown thrown.cc && taffrail record -o thrown.d --functions work --functions check --functions jump --depth 1 -- ./thrown && taffrail view thrown.d | grep -o 'fn:_Z[0-9a-z]*\|fn:[a-z]*' | sort | uniq -c
whole stdout:
	    500 fn:check
	    334 fn:jump
	   2000 fn:work
cases:
	2 taffrail record --depth 3 -- true
		--depth and --min-time are for --functions
	2 taffrail record --functions f --depth 0 -- true
		--depth '0': give a number from 1 on
	2 taffrail record --functions f --min-time soon -- true
		--min-time 'soon': give a time of more than 0
	2 taffrail record --functions f --min-time 3 -- true
		--min-time '3': give a time of more than 0 with its unit, ns, us, 
	2 taffrail record --functions 'f%return(str) if value > 1' -- true
		--functions 'f%return\(str\) if value > 1': it records whole calls, an event each: leave out '%return'; -e 'fn:...%return' records that side alone$
	2 taffrail start s -p 1 --functions fn:f%entry
		--functions 'fn:f%entry': it records whole calls, an event each: leave out '%entry'; -e 'fn:...%entry' records that side alone$
	2 taffrail record -o half -e 'fn:outer%entry if duration > 1ms' -- "$CASES/calls" 1
		^rule 'fn:outer%entry if duration > 1ms': duration and depth are of whole calls, which have an event each: leave out '%entry' or '%return'$
	2 taffrail start s -p 1 -e 'fn:f%return(str) if depth < 3'
		: leave out '%entry' or '%return'$
	2 taffrail record --functions -- "$CASES/calls" 1
		option '--functions' needs an argument before '--'$
	2 taffrail record -e -- "$CASES/calls" 1
		option '-e' needs an argument before '--'$
	2 taffrail start s --all --min-time 1ms
		--depth and --min-time are for --functions
	1 taffrail record -o field -e 'fn:outer if duration > 1 && nothing' -- "$CASES/calls" 1
		.*no field "nothing"

case: many threads: those that have ended leave their places to others
run: taffrail record -o many --functions waits --functions ends -- "$CASES/whole" threads 3000 200
stderr: 1700 events \(0 lost
case: more threads than there is room for; each call is there or lost
run: taffrail record -o more --functions waits -- "$CASES/whole" threads 0 700 2>told; cat told >&2; taffrail verify more; python3 -c 'import re; print(sum(map(int, re.search(r"(\d+) events \((\d+) lost", open("told").read()).groups())))'
stdout: ^700$
stdout: ^700 emitted
stderr: [0-9]+ calls were lost: there was no room to keep them until the end
no stderr: buffer-size
case: deeper calls than there is room for are lost, but for those that no session wants
run: "$CASES/leaves" >plain && taffrail record -o deep --functions _ZL4deepl -- "$CASES/leaves" >traced && cmp plain traced && taffrail record -o shallow --functions _ZL4deepl --depth 200 -- "$CASES/leaves" >traced && taffrail record -o never --functions '_ZL4deepl if value == 1' --depth 300 -- "$CASES/leaves" >traced
stderr: 256 events \(19745 lost
stderr: 200 events \(0 lost
case: a report has one row for the process, with what it lost
run: taffrail report deep 2>/dev/null | sed -n '1p; /^Processes/,/^$/p' && taffrail report --json deep | grep -o '"pid"[^}]*"lost":[0-9]*'
stdout: ^256 events \(\d+ bytes\) of 1 process, 19745 lost$
stdout: ^ +256 +100\.0% +\d+ +19745 +\d+ +\S+$
no stdout: (?s)"pid".*"pid"
stdout: "events":256,.*"lost":19745$
case: every reader says why, and what helps
run: for with in 'view' 'report' 'report --functions' 'export --format json' 'timeline --force -o deep.html'; do taffrail $with deep >deep.out 2>told || exit; cat told >&2; grep -c '19745 calls lost: there was no room to keep them until the end' told; grep -c 'name fewer functions, or give a smaller --depth$' told; done; taffrail verify deep
whole stdout:
	1
	1
	1
	1
	1
	1
	1
	1
	1
	1
	20001 emitted = 256 kept + 0 overwritten + 19745 lost, in 1 stream of 2 traces, with 1 writer record
	of those lost, 19745 calls had no room until they ended: 512 threads have room, for 256 calls each: name fewer functions, or give a smaller --depth
no stderr: buffers? (were|size)
no stderr: buffer-size
case: signals at 10 kHz, in the middle of calls
run: taffrail record -o storm --buffer-size 64M --functions 'whole/*storm*' -- "$CASES/whole" storm 6000 >storm.out && read -r calls signals wrong <storm.out && taffrail view storm | grep -o 'fn:[a-z_]*' | sort | uniq -c | awk -v c=$calls -v s=$signals '$2 == "fn:stormy" && $1 == 21 * c { good++ } $2 == "fn:in_storm" && $1 == s { good++ } END { print good, (s > 0) }' && echo $wrong
whole stdout:
	2 1
	0
case: calls that a handler has left, in the middle of hits, do not take the room of later ones
file rising.py:
	# Each event has the number of its call: it rises, and hardly any that
	# returned is missing. There may be a million.
	import re, sys

	numbers = [int(n) for n in re.findall(r'"arg1":(\d+)', sys.stdin.read())]
	if numbers != sorted(set(numbers)):
	    sys.exit("a call has the number of another")
	print("right" if len(numbers) >= int(open(sys.argv[1]).read()) else "short")
run: taffrail record -o gone --buffer-size 64M --functions 'left/left_call(int)' -- "$CASES/left" 600 >returned && taffrail export --format json gone | python3 rising.py returned
whole stdout:
	right
stderr: \(0 lost
no stderr: no room to keep
case: the part that throws, which never returns, is no exit
run: taffrail record -o throws --functions 'leaves/*throws*' -- "$CASES/leaves" >/dev/null && taffrail view throws | wc -l
whole stdout: 100
case: a function whose exits cannot all be had is named
run: taffrail record -o unended --functions by_label -- "$CASES/through" >/dev/null
status: 1
stderr: fn/by_label%return at 0x[0-9a-f]+ is not traced: its function
no stderr: no function matches
case: a recursive call counts once in the total
run: taffrail record -o again --functions 'left/left_again' -- "$CASES/left" 0 >/dev/null && taffrail report --functions --json again | python3 -c 'import json, sys; f = json.load(sys.stdin)["pairs"][0]; print(f["count"], f["total"] == f["self"])'
whole stdout:
	30 True
case: fork in a function: it returns twice
run: taffrail record -o forks --functions forks -- "$CASES/whole" fork 20 && taffrail view forks | grep -c 'arg2 = \([0-9]*\),.* value = -\1 ' && taffrail view forks | wc -l
whole stdout:
	20
	40
case: kill -9 in the middle of calls
run:
	taffrail record -o killed --functions 'whole/*storm*' -- timeout -s KILL 0.5 "$CASES/whole" storm 100000000
	taffrail verify killed | tail -n 1
stdout: ^[0-9]+ emitted = [0-9]+ kept

# Readers
case: the report takes them as calls
env: TAFFRAIL_CLOCK=atomic
run:
	taffrail record -o counted --functions 'calls/*' -- "$CASES/calls" 3 >/dev/null 2>&1
	taffrail report --json counted | python3 -c '
	import json, sys
	for pair in json.load(sys.stdin)["pairs"]:
	    print(pair["name"], pair["count"], pair["sum"], pair["self"])' | sort
whole stdout:
	fn:branches 4 4 4
	fn:floating 3 3 3
	fn:main 1 91 7
	fn:outer 3 84 39
	fn:recurses 6 42 24
	fn:short_one 3 3 3
	fn:six 3 3 3
	fn:switches 3 3 3
	fn:with_text 5 5 5
case: with the functions that took longest
run: taffrail report --functions counted | sed 1,/returned/d | head -n 2
stdout: ^ +1 .* 0  main$
stdout: ^ +3 .* 0  outer$
case: folded stacks
run: taffrail export --format folded counted | sort
whole stdout:
	calls;main 7
	calls;main;outer 39
	calls;main;outer;branches 1
	calls;main;outer;floating 3
	calls;main;outer;recurses 15
	calls;main;outer;recurses;branches 2
	calls;main;outer;recurses;recurses 8
	calls;main;outer;recurses;recurses;branches 1
	calls;main;outer;recurses;recurses;recurses 1
	calls;main;outer;recurses;recurses;short_one 1
	calls;main;outer;recurses;short_one 1
	calls;main;outer;recurses;with_text 1
	calls;main;outer;short_one 1
	calls;main;outer;six 3
	calls;main;outer;switches 3
	calls;main;outer;with_text 4
case: the graph has each where it ended
run: taffrail view --graph counted | cut -c 1-9,20- | tail -n 4
whole stdout:
	     1 ns     six();
	     1 ns     with_text();
	    40 ns   outer();
	    91 ns main();
case: whole calls and pairs of one session nest: the same stacks, and each time counts once
env: TAFFRAIL_CLOCK=atomic
run:
	taffrail export --format folded counted | sed 's/ [0-9]*$//' | sort >stacks
	mixed() {
		rm -rf mixed.d && taffrail record -o mixed.d "$@" -- "$CASES/calls" 3 >/dev/null 2>&1
		taffrail export --format folded mixed.d >mixed.folded && sed 's/ [0-9]*$//; s/_start;//' mixed.folded | sort | diff stacks -
		taffrail report --json mixed.d | python3 -c '
	import json, sys
	pairs = json.load(sys.stdin)["pairs"]
	main = [pair["sum"] for pair in pairs if pair["name"] == "fn:main"][0]
	print(main == sum(pair["self"] for pair in pairs), main == sum(int(line.split()[-1]) for line in open("mixed.folded")))'
	}
	mixed --functions 'calls/*' -e fn:main -e fn:recurses
	mixed --functions 'calls/*' -e fn:outer -e fn:branches -e fn:short_one
	mixed -e 'fn:calls/*' --functions recurses
	mixed -e 'fn:calls/*' --functions main --functions branches
	taffrail view --graph mixed.d | cut -c 20- | tail -n 4 | sed 's/^ *//'
whole stdout:
	True True
	True True
	True True
	True True
	six();
	with_text();
	} (outer)
	main();
# Running programs
group: running
before:
	start load "$CASES/calls" load 3
	wait_for grep -q ready load.out
	load=$pid
case: calls that began before have no event
run:
	start wait "$CASES/whole" wait &&
		wait_for grep -q first wait.out &&
		taffrail start s -p $pid --functions lines --min-time 1ns &&
		say wait one ready && say wait two '' && ended wait
	taffrail snapshot s -o s && taffrail view s
stdout: fn:lines: .*, depth = 1, .* arg2 = 2, .* value = 2 \}$
no stdout: arg2 = 1,
case: a program that runs, without a restart
run:
	taffrail record -o live -p $load --functions outer --functions six --depth 1 --for 0.5 && taffrail view live | awk '{ n[$4]++ } END { for (name in n) print name }'
stdout: ^fn:outer:$
case: no call counts that another session records, had or was refused, or of a function that was disabled
run:
	once() { taffrail record -o $1 -p $load --functions six --for .1s && taffrail view $1 | grep -o 'depth = .' | sort -u; }
	taffrail start others -p $load --functions outer --overwrite && once others && taffrail destroy others && once had
	taffrail start refused -p $load --functions outer -e fn:nope || once refused
	taffrail start off -p $load --functions outer --functions six --overwrite && taffrail view -s off --tail 9 | sed -n 's/.*fn:six.*\(depth = .\).*/\1/p' | sort -u
	taffrail disable off fn:outer && wait_for sh -c 'taffrail view -s off --tail 1 | grep -q "fn:six.*depth = 1"' && taffrail destroy off && echo off
whole stdout:
	depth = 1
	depth = 1
	depth = 1
	depth = 2
	off
stderr: no function matches 'fn:nope'
case: status says how much room there is
run: taffrail start room -p $load --functions 'calls/*' --overwrite && taffrail status room
stdout: room for 256 open calls of each of 512 threads; 0 calls lost$
case: the list shows both forms of the event
run: taffrail list -p $load | grep fn/outer
stdout: ^fn/outer +0x[0-9a-f]+ +function on +calls.c \(uint64 duration\{ns\}, uint32 depth, int64 arg1, int64 arg2, int64 arg3, int64 value\) \[jump\]$
stdout: ^fn/outer +0x[0-9a-f]+ +function off +calls.c \(int64 arg1, int64 arg2, int64 arg3, pointer cfa\) \[jump\]$
case: switches under load
run:
	for i in {1..12}; do
		taffrail start more -p $load --functions outer --overwrite &&
			taffrail enable more 'fn:calls/*s* if duration > 100ns && depth < 4' &&
			taffrail enable more 'fn:short_one' &&
			taffrail disable more 'fn:*r*' &&
			taffrail destroy more || exit
	done
case: no result was wrong
run: taffrail destroy room && say load end . && ended load && cat load.out
stdout: ^0 wrong$

# SPDX-License-Identifier: LGPL-2.1-or-later
# Functions of programs that were not prepared: rules that begin with fn:.

compile: calls calls.c -O2 -g0 -pthread
compile: leaves leaves.cc -O2 -pthread
compile: stripped calls.c -O2 -pthread -s
compile: through through.c -O2
compile: beside beside.c -O2 -pthread
compile: shop shop.cc -O2
compile: small small.c -O2 -pthread
compile: opens opens.c -O2
compile: order order.c -O2
compile: fixed fixed.c -O2 -no-pie
compile: crowd crowd.c -O2
compile: fixed-calls calls.c -O2 -no-pie -pthread
compile: libcalled.so called.c -O2 -fPIC -shared

before:
	plain=$("$CASES/calls" 40)
	start rest "$CASES/calls" load 0
	wait_for grep -q ready rest.out

# Rules
case: each call is an event
run: taffrail record -o all -e 'fn:calls/*' -- "$CASES/calls" 40 && taffrail view all | grep -c 'fn:outer:'
stdout: ^40$
case: the program prints the same
run: test "$(taffrail record -o same -e 'fn:calls/*' -- "$CASES/calls" 40 2>/dev/null)" = "$plain"
case: recursion
run: taffrail view all | grep -c 'fn:recurses:'
stdout: ^120$
case: arguments and the frame's address
run: taffrail view all | grep 'fn:outer:' | head -n 2
stdout: arg1 = 1, arg2 = -?[0-9]+, arg3 = -?[0-9]+, cfa = 0x7FF
case: the rule says the arguments
run: taffrail record -o typed -e 'fn:with_text(,str,int)' -e 'fn:six(,,,,,)' -- "$CASES/calls" 1 && taffrail view typed
stdout: fn:with_text: .* arg1 = 0, arg2 = "hello", arg3 = 1, cfa
stdout: fn:six: .* arg1 = 1, arg2 = 2, arg3 = 3, arg4 = 4, arg5 = 5, arg6 = 0, cfa
case: a condition
run: taffrail record -o if -e 'fn:outer if arg1 >= 38' -- "$CASES/calls" 40 && taffrail view if | wc -l
stdout: ^2$
case: some of the functions
run: taffrail record -o some -e 'fn:*o*e*' -- "$CASES/calls" 9 && taffrail view some | grep -o 'fn:[a-z_%]*' | sort -u
stdout: ^fn:outer$
stdout: ^fn:outer%return$
no stdout: fn:six
case: --where
run: taffrail view all --where 'fn:out*' | wc -l && taffrail view all --where 'fn:out*%return' | wc -l
stdout: ^80$
stdout: ^40$
case: a library
run: taffrail record -o libc -e 'fn:libc/puts(str)' -e 'fn:libc/*printf*' -- "$CASES/calls" 1 && taffrail view libc
stdout: fn:_*printf
case: a library that was opened by a relative path
run: cd "$CASES" && taffrail record -o relative --force -e 'fn:libcalled/*' -- ./opens ./libcalled.so && taffrail view relative | grep -o 'fn:[^:]*' | sort | uniq -c
stdout: ^ +30 fn:called$
stdout: ^ +30 fn:called%return$
case: a library that comes later, of which two sessions record functions
run: cd "$CASES" && taffrail record -o second --force -e 'fn:libcalled/*' -- env TAFFRAIL_ENABLE='fn:libcalled/*' ./opens ./libcalled.so && taffrail view second | grep -o 'fn:[^:]*' | sort | uniq -c
stdout: ^ +30 fn:called$
stdout: ^ +30 fn:called%return$
case: libc only where it is named
run: taffrail record -o nolibc -e 'fn:*printf*' -- "$CASES/calls" 1
status: 1
stderr: no function matches 'fn:\*printf\*'; nearest: 
stderr: 0 events
case: the list shows functions that a session has
run: taffrail attach $pid && taffrail start list -p $pid -e 'fn:out*' && taffrail list -p $pid && taffrail destroy list
stdout: ^fn/outer +0x[0-9a-f]+ +function on +calls.c \(int64 arg1, int64 arg2, int64 arg3, pointer cfa\) \[jump\]$
case: a rule for markers that names a function leads to the function's
run: taffrail start list -p $pid -e fn:outer && taffrail start none -p $pid -e outer; taffrail destroy list
stderr: no marker matches 'outer'; the nearest: fn:outer or fn:outer%return
case: a star means no function
run: taffrail record -o star -e '*' -- "$CASES/calls" 1
status: 1
stderr: 0 events
case: nor does a channel named fn
run: taffrail record -o channel -e 'fn/*' -- "$CASES/calls" 1
status: 1
stderr: 0 events
case: TAFFRAIL_ENABLE
run: taffrail record -o both -e 'fn:outer' -- env TAFFRAIL_ENABLE='fn:outer;fn:branches' "$CASES/calls" 7 && taffrail view both | wc -l
stdout: ^14$
case: its rules may have types, with commas; a comma between rules is refused
run:
	taffrail record -o typed-both -e 'fn:outer%entry' -- env TAFFRAIL_ENABLE='fn:with_text(,str,int);fn:six(,str)' TAFFRAIL_SESSION=typed "$CASES/calls" 3 && taffrail snapshot typed -o typed.trace && taffrail view typed.trace | grep -o '{ arg1 = .*, cfa' | sort -u
	taffrail destroy typed
	taffrail record -o commas -e 'fn:outer%entry' -- env TAFFRAIL_ENABLE='fn:outer,fn:branches' "$CASES/calls" 3; taffrail status
stdout: ^\{ arg1 = 0, arg2 = "hello", arg3 = 1, cfa$
stdout: ^\{ arg1 = 1, arg2 = "\(unreadable\)", cfa$
stderr: TAFFRAIL_ENABLE: rule 'fn:outer,fn:branches': each rule has an -e of its own, in TAFFRAIL_ENABLE a ';' before it; a name that has a ',' stands in quotes$
case: without types, a condition that needs a sign is told
run: for if in 'value < 0' 'arg1 && value==-1' 'value >= 0x80000000' 'value == 0 || value != 1'; do taffrail record --force -o unsigned -e "fn:outer%return if $if" -e "fn:libc/puts%return if $if" -- "$CASES/calls" 3 2>&1 >/dev/null | grep -c 0xffffffff; done; gcc -g -O2 -pthread -o has-types "$SOURCE/calls.c" && taffrail record -o signed -e 'fn:outer%return if value < 0' -- ./has-types 3 2>&1 >/dev/null | grep 0xffffffff
status: 1
whole stdout:
	1
	1
	0
	0
case: also of a module whose name begins as that of libc
run: cp "$CASES/calls" libcow && taffrail record -o cow -e 'fn:libcow/outer%return if value < 0' -- ./libcow 3
stderr: of value is not known, and an int of -1 is 0xffffffff
case: so it is of an argument
run: for if in 'arg1 == -7' '!arg2 && arg2 < 0' 'arg1 > 0xfffffff0' 'arg1 == 0'; do taffrail record --force -o unsigned -e "fn:outer if $if" -- "$CASES/calls" 3 2>&1 >/dev/null | grep -c 'arg[12] is not known.*0xffffffff'; done
status: 1
whole stdout:
	1
	1
	0
	0
case: a rule for returns alone has the type of debug information
file neg.c:
	__attribute__((noinline)) int neg(int n) { __asm__ volatile(""); return -n; }
	int main(void)
	{
		return neg(3) + neg(-3);
	}
run: gcc -g -O1 -o neg neg.c && taffrail record -o neg.d -e 'fn:neg%return if value < 0' -- ./neg && taffrail view neg.d | grep -o 'value = [-0-9]*'
whole stdout: value = -3
no stderr: 0xffffffff
case: the signal that ends the program is named
run: for signal in TRAP ABRT; do taffrail record -o signal$signal -e fn:outer%entry -- sh -c '"$0"; kill -'$signal' $$' "$CASES/calls" >/dev/null; echo $?; done
whole stdout:
	133
	134
stderr: ^taffrail: record: signal 5 killed the program: Trace/breakpoint trap$
stderr: ^taffrail: record: signal 6 killed the program: Aborted$
case: a program without symbols has functions that are exported
run: taffrail record -o bare -e 'fn:outer' -- "$CASES/stripped" 7
status: 1
stderr: 0 events

# Mistakes
case: names that are near
run: taffrail record -o near -e 'fn:oter' -- "$CASES/calls" 1
status: 1
stderr: no function matches 'fn:oter'; nearest: outer, 
case: an IFUNC has no name, and a rule that may mean one is told
run: for glob in libc/strlen calls/outr 'libc/strle?'; do taffrail record --force -o ifunc -e "fn:$glob" -- "$CASES/calls" 1; echo $?; done 2>&1 >ifunc.out | grep -o 'an IFUNC, [^(]*[^ (]'; grep -c 'An IFUNC' "$SOURCE/../../docs/functions.md"
whole stdout:
	an IFUNC, which is chosen at start, has names of its choices, as fn:libc/*strlen*
	1
case: modules that are near
run: taffrail record -o near-modules -e 'fn:cals/outer' -- "$CASES/calls" 1
status: 1
stderr: no function matches 'fn:cals/outer'; nearest: modules calls, 
case: also beside a rule that names the function where it is
run:
	exec 2>amiss.err
	for rules in '-e fn:outer' '-e fn:outer%return -e fn:calls/outer' '--functions outer'; do taffrail record --force -o amiss -e fn:cals/outer $rules -- "$CASES/calls" 1 >/dev/null; echo $? $(taffrail view amiss | grep -c fn:outer); done
	taffrail record --force -o amiss -p $pid --for 0.1s -e fn:outer -e fn:cals/outer; echo $?
	taffrail start amiss -p $pid -e fn:outer -e fn:cals/outer; echo $?
	taffrail start amiss -p $pid -e fn:outer && taffrail enable amiss fn:cals/outer; echo $?; taffrail enable amiss fn:calls/outer; echo $?; taffrail destroy amiss
	grep -c "no function matches 'fn:cals/outer'; nearest: modules calls, " amiss.err; ! grep "no function matches 'fn:[co][au][lt]" amiss.err | grep -v cals/
whole stdout:
	1 2
	1 2
	1 1
	1
	1
	1
	0
	6
case: with --force, the former recording keeps the new name, as the manual says
run: taffrail record -o forced -e fn:outer -- "$CASES/calls" 1 >/dev/null && taffrail record --force -o forced -p $pid --for 0.1s -e fn:outre; echo $?; [ -d forced.old ] && taffrail view forced; grep -c '^That no function matches a rule' "$SOURCE/../../docs/man/taffrail-record.1"
stdout: ^1$
stdout: 1$
stderr: the former forced is forced\.old now$
no stderr: again$
case: of functions of a process
run: taffrail start near -p $pid -e 'fn:oter'
status: 1
stderr: start: no function matches 'fn:oter'; nearest: outer, 
case: neither calls nor returns
run: taffrail record -o ret -e 'fn:outer%ret' -- "$CASES/calls" 1
status: 2
stderr: 'fn:outer%ret': behind '%' of a function stands 'entry' or 'return'
case: arguments that no register has
run: taffrail record -o types -e 'fn:outer(str:7)' -- true; taffrail record -o types -e 'fn:outer(,,,,,,)' -- true
status: 2
stderr: 'fn:outer\(str:7\)': only the first 6 arguments of a function are known
stderr: 'fn:outer\(,,,,,,\)': only the first 6 arguments of a function are known
case: a session has 64 rules
run: taffrail record -o rules $(seq -f '-e fn:x%.0f' 65) -- true; taffrail record -o rules $(seq -f '-e fn:y%.0f' 40) $(seq -f '--functions x%.0f' 30) -- true
status: 2
stderr: ^taffrail: record: more than 64 rules\n.*\ntaffrail: record: more than 64 rules$
case: a length is recorded, too
run: taffrail record -o length -e 'fn:with_text(,str:3)' -- "$CASES/calls" 1 && taffrail view length
stdout: fn:with_text: .* arg1 = 0, arg2 = "h", arg3 = 1, cfa
case: a condition fits neither
run: taffrail record -o misfit -e 'fn:outer if arg9 > 1' -- "$CASES/calls" 1
status: 1
stderr: column 1: no field "arg9"; fn/outer has arg1, arg2, arg3, cfa

# Names of C++
case: without parameters, all overloads; events have the name in the source
run: taffrail record -o overloads -e fn:shop::Cart::add -- "$CASES/shop" && taffrail view overloads | grep -o 'fn:.*: {' | sort | uniq -c
stdout: ^ +10 fn:shop::Cart::add\(int, char const\*\): \{$
stdout: ^ +10 fn:shop::Cart::add\(int, char const\*\)%return: \{$
stdout: ^ +10 fn:shop::Cart::add\(long\) const: \{$
case: with them, one; with types and a condition
run: taffrail record -o one-cxx -e "fn:'shop::Cart::add(int, char const*)'(,,str) if arg2 > 7" -- "$CASES/shop" && taffrail view one-cxx
stdout: fn:shop::Cart::add\(int, char const\*\): .* arg2 = 8, arg3 = "abc", cfa
stdout: arg2 = 9
no stdout: arg2 = 7
no stdout: long
case: types that may be parameters are refused, unless quotes tell
run:
	for rule in 'fn:shop::Cart::add(int)' 'fn:*add(int)' 'fn:*add(int,int) if arg1'; do taffrail record -o parameters -e "$rule" -- "$CASES/shop" >/dev/null; echo $?; done
	for rule in "fn:'shop::Cart::add'%entry(int)" "fn:'*add'(int)" 'fn:shop::Cart::add(,)' 'fn:shop::Cart::add(int,str)'; do taffrail record --force -o parameters -e "$rule" -- "$CASES/shop" >/dev/null 2>&1; echo $? $(taffrail view parameters 2>&1 | grep -c 'add(.*): '); done
	taffrail record --force -o parameters -e 'fn:shop::sell*%entry' -- env TAFFRAIL_ENABLE='fn:shop::Cart::add(int)' "$CASES/shop" >/dev/null; taffrail status >&2
whole stdout:
	2
	1
	1
	0 10
	0 10
	0 10
	0 10
stderr: record: rule 'fn:shop::Cart::add\(int\)': types of arguments, or parameters of C\+\+\? fn:'shop::Cart::add\(int\)' means the function with these parameters, fn:'shop::Cart::add'\(int\) each of that name, whose arguments are numbers
stderr: record: rule 'fn:\*add\(int\)': types of arguments, or parameters
stderr: record: rule 'fn:\*add\(int,int\) if arg1': types of arguments, or parameters of C\+\+\? fn:'\*add\(int, int\)' means .* fn:'\*add'\(int,int\) each
stderr: TAFFRAIL_ENABLE: rule 'fn:shop::Cart::add\(int\)': types of arguments, or parameters
case: of other parameters, the message has the quotes
run: taffrail record -o parameters -e 'fn:shop::Cart::add(int, char const*)' -- "$CASES/shop"
status: 2
stderr: N has its length\), int or nothing; a name of C\+\+ with its parameters stands in quotes, fn:'f\(long\)'
case: instances of a template, and operators
run: taffrail record -o instances -e 'fn:shop::sell<*' -e "fn:'shop::Cart::operator()'%entry" -- "$CASES/shop" && taffrail report --functions instances
stdout: ^ +10 .* 0  shop::sell<int>\(int, std::vector<int, std::allocator<int> > const&\)$
stdout: ^ +10 .* 0  shop::sell<double>\(double, 
case: some of the events
run: taffrail view overloads --where fn:shop::Cart::add%return | wc -l; taffrail view overloads --where "fn:'shop::Cart::add(long) const'" | wc -l
stdout: ^20$
stdout: ^20$
no stdout: ^40$
case: the list, and names that are near
run: taffrail list --functions "$CASES/shop"; taffrail record -o near-cxx -e fn:shop::Cart::ad -- "$CASES/shop"
status: 1
stdout: ^fn/shop::Cart::add\(long\) const +0x
stderr: no function matches 'fn:shop::Cart::ad'; nearest: shop::Cart::add, 
case: a name without its namespace, an operator and a template are given as rules write them
run: for rule in fn:add fn:shop::sel fn:Cart::operator; do taffrail record --force -o near-cxx -e $rule -- "$CASES/shop" 2>&1 | grep -o 'nearest: .*'; done; taffrail record -o given -e "fn:shop::sell<*" -e "fn:'shop::Cart::operator()'" -- "$CASES/shop"
stdout: ^nearest: shop::Cart::add, .*\nnearest: shop::sell<\*.*\nnearest: 'shop::Cart::operator\(\)'
stderr: [1-9][0-9]* events

# Returns
case: a return for each call
run: taffrail view all | grep -o 'fn:[a-z_%]*' | sort | uniq -c
stdout: 40 fn:outer$
stdout: 40 fn:outer%return$
stdout: 120 fn:recurses$
stdout: 120 fn:recurses%return$
stdout: 58 fn:short_one$
stdout: 58 fn:short_one%return$
stdout: 90 fn:branches%return$
case: calls and returns have the same frames, in turn
run:
	taffrail view all | python3 -c '
	import re, sys
	open_calls = []
	for line in sys.stdin:
	    name, cfa = re.search(r"fn:([^:]*): .*cfa = (0x[0-9A-F]+)", line).groups()
	    if name == "_start":
	        continue
	    if not name.endswith("%return"):
	        open_calls.append((name, cfa))
	    elif open_calls.pop() != (name[:-7], cfa):
	        sys.exit(line)
	sys.exit(len(open_calls))'
case: the value
run: taffrail record -o value -e 'fn:short_one' -- "$CASES/calls" 3 && taffrail view value
stdout: fn:short_one: .* arg1 = 1, .*
stdout: fn:short_one%return: .* value = 2, cfa
case: calls without returns, and returns without calls
run:
	taffrail record -o entered -e 'fn:outer%entry' -- "$CASES/calls" 5 && taffrail view entered | grep -c 'fn:outer:'
	taffrail record -o returns -e 'fn:outer%return' -- "$CASES/calls" 6 && taffrail view returns | grep -c 'fn:outer%return:'
	taffrail view entered returns | wc -l
stdout: ^5$
stdout: ^6$
stdout: ^11$
case: exceptions, longjmp, pthread_exit, coroutines, recursion
run:
	"$CASES/leaves" >plain &&
		taffrail record --buffer-size 8M -o left -e 'fn:leaves/*' -- "$CASES/leaves" >traced &&
		cmp plain traced && taffrail view left | grep -o 'fn:[^:]*' | sort | uniq -c
stdout: 20001 fn:deep\(long\)$
stdout: 20001 fn:deep\(long\)%return$
stdout: 300 fn:throws\(int\)$
stdout: 300 fn:catches\(int\)%return$
stdout: 300 fn:jumps\(int\)$
stdout: 150 fn:jumps\(int\)%return$
stdout: 50 fn:ends\(void\*\)$
case: jumps through registers and memory
run: "$CASES/through" >plain && taffrail record -o jumping -e 'fn:through/*' -- "$CASES/through" >traced && cmp plain traced && taffrail view jumping | grep -o 'fn:[^:]*' | sort | uniq -c
stdout: 100 fn:by_table$
stdout: 100 fn:by_table%return$
stdout: 100 fn:by_member$
stdout: 100 fn:by_member%return$
stdout: 100 fn:two_ways$
stdout: 100 fn:two_ways%return$
stdout: 100 fn:by_label$
stdout: 100 fn:framed$
stdout: 100 fn:framed%return$
stdout: 100 fn:last$
stdout: 100 fn:last%return$
no stdout: by_label%return
case: the table says which functions have no time, as no return of them is there
run: taffrail report --functions jumping | tail -n 1; taffrail record -o begins -e 'fn:framed%entry' -e 'fn:last%entry' -- "$CASES/through" >/dev/null && taffrail report --functions begins | tail -n 1; taffrail record -o idle -e 'fn:main%entry' -e 'fn:outer%entry' -- "$CASES/calls" 0 >/dev/null && taffrail report --functions idle | tail -n 1
whole stdout:
	  2 functions not shown, with 101 calls: no return of them is in the trace (the rule, or their exits cannot be had), so their callers have their time
	  2 functions not shown, with 200 calls: no return of them is in the trace (the rule, or their exits cannot be had), so their callers have their time
	  1 function not shown, with 1 call: no return of them is in the trace (the rule, or their exits cannot be had), so their callers have their time
case: exits that cannot be had are told, without a remedy
run: taffrail record -o unclear -e 'fn:by_label%return' -- "$CASES/through"
status: 1
stderr: fn/by_label%return at 0x[0-9a-f]+ is not traced: 
no stderr: --int3

case: a function that nothing describes has the same reason everywhere
file plainest.s:
		.text
		.globl alpha, main
		.type alpha, @function
	alpha:	movl $1, %eax
		ret
		.size alpha, . - alpha
		.type main, @function
	main:	call alpha
		xor %eax, %eax
		ret
		.size main, . - main
		.section .note.GNU-stack, "", @progbits
run: gcc -Wl,--discard-all -o plainest plainest.s && taffrail list --functions plainest fn:alpha; taffrail record -o plainest.d -e fn:plainest/alpha -- ./plainest
status: 1
stdout: ^fn/alpha .* \[not: its function's bounds are not known\]$
stderr: fn/alpha at 0x[0-9a-f]+ is not traced: its function's bounds are not known
case: strings on small stacks of coroutines
run: "$CASES/small" >plain && taffrail record -o strings -e 'fn:texts(str)' -- "$CASES/small" >traced && cmp plain traced && taffrail view strings --where fn:texts | grep -o 'arg1 = .*' | sed 's/, cfa.*//' | awk '{ print length($0) }' | sort | uniq -c
stdout: ^ +40 264$
stdout: ^ +4 1[0-9]{3}$
case: the function that a tail call leads to, by its name
file tails.cc:
	#include <stdio.h>
	#define KEEP __attribute__((noinline, noclone))
	namespace shop {
	KEEP long add(long n) { asm volatile(""); return n + 1; }
	KEEP long sell(long n) { asm volatile(""); return add(n); }
	}
	KEEP int say(const char *s) { asm volatile(""); return puts(s); }
	/* no symbol is where it jumps to */
	extern "C" long bare(long n);
	asm(".text; .globl bare; .type bare, @function; .p2align 4; bare: .cfi_startproc\n"
	    "jmp .Lnameless; .cfi_endproc; .size bare, . - bare; .p2align 4\n"
	    ".Lnameless: .cfi_startproc; lea 5(%rdi), %rax; nopl 0(%rax)\n"
	    "ret; .cfi_endproc; .p2align 4");
	int main(int argc, char **)
	{
	    long n = bare(shop::sell(argc));
	    say("said");
	    return n != 7;
	}
run:
	g++ -O2 -o tails tails.cc && taffrail record -o led -e 'fn:tails/*' -- ./tails && taffrail view led | grep -o '{ to = .*"' &&
		taffrail view --graph led | cut -c 20- && taffrail export --format json led | grep -o '"to":"[^"]*"' &&
		taffrail timeline -o led.html led && taffrail view led --where 'fn:*%return if to == "puts"' | wc -l
stdout: ^said$
stdout: ^\{ to = "shop::add\(long\)"$
stdout: ^\{ to = "puts"$
stdout: ^\{ to = "tails\+0x[0-9a-f]+"$
stdout: ^ +shop::sell\(long\); by jump to shop::add\(long\)$
stdout: ^ +say\(char const\*\); by jump to puts$
stdout: ^ +\} \(main\)$
stdout: ^"to":"shop::add\(long\)"$
stdout: ^1$

# Durations
case: durations are those of calls and returns with the same frame
file pair.py:
	# A return ends the last call of the same thread, function and frame.
	import collections, json, sys
	calls = collections.defaultdict(list)
	spans = collections.defaultdict(list)
	met = collections.Counter()
	for line in sys.stdin:
	    event = json.loads(line)
	    name = event["event"]
	    at = event["context"]["vtid"], event["fields"]["cfa"]
	    if name.endswith("%return"):
	        begin = calls[name[:-7], at].pop()
	        spans[name[:-7]].append(event["ns"] - begin)
	    else:
	        calls[name, at].append(event["ns"])
	        met[name] += 1
	with open(sys.argv[1]) as report:
	    told = {pair["name"]: pair for pair in json.load(report)["pairs"]}
	wrong = set(spans) ^ set(told)
	for name, list in spans.items():
	    pair = told.get(name, {})
	    print(name, len(list), sum(list))
	    if [pair.get(k) for k in ("count", "sum", "max", "unfinished")] != \
	            [len(list), sum(list), max(list), met[name] - len(list)]:
	        wrong.add(name)
	sys.exit("wrong: %s" % wrong if wrong else 0)
run:
	for trace in all left jumping; do
		taffrail report --json $trace >report.json && taffrail export --format json $trace |
			python3 pair.py report.json || exit
	done
stdout: ^fn:deep\(long\) 20001 [0-9]+$
stdout: ^fn:jumps\(int\) 150 [0-9]+$
stdout: ^fn:resume\(\) 300 [0-9]+$
stdout: ^fn:recurses 120 [0-9]+$
stdout: ^fn:by_table 100 [0-9]+$
case: the table of functions
run: taffrail report --functions left && taffrail report --functions --sort count --rows 1 left
stdout: returned +total +self +p50 +p99 +max +left +function$
stdout: ^ +150( +[0-9.]+ [mun]?s){5} +150  jumps\(int\)$
stdout: ^ +20001( +[0-9.]+ [mun]?s){5} +0  deep\(long\)$
no stdout: _ZL6throws
case: the time of a function by itself
run: taffrail report --json left | python3 -c 'import json, sys; p = {p["name"]: p for p in json.load(sys.stdin)["pairs"]}; d = p["fn:deep(long)"]; sys.exit(d["self"] != d["max"])'
case: folded stacks
file folded.py:
	# The time of each function by itself, as the report has it.
	import collections, json, sys
	times = collections.Counter()
	lines = 0
	for line in sys.stdin:
	    stack, ns = line.rsplit(" ", 1)
	    times["fn:" + stack.split(";")[-1]] += int(ns)
	    if not stack.startswith(sys.argv[2] + ";"):
	        sys.exit("wrong: " + line)
	    lines += 1
	with open(sys.argv[1]) as report:
	    told = {p["name"]: p["self"] for p in json.load(report)["pairs"]}
	print(lines)
	sys.exit(dict(times) != told and "%s is not %s" % (times, told))
run:
	taffrail report --json left >report.json && taffrail export --format folded left >left.folded &&
		python3 folded.py report.json leaves <left.folded &&
		grep -c '^leaves;_start;main;deep(long);deep(long);deep(long) [0-9]*$' left.folded &&
		taffrail export --format folded all | grep -E '^calls;_start;main;outer;(recurses;){2}short_one [0-9]+$'
stdout: ^51[0-9]$
stdout: ^1$
case: an indented graph
run: taffrail view --graph all | sed -n 2,40p
stdout: ^ +\[ *[0-9]+\] main\(\) \{$
stdout: ^ +\[ *[0-9]+\]   outer\(\) \{$
stdout: ^ +[0-9.]+ [num]?s \[ *[0-9]+\]     recurses\(\);$
stdout: ^ +[0-9.]+ [num]?s \[ *[0-9]+\]   \} \(outer\)$
case: calls of it that do not return
run: taffrail view --graph left | grep jumps | head -n 2 && taffrail view --graph left | grep -c 'deep(long);'
stdout: ^ +left \[ *[0-9]+\] +jumps\(int\);$
stdout: ^ +[0-9.]+ [num]?s \[ *[0-9]+\] +jumps\(int\);$
stdout: ^1$
case: calls that do not return stand around those in them
run: taffrail export --format folded left | grep 'catches(int)'
stdout: ^leaves;_start;main;catches\(int\) [0-9]+$
case: stacks that are neighbours, and the total of recursive calls
run: "$CASES/beside" >plain && taffrail record -o neighbours -e 'fn:beside/*' -- "$CASES/beside" >traced && cmp plain traced && taffrail report --functions neighbours
stdout: ^ +100( +[0-9.]+ [mun]?s){5} +0  works$
stdout: ^ +50( +[0-9.]+ [mun]?s){5} +0  interrupted$
stdout: ^ +50( +[0-9.]+ [mun]?s){5} +0  handler$
stdout: ^ +370( +[0-9.]+ [mun]?s){5} +0  leaf$
stdout: ^ +21 +([0-9.]+ [mun]s) .* \1 +0  falls$
case: they are folded, and end in Perfetto's form, each by itself
file slices.py:
	# Each END ends the call with the same frame, which began last on the track.
	# Numbers are those of perfetto-private.h.
	import sys
	def fields(data):
	    at = 0
	    def number():
	        nonlocal at
	        value = shift = 0
	        while True:
	            at += 1
	            value |= (data[at - 1] & 127) << shift
	            shift += 7
	            if data[at - 1] < 128:
	                return value
	    while at < len(data):
	        key = number()
	        if key & 7 == 0:
	            yield key >> 3, number()
	            continue
	        n = {1: 8, 5: 4}.get(key & 7) or number()
	        at += n
	        yield key >> 3, data[at - n:at]
	tracks, ended = {}, 0
	for _, packet in fields(sys.stdin.buffer.read()):
	    event = dict(fields(packet)).get(11)
	    if event is None:
	        continue
	    frames = [dict(fields(v)).get(7) for k, v in fields(event) if k == 4]
	    # the last pointer is the cfa
	    frame = [f for f in frames if f is not None][-1:]
	    event = dict(fields(event))
	    track = tracks.setdefault(event[11], [])
	    if event[9] == 1:
	        track.append(frame)
	    elif event[9] == 2:
	        begun = track.pop()
	        if frame and frame != begun:
	            sys.exit("%s ends %s" % (frame, begun))
	        ended += 1
	print(ended, "ended")
run: taffrail export --format folded neighbours && taffrail export --format perfetto neighbours | python3 slices.py
stdout: ^[56][0-9][0-9] ended$
stdout: ^beside;body;works;leaf [0-9]+$
stdout: ^beside;run_thread;interrupted;leaf [0-9]+$
stdout: ^beside;handler;leaf [0-9]+$
no stdout: works.*works
no stdout: body.*body
no stdout: interrupted;handler
case: returns without their calls, and calls without returns
run:
	taffrail report --functions returns
	taffrail record -o ends -e 'fn:recurses%entry' -- "$CASES/calls" 400 && test $(taffrail view --graph ends | grep -c recurses) = $(taffrail view ends | wc -l)
stdout: No call of a function has a duration
stdout: ^  6 ends without a begin$
case: the graph tells events without a line
run: taffrail view --graph returns
whole stdout:
stderr: ^taffrail: view: 6 returns have no line, for want of a call$
case: options without a place in a form are refused
run: taffrail report --functions --by vtid returns || taffrail view --graph --raw returns
status: 2
stderr: ^taffrail: report: --functions prints one table: --pair, --by, --field and --slowest have no place in it: without it, 'report --by FIELD' has a table of each function's calls
stderr: ^taffrail: view: --graph has a form of its own, without --raw
case: a trace without returns
run: taffrail report --functions entered
stdout: fn:GLOB

# Programs at a fixed address
case: each kind of entry has a jump
run:
	"$CASES/fixed" >plain
	taffrail record -o fixed-all -e 'fn:fixed/low_*' -- "$CASES/fixed" >traced
	status=$?
	cmp plain traced && taffrail view fixed-all | grep -o 'fn:[^:]*' | sort | uniq -c
	exit $status
stdout: ^ +50 fn:low_plain$
stdout: ^ +50 fn:low_prefix$
stdout: ^ +50 fn:low_prefixes$
stdout: ^ +50 fn:low_push$
stdout: ^ +50 fn:low_pushes$
stdout: ^ +50 fn:low_pushes%return$
stderr: fn/low_none at 0x[0-9a-f]+ is not traced: it needs a trap for each hit: its code has no room within a jump's reach
stderr: fn/low_looped at 0x[0-9a-f]+ is not traced: it needs a trap for each hit: its code has no room within a jump's reach
status: 1
case: others have a trap, where the session allows that
run: taffrail record --int3 -o fixed-traps -e 'fn:fixed/low_*' -- "$CASES/fixed" >traced && cmp plain traced && taffrail view fixed-traps | grep -o 'fn:[^:]*' | sort | uniq -c
stdout: ^ +50 fn:low_none$
stdout: ^ +50 fn:low_none%return$
stdout: ^ +50 fn:low_plain$
stdout: ^ +[0-9]+ fn:low_looped$
case: their arguments and frames
run: taffrail view fixed-all | grep -c 'fn:low_push[a-z]*: .* arg1 = 7, arg2 = 8, arg3 = 9, cfa'; taffrail report --functions fixed-all
stdout: ^100$
stdout: ^ +50 .* 0  low_prefix$
stdout: ^ +50 .* 0  low_prefixes$
stdout: ^ +50 .* 0  low_push$
stdout: ^ +50 .* 0  low_pushes$

# Few places for a jump
case: a place of which a free byte tells the page
run: taffrail record -o edge -e 'fn:crowd/edge' -- "$CASES/crowd" && taffrail view edge | grep -o 'fn:[^:]*'
stdout: ^201$
stdout: ^fn:edge$
stdout: ^fn:edge%return$
case: a place that would cross a page's end is not chosen
run: taffrail record -o across -e 'fn:crowd/across' -- "$CASES/crowd" && taffrail view across | grep -o 'fn:[^:]*'
stdout: ^201$
stdout: ^fn:across$
stdout: ^fn:across%return$
case: more of them than a page has room for
run: taffrail record -o crowded -e 'fn:crowd/crowd*' -- "$CASES/crowd" && taffrail view crowded | grep -o 'fn:crowd[0-9]*[:%]' | sort -u | tr -d 0-9 | sort | uniq -c
stdout: ^201$
stdout: ^ *200 fn:crowd%$
stdout: ^ *200 fn:crowd:$

# The list of a file
case: functions that can be had, and why not the others
run: taffrail list --functions "$CASES/through" && taffrail list --functions "$CASES/fixed"
stdout: ^fn/by_table +0x[0-9a-f]+ +function off through.c \(int64 arg1, .*pointer cfa\) \[jump\]$
stdout: ^fn/by_label +0x[0-9a-f]+ +function off .* \[jump: its exits cannot all be had\]$
stdout: ^fn/low_pushes +.* \[jump\]$
stdout: ^fn/low_none +.* \[int3: its code has no room within a jump's reach\]$
case: they are those that a recording has
run:
	taffrail list --functions "$CASES/fixed" "$CASES/through" | grep -o '^fn/[^ ]*\|\[.*' | paste - - | grep 'not:\|int3:' | cut -f 1 >listed
	for program in fixed through; do
		taffrail record --force -o whole -e "fn:$program/*" -- "$CASES/$program" 2>&1 >/dev/null | grep -o 'fn/[^ ]* at' | cut -d ' ' -f 1
	done >told
	test -s listed && diff <(sort listed) <(sort told)
case: of nothing
run: taffrail list --functions
status: 2
stderr: --functions: give programs or libraries, or -p PID
case: of a file without any
run: taffrail list --functions "$CASES/stripped"
status: 1
stderr: stripped: it has no symbols of functions
case: of a process
run: taffrail list --functions -p $pid
stdout: ^fn/outer +0x[0-9a-f]+ +function off .* \[jump\]$
case: those that are on
run: taffrail start on -p $pid -e fn:outer && taffrail list --functions -p $pid fn:outer; taffrail destroy on
stdout: ^fn/outer +0x[0-9a-f]+ +function on .* \[jump\]$
case: of libraries, and those that rules name
run:
	taffrail list --functions -p $pid 'fn:libc/malloc_*' 'fn:out*' && taffrail list --functions "$CASES/calls" fn:out*
	taffrail list --functions -p $pid fn:nothing || taffrail list --functions "$CASES/calls" fn:nothing
status: 1
stdout: /calls:$
stdout: /libc[-.0-9a-z]*:$
stdout: ^fn/malloc_trim +0x[0-9a-f]+ +function off .* \[jump
stdout: ^fn/outer +0x
no stdout: ^fn/six
stderr: process [0-9]+: no function matches 'fn:nothing'; nearest: [a-z_]+, .*
stderr: calls: no function matches 'fn:nothing'; nearest: [a-z_]+, 
case: they are told also where the calls are wanted, too
run: taffrail record -o two -e 'fn:by_label%entry' -e 'fn:by_label%return' -- "$CASES/through"
status: 1
stderr: fn/by_label%return at 0x[0-9a-f]+ is not traced: 
stderr: 100 events

case: and to a session that begins later
run:
	start through "$CASES/through" waits
	wait_for grep -q waits through.out
	taffrail attach $pid && taffrail start first -p $pid -e 'fn:by_label' && echo first
	taffrail start second -p $pid -e 'fn:by_label%return' || taffrail destroy second
	taffrail start third -p $pid -e 'fn:by_label' && echo third
	say through go . && ended through
stdout: ^first$
stdout: ^third$
stderr: start: process [0-9]+: fn/by_label%return at 0x[0-9a-f]+ is not traced: 
no stderr: no function

case: which side was wanted first does not matter
run:
	for first in entry return; do
		start order$first "$CASES/order"
		wait_for grep -q ready order$first.out
		taffrail attach $pid
		taffrail start one -p $pid -e "fn:order/*%$first"
		taffrail destroy one
		taffrail start two -p $pid -e 'fn:order/twice' -e 'fn:order/less' --overwrite
		say order$first x && wait_for grep -q did order$first.out
		taffrail snapshot two -o $first && taffrail destroy two
		taffrail view $first | grep -o 'fn:[a-z%]*' | sort | uniq -c | tr -s ' \n' ' '
		echo $first && say order$first . && ended order$first
	done
stdout: ^ 10 fn:less 10 fn:less%return 10 fn:twice 10 fn:twice%return entry$
stdout: ^ 10 fn:less 10 fn:less%return 10 fn:twice 10 fn:twice%return return$
no stderr: is not traced

group: two processes
before:
	start one "$CASES/through" waits
	one=$pid
	start two "$CASES/through" waits
	wait_for grep -q waits one.out && wait_for grep -q waits two.out
	taffrail attach $one && taffrail attach $pid
case: a place that cannot be had in both is told once, with the address in the file
run: taffrail start ends --all -e fn:by_label%return; taffrail status ends >/dev/null; taffrail destroy ends
no stdout: .
stderr: ^taffrail: start: fn/by_label%return at 0x[0-9a-f]{4} is not traced in 2 processes: .*\ntaffrail: status: fn/by_label%return at 0x[0-9a-f]{4} is not traced in 2 processes: [^\n]*$
case: start --all tells once what nothing that runs has, and begins for later ones
run: taffrail start mis --all -e fn:two_wais -e fn:last -e fn:thru/last -e app/x -e 'ap*'; echo $?; taffrail start right --all -e fn:last; taffrail destroy mis && taffrail destroy right
whole stdout: 0
stderr: ^taffrail: start: no function matches 'fn:two_wais'; nearest: two_ways, .*\ntaffrail: start: no function matches 'fn:thru/last'; nearest: modules through, .*\ntaffrail: start: no marker matches 'app/x'.*\ntaffrail: start: no marker matches 'ap\*'[^\n]*$
case: status shows what disable has switched off, and in how many of them
run:
	taffrail start s --all -e fn:two_ways -e fn:last
	taffrail disable s 'fn:tw*' && taffrail disable s fn:last -p $one && taffrail status s | head -n 1
	taffrail disable s fn/last -p $pid && taffrail status s --json | grep -o '"rules.*"processes"'
	taffrail enable s fn:last && taffrail disable s fn:last && taffrail status s | head -n 1; taffrail destroy s
whole stdout:
	s: active, discard; rules fn:two_ways, fn:last; off fn:tw*, fn:last (in 1 of 2 processes); on: 2 events in 1 of 2 processes
	"rules":["fn:two_ways","fn:last"],"rules_off":["fn:tw*","fn:last","fn:*/'last'"],"processes"
	s: active, discard; rules fn:two_ways; off fn:tw*, fn:last, fn:*/'last' (in 1 of 2 processes); on: nothing
case: a later process obeys disable, too, unless it names a process
run:
	taffrail start later --all -e 'fn:through/*'; taffrail disable later 'fn:through/[a-km-z_]*' && taffrail disable later fn:last -p $one
	taffrail record -o alone -e fn:main%entry -- "$CASES/through" >/dev/null && taffrail snapshot later -o later && taffrail view later | grep -o 'fn:[a-z_]*:' | sort -u
	taffrail enable later fn:main; grep rule= $TAFFRAIL_DIR/sessions/later; taffrail destroy later
whole stdout:
	fn:last:
	rule=fn:through/*
	unrule=fn:through/[a-km-z_]*
	rule=fn:main

# Running programs, which call functions all the while
group: fixed
before:
	start low "$CASES/fixed-calls" load 3
	wait_for grep -q ready low.out
case: switches under load at a fixed address
run:
	for i in {1..12}; do
		taffrail start more -p $pid -e 'fn:*' --overwrite; taffrail enable more 'fn:outer'
		taffrail disable more 'fn:*r*' && taffrail destroy more || exit
	done
case: no result of it was wrong
run: say low end . && ended low && cat low.out
stdout: ^0 wrong$

group: running
before:
	start load "$CASES/calls" load 3
	wait_for grep -q ready load.out
case: a program that runs
run: taffrail start one -p $pid -e 'fn:calls/*' --overwrite && until taffrail status --json one | grep -q '"written":[1-9][0-9][0-9]'; do sleep 0.05; done && taffrail snapshot one -o one && taffrail view one | grep -q 'fn:outer: .* cfa = ' && taffrail destroy one
case: switches under load
run:
	for i in {1..12}; do
		taffrail start more -p $pid -e 'fn:outer' --overwrite &&
			taffrail enable more 'fn:calls/*s*' &&
			taffrail enable more 'fn:short_one' &&
			taffrail disable more 'fn:*r*' &&
			taffrail destroy more || exit
	done
case: no result was wrong
run: say load end . && ended load && cat load.out
stdout: ^0 wrong$

# Programs as they are shipped
group: shipped
for: program bash perl xz
need: command -v {program}
case: {program} prints the same
run:
	case {program} in
	bash) set -- bash -c 'for ((i = 0; i < 99; i++)); do echo $((i * i)); done; x=${BASH_VERSINFO[*]}; echo "$x" | tr 0-9 a-j' ;;
	perl) set -- perl -e '$h{$_ % 17} .= $_ for 1..500; print join(",", map {"$_=$h{$_}"} sort keys %h), "\n"' ;;
	xz) set -- xz -c "$SOURCE/calls.c" ;;
	esac
	"$@" >plain && taffrail record --yes -o trace -e 'fn:*' -- "$@" >traced; cmp plain traced
stderr: [1-9][0-9]* events

group: python
need: /usr/bin/python3.11
case: python prints the same
run:
	set -- /usr/bin/python3.11 -c 'import json, re; print(json.dumps({str(i): i ** 9 for i in range(300)})); print(re.findall("a+b", "aab" * 9))'
	"$@" >plain && taffrail record --yes -o trace -e 'fn:*' -- "$@" >traced; cmp plain traced
stderr: [1-9][0-9]* events

# Very many
group: many
compile: many many.c -O2
before:
	start many "$CASES/many"
	wait_for grep -q ready many.out
case: nothing is begun without a terminal to ask, and without --yes
run: taffrail record -o many -e 'fn:many/*' -- "$CASES/many" <<<'' || test ! -e many && echo none
stdout: ^none$
no stdout: ready
stderr: record: 'fn:many/\*' names 10[01][0-9] functions of .*/many and its libraries, and each call is one or two events: a thread that computes makes up to some 30 million a second: --yes traces them, and taffrail top then shows how many; or name fewer
case: nor in a process
run: taffrail attach $pid && taffrail start s -p $pid -e 'fn:many/*' </dev/null || taffrail status s
stderr: start: 'fn:many/\*' names 10[01][0-9] functions of process [0-9]+, and each call is one or two events: it uses 0\.[0-9]+ CPUs, which makes up to some [0-9]+(\.[0-9])? million a second
stderr: status: no session 's'
status: 1
case: nor in all
run: taffrail start s --all -e 'fn:many/*' </dev/null || taffrail status s
stderr: start: 'fn:many/\*' names 10[01][0-9] functions of process [0-9]+, 
stderr: status: no session 's'
status: 1
case: nor in a session of a command that looks
run: taffrail top -p $pid -e 'fn:many/*' --for 1 </dev/null; taffrail record -o p -p $pid -e 'fn:many/*' --for 1 </dev/null || test ! -e p
stderr: top: 'fn:many/\*' names 10[01][0-9] functions
stderr: record: 'fn:many/\*' names 10[01][0-9] functions
case: nor in a session that is there
run: taffrail start s -p $pid -e 'fn:many/f0*' && taffrail enable s 'fn:many/*' </dev/null
status: 1
stderr: enable: 'fn:many/\*' names 10[01][0-9] functions
case: --yes
run: taffrail enable --yes s 'fn:many/*' && taffrail list -p $pid | grep -c '^fn/f[0-9]* ' && taffrail destroy s
stdout: ^1000$
case: 1,000 are not asked for
run: taffrail record -o few -e 'fn:many/f*' -- "$CASES/many" <<<''
stderr: 2 events
case: a terminal is asked
file ask.py:
	import pty, sys
	sys.exit(pty.spawn(["taffrail"] + sys.argv[1:]) >> 8)
run: printf 'y\n\n' | python3 ask.py record -o asked -e 'fn:many/*' -- "$CASES/many" | tr -d '\r'
stdout: ^taffrail: record: 'fn:many/\*' names 10.* or two events
stdout: ^Trace them\? \[y/N\] ready
stdout: [1-9] events
case: and may say no
run: printf 'n\n\n' | python3 ask.py record -o no -e 'fn:many/*' -- "$CASES/many" || test ! -e no && echo none
stdout: \[y/N\] none$
no stdout: ready

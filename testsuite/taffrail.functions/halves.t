# SPDX-License-Identifier: LGPL-2.1-or-later
# Entries and returns of a function that rules choose differently: a pair is of
# one call, or none is told.

compile: halves halves.c -O2 -g -pthread

before:
	taffrail record -o all -e 'fn:turn' -- "$CASES/halves" 50
	taffrail record -o apart -e 'fn:turn%entry if n % 4 == 1' -e 'fn:turn%return if value < 0' -- "$CASES/halves" 50
	taffrail record -o some -e 'fn:turn%entry if n % 4 == 1' -e 'fn:turn%return' -- "$CASES/halves" 50
case: rules with different conditions
run: taffrail report --functions apart
stdout: ^No call of a function has a duration$
stdout: ^  turn: entry and return are selected by different conditions: no durations$
case: without --functions
run: taffrail report apart
stdout: ^No pairs: report --functions says why calls have no durations$
case: as JSON
run: taffrail report --json apart | grep -o '"without_durations".*'
stdout: ^"without_durations":\[\{"name":"fn:turn","events":[1-9][0-9]*,"note":"turn: entry and return are selected by different conditions: no durations"\}\]\}$
case: top
run:
	start halves "$CASES/halves" 100000000 1000
	for json in '' --json; do taffrail top $json -p $pid -e 'fn:turn%entry if n % 4 == 1' -e 'fn:turn%return if value < 0' --for 2.5; done
	kill $pid
stdout: ^turn: entry and return are selected by different conditions: no durations$
stdout: "without_durations":\[\{"name":"fn:turn","events":[1-9][0-9]*,"note":"turn: entry
case: a condition for entries alone
run: taffrail report some
stdout: turn: entry and return are selected by
stdout: ^No pairs
case: the graph
run: taffrail view --graph some 2>&1 | sed 's/.*] //' | sort -u
whole stdout:
	taffrail: view: turn: entry and return are selected by different conditions: no durations
	turn()
case: flame graphs
run: taffrail export --format folded some
stdout: ^$|^halves
no stdout: turn
stderr: turn: entry and return are selected by different conditions
case: flame graphs have no caller that a condition chose
run:
	taffrail record -o caller -e 'fn:first if n == 3' -e fn:inner -e fn:main -- "$CASES/halves" within
	taffrail record -o callers -e fn:first -e fn:inner -e fn:main -- "$CASES/halves" within
	for where in main 'first if n == 3'; do
		taffrail export --format folded callers --where fn:inner --where fn:main --where "fn:$where" 2>/dev/null | sed 's/[0-9]*$//'
	done
	for o in caller callers; do taffrail export --format folded $o 2>/dev/null | sed 's/[0-9]*$//'; done
whole stdout:
	halves;main 
	halves;main;inner 
	halves;main 
	halves;main;inner 
	halves;main 
	halves;main;inner 
	halves;main 
	halves;main;first 
	halves;main;first;inner 
	halves;main;inner 
case: --where
run: taffrail report --functions all --where 'fn:turn%entry if n % 4 == 1' --where 'fn:turn%return'
stdout: ^  turn: entry and return are selected by different conditions: no durations$
no stdout: ^ +[1-9][0-9]* .* turn$
case: --where by what entry and return share
run: taffrail report --functions all --where 'fn:turn if cfa > 5 && vtid > 0'
stdout: ^ +[1-9][0-9]* .* turn$
no stdout: different
case: rules by what entry and return share
run:
	for rule in 'turn if procname == "halves"' 'turn%entry if vtid > 0 && cfa > 5' 'turn if cpu >= 0' 'turn if ip > 0'; do
		case $rule in *%entry*) set -- -e "fn:turn%return if vtid > 0 && cfa > 5";; *) set --;; esac
		rm -rf shared; taffrail record -o shared -e "fn:$rule" "$@" -- "$CASES/halves" 50 2>/dev/null
		taffrail report --functions shared | grep -Eo '^ +[1-9][0-9]* .* turn$|different' | sed 's/.* turn/pairs/'
	done
whole stdout:
	pairs
	pairs
	different
	different
case: a rule for entries alone
run: taffrail record -o entries -e 'fn:turn if n % 4 == 1' -- "$CASES/halves" 50 && taffrail report --functions entries
stdout: no return of them is in the
no stdout: different
case: off and on again
run:
	start halves "$CASES/halves" 100000000 1000
	wait_for taffrail start s -p $pid -e fn:turn
	for i in 1 2 3; do taffrail disable s fn:turn && taffrail enable s fn:turn || echo bad; done
	taffrail stop s && taffrail view -s s >/dev/null; taffrail snapshot -o snap s
	kill $pid
	sed -n 's/.*emf.uri = "fn:halves+0x[0-9a-f]*\(.*\)";/\1/p' snap/*/metadata | sort | uniq -c
whole stdout:
	      2 
	      2 #1
	      2 #2
	      2 #3
case: off while another session has it, and on again
run:
	start others "$CASES/halves" 100000000 1000
	wait_for taffrail start mine -p $pid -e fn:turn
	taffrail disable mine fn:turn && taffrail start other -p $pid -e fn:turn && taffrail destroy other && taffrail enable mine fn:turn || echo bad
	taffrail snapshot -o others mine; kill $pid
	sed -n 's/.*emf.uri = "fn:halves+0x[0-9a-f]*\(.*\)";/\1/p' others/*/metadata | sort | uniq -c
whole stdout:
	      2 
	      2 #2
case: a condition of arguments, brought to a rule without one, leaves no returns on
run:
	start brought "$CASES/halves" 100000000 1000
	wait_for taffrail start brought -p $pid -e fn:turn
	taffrail enable brought 'fn:turn if n % 4 == 1' && taffrail list -p $pid | grep -c '^fn/turn%return .* on '
	grep rule= "$TAFFRAIL_DIR"/sessions/brought@*
	taffrail enable brought fn:turn && taffrail list -p $pid | grep -c '^fn/turn%return .* on '
	taffrail enable brought 'fn:turn if nothing > 1' 2>/dev/null; taffrail list -p $pid | grep -c '^fn/turn%return .* on '
	taffrail destroy brought; kill $pid
whole stdout:
	0
	rule=fn:turn if n % 4 == 1
	1
	1
case: a condition for returns alone, of rules or behind --where: exact, as all calls have entries
run:
	taffrail record -o ends -e fn:turn%entry -e 'fn:turn%return if value % 4 == 1' -- "$CASES/halves" 50
	sed -n 's/.*emf.uri = "fn:halves+0x[0-9a-f]*\(.*\)";/\1/p' ends/*/metadata | sort
	n=$(taffrail view ends | grep -c turn%return)
	taffrail report --functions ends | sed "s/^ *$n .* 0  turn/all/" | grep 'all\|chooses' | sed 's/of [0-9]*/of N/'
	n=$(taffrail view ends --where 'fn:turn%return if value % 8 == 1' | wc -l)
	for where in fn:turn%entry 'fn:turn%entry if vtid > 0' 'fn:turn%entry if n > 0'; do
		taffrail report --functions ends --where 'fn:turn%return if value % 8 == 1' --where "$where" | sed "s/^ *$n .* 0  turn/all/" | grep 'all$\|chooses\|different' | sed 's/of [0-9]*/of N/'
	done
whole stdout:
	
	#0?
	all
	  turn: a condition chooses among the returns: no durations of N calls
	all
	  turn: a condition chooses among the returns: no durations of N calls
	  turn: entry and return are selected by different conditions: no durations
	  turn: entry and return are selected by different conditions: no durations
case: so it is where the function also ends by tail calls, which have no value, and rules that name others keep it
run:
	cat >tails.c <<-'END'
		#include <stdio.h>
		static volatile int seen;
		static char line[8];
		__attribute__((noinline)) int other(int n) { seen = n; return n * 3; }
		__attribute__((noinline)) int tails(int n)
		{
			if (n & 1) {
				seen = n;
				return other(n);
			}
			seen = n + 2;
			return n;
		}
		int main(void)
		{
			for (int i = 0; ; i++) {
				if (i % 8 == 0) {
					printf("%d\n", i / 8);
					fflush(stdout);
					if (!fgets(line, sizeof(line), stdin))
						return 0;
				}
				seen = tails(i % 8);
			}
		}
	END
	gcc -g -O2 -o tails tails.c && start tails ./tails && wait_for grep -q 0 tails.out
	taffrail start tails -p $pid -e fn:tails%entry -e 'fn:tails%return if value > 2' 2>&1 | grep -c 'has no value, and is left out$'
	say tails '' 1; taffrail enable tails fn:other; say tails '' 2
	taffrail report --functions -s tails | grep -o '^ *[0-9].* tails$\|chooses.*' | sed 's/^ *\([0-9]*\).* tails/\1 tails/'; taffrail destroy tails; kill $pid
whole stdout:
	1
	4 tails
	chooses among the returns: no durations of 12 calls
case: recursion, where a condition chooses returns of inner calls
run:
	cat >inner.c <<-'END'
		#include <unistd.h>
		__attribute__((noinline)) int rec(int n) { int m = n ? rec(n - 1) : 99; usleep(100); return m + 1; }
		int main(void) { return rec(3) + rec(3) + rec(3) == 0; }
	END
	gcc -g -O1 -o inner inner.c
	for if in ' if value == 102' ' if value >= 102' ''; do
		rm -rf inner.d; taffrail record -o inner.d -e fn:rec%entry -e "fn:rec%return$if" -- ./inner 2>/dev/null
		sum=$(taffrail export --format folded inner.d 2>/dev/null | awk '{ ns += $NF } END { print ns }')
		total=$(taffrail report --functions --json inner.d | grep -o '"total":[1-9][0-9]*')
		[ "$total" = "\"total\":$sum" ] && echo right || echo "$total, not $sum"
	done
whole stdout:
	right
	right
	right
case: calls that are open when a rule goes end then, in the trace of each kind
run:
	cat >asked.c <<-'END'
		#include <stdio.h>
		static char line[8];
		__attribute__((noinline)) void inner(int n) { printf("%d\n", n); fflush(stdout); }
		__attribute__((noinline)) int asks(int n) { inner(n); return !!fgets(line, sizeof(line), stdin); }
		int main(void) { for (int i = 0; asks(i); i++); return 0; }
	END
	gcc -g -O1 -fno-inline -o asked asked.c && start asked ./asked && wait_for grep -q 0 asked.out
	taffrail start asks -p $pid -e fn:inner -e fn:asks || echo bad
	say asked '' 1
	for n in 2 3; do taffrail disable asks fn:asks && taffrail enable asks fn:asks && say asked '' $n || echo bad; done
	say asked '' 4; taffrail disable asks fn:asks && say asked '' 5 && taffrail enable asks fn:asks && say asked '' 6 && say asked '' 7
	taffrail export --format folded -s asks 2>/dev/null | sed 's/ [0-9]*$//'
	taffrail snapshot -o asked.d asks; kill $pid; taffrail view --graph asked.d | sed 's/\[ *[0-9]*\]/|/; s/.* [a-z]*s |/T |/; s/^ *|/|/'
whole stdout:
	asked;asks
	asked;asks;inner
	asked;inner
	| asks() {
	T |   inner();
	| } (asks) rule ended
	| asks() {
	T |   inner();
	| } (asks) rule ended
	| asks() {
	T |   inner();
	T | } (asks)
	| asks() {
	T |   inner();
	| } (asks) rule ended
	T | inner();
	| asks() {
	T |   inner();
	T | } (asks)
	| asks() {
	T |   inner();
case: so it is in a recording, of a process that is killed, in shared buffers, and where whole calls come
run:
	library=$(dirname "$(command -v taffrail)")/../lib/libtaffrail.so
	begin()
	{
		start $1 env LD_PRELOAD=$library ./asked && wait_for grep -q 0 $1.out
	}
	folded()
	{
		taffrail export --format folded "$@" 2>/dev/null | sed 's/ [0-9]*$//' | sort -u | tr '\n' ' '; echo
	}
	begin own
	taffrail record -o own.d -p $pid -e fn:inner -e fn:asks 2>/dev/null & recorder=$!
	wait_for taffrail enable record-$recorder fn:inner 2>/dev/null
	say own '' 1 && taffrail disable record-$recorder fn:asks && say own '' 2; kill -9 $pid; wait $recorder; folded own.d
	begin one; first=$pid; begin two
	taffrail start both --all -e fn:inner -e fn:asks 2>/dev/null; for n in 1 2; do say one '' $n; say two '' $n; done
	taffrail disable both fn:asks -p $pid; for n in 3 4; do say one '' $n; say two '' $n; done
	folded -s both -p $pid; folded -s both -p $first; taffrail destroy both
	taffrail start whole -p $pid -e 'fn:[ia]*s' -e fn:inner; say two '' 5; taffrail enable whole 'fn:asks if duration >= 0'; say two '' 6; say two '' 7
	folded -s whole; taffrail destroy whole; kill $first $pid
whole stdout:
	asked;asks;inner asked;inner 
	asked;asks asked;asks;inner asked;inner 
	asked;asks asked;asks;inner 
	asked;asks asked;asks;inner asked;inner 
case: rules of all kinds, which also change: the pairs are those of the arguments
run: python3 "$SOURCE/halves.py" "$CASES/halves" 1 4 1000
stdout: ^4 rounds, [0-9]+ changes, [1-9][0-9]* pairs told, 0 wrong$

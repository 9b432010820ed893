# SPDX-License-Identifier: LGPL-2.1-or-later
# Arguments and results of functions by the program's debug information. Each
# value is one that the program prints.

group: {COMPILER}
for: COMPILER g++ clang++
need: command -v {COMPILER}
before:
	for o in '-O0 -gdwarf-4' '-O0 -gdwarf-5' '-O1 -gdwarf-5' '-O2 -gdwarf-4' '-O2 -gdwarf-5'; do
		{COMPILER} $o -Wl,--build-id -o typed"${o// /}" "$SOURCE/typed.cc"
	done
	functions() {
		for f in one two three four five six seven eight shop::cart::add; do
			printf '%s\n' "$1typed*/$f$2"
		done
	}
	# "FUNCTION NAME = VALUE", without addresses
	values() {
		sed -n 's/.* fn:\([a-z:]*\).*{ \([^{}]*\) }$/\1, \2/p' | sed 's/^shop::cart:://' |
			awk -F ', ' '{ for (i = 2; i <= NF; i++) print $1, $i }' | grep -v ' = 0x\| duration\| depth\| to = \| arg[0-9] = '
	}
case: entries and returns
run:
	for p in typed*; do
		rm -rf trace && functions fn: >rules && taffrail record -o trace $(sed 's/^/-e /' rules) -- ./$p >out 2>err || cat err
		taffrail view trace | values >told
		grep -vxFf out told; [ $(wc -l <told) -ge 90 ] || wc -l told
		grep -c '^two value = 5.5$' told
	done | sort | uniq -c
whole stdout:
	      5 3
case: optimised, all that there is room for
run:
	rm -rf trace && functions fn: >rules && taffrail record -o trace $(sed 's/^/-e /' rules) -- ./typed-O2-gdwarf-5 >out && taffrail view trace | values | sort -u >told
	sort -u out | grep -vxFf told
stdout: ^seven y = 6$
no stdout: ^(one|three|four|five|eight|add k|add w)|two [dfgi]|six [czv]|seven [abcdelx]
case: whole calls, and conditions by names
run:
	rm -rf trace && taffrail record -o trace --functions two --functions shop::cart::add -e 'fn:one%entry if b == 1024 && text == "pear"' -- ./typed-O0-gdwarf-5 >out && taffrail view trace | values | tee told
	grep -vxFf out told
	taffrail report --functions trace | grep -c add
stdout: ^two f = 1.5$
stdout: ^two value = 5.5$
stdout: ^add w = 2.5$
stdout: ^add value = -39$
stdout: ^one b = 1024$
no stdout: ^one b = 1$
case: types of a rule come first, and returns have theirs
run: rm -rf trace && taffrail record -o trace -e "fn:'one'(int,int)" -- ./typed-O0-gdwarf-5 >out && taffrail view trace
stdout: fn:one.*\{ arg1 = 0, arg2 = \d+, cfa
stdout: fn:one.*%return: .*\{ value = -3, cfa
case: a process that has other types than its file is told
run:
	cat >sign.c <<'EOF'
	#include <unistd.h>
	__attribute__((noinline)) int neg(int n, const char *s) { asm volatile(""); return -n; }
	int main(void) { for (;;) neg(3, "pear"), usleep(2000); }
	EOF
	{COMPILER} -g -O1 -x c++ -o sign sign.c; {COMPILER} -O1 -x c++ -o plain sign.c
	start sign ./sign; sign=$pid; start plain ./plain; plain=$pid
	told() { rm -rf other; taffrail record -o other --for 0.2 "$@" 2>&1 | grep -o 'of value is not known\|an earlier rule' | sort | uniq -c; }
	told -p $sign -e 'fn:neg%return if value < 0'; echo; told -p $sign,$plain -e 'fn:neg%entry' -e 'fn:neg%return if value < 0'
	told -p $plain -e 'fn:neg(,str)'
whole stdout:
	
	      1 of value is not known
	      1 an earlier rule
case: a condition on fields that an earlier rule did not give names that rule
run:
	start sign ./sign
	taffrail record -o first -p $pid -e 'fn:neg%entry if arg1 > 9' --for 0.1 2>/dev/null
	taffrail start s -p $pid -e 'fn:neg%entry if n == 3'; taffrail start s -p $pid -e 'fn:neg%entry if arg1 == 3'
	taffrail enable s 'fn:sign/neg if n == 3'; taffrail destroy s
stderr: start: process [0-9]+: condition 'n == 3', column 1: no field "n"; .*; an earlier rule, 'fn:neg%entry', decided that until the process ends$
stderr: enable: process [0-9]+: condition 'n == 3', column 1: .*; an earlier rule, 'fn:neg%entry', decided that until the process ends$
case: of a file that has been stripped, with the debug information elsewhere
run:
	cp typed-O0-gdwarf-5 bare && objcopy --only-keep-debug bare bare.debug && strip bare && objcopy --add-gnu-debuglink=bare.debug bare
	rm -rf trace && taffrail record -o trace -e 'fn:bare/one' -- ./bare >out && taffrail view trace | values >told; grep -vxFf out told; wc -l <told
whole stdout: 18
case: arguments that are called as the fields of a call are
run:
	cat >own.c <<'EOF'
	volatile int s;
	#define APART __attribute__((noinline))
	APART int set(int key, int value) { s += value; return key == 3 ? -1 : 7; }
	APART int walk(int n, int depth) { s += depth; return n ? walk(n - 1, depth + 10) + 1 : 0; }
	APART void put(int value) { s = value; }
	APART int jumps(int value, int to) { s += value; return to ? set(value, to) : value; }
	int main(void)
	{
		for (int i = 1; i < 5; i++)
			set(i, i == 2 ? -1 : 100 + i), put(i), jumps(i, i == 4);
		return walk(3, 10) == 0;
	}
	EOF
	{COMPILER} -g -O2 -fno-inline -fno-optimize-sibling-calls -x c++ -Wl,--build-id -o own own.c; {COMPILER} -g -O2 -x c++ -Wl,--build-id -o jumps own.c
	for rule in 'set if value == -1' 'set if value_2 == -1' 'walk if depth_2 == 20' 'put if value == 2'; do
		taffrail record --force -o own.d --functions "$rule" -- ./own 2>err; grep -o '[a-z]* is the call.*' err
		taffrail view own.d | sed 's/.*fn:\([a-z]*\).* depth = /\1 depth = /'
	done
	taffrail record --force -o own.d --functions 'jumps if value_2 == 4' -- ./jumps; taffrail view own.d | sed 's/.*fn:\([a-z]*\).* depth = /\1 depth = /'
whole stdout:
	value is the call's; an argument of that name is value_2
	set depth = 1, key = 3, value_2 = 103, value = -1 }
	set depth = 1, key = 2, value_2 = -1, value = 7 }
	walk depth = 2, n = 2, depth_2 = 20, value = 2 }
	put depth = 1, value = 2 }
	jumps depth = 1, value_2 = 4, to_2 = 1, to = "set(int, int)" }
case: a running program, and the list
run:
	cat >waits.c <<'EOF'
	#include <unistd.h>
	__attribute__((noinline)) double half(const char *name, double of) { return usleep(1000), of / *name; }
	int main(void) { for (double i = 1;; i++) half("apple", i); }
	EOF
	{COMPILER} -g -O1 -x c++ -Wl,--build-id -o waits waits.c && start waits ./waits
	taffrail record -o run -p $pid -e 'fn:half%entry' --for 0.3 && taffrail view run | tail -1
	taffrail start s -p $pid -e 'fn:half' && taffrail list -p $pid | grep fn/half; taffrail destroy s
stdout: fn:half.*\{ name = "apple", of = \d+, cfa
stdout: ^fn/half.* \(string name, double of, pointer cfa\)
case: functions with a part elsewhere, whose debug information has ranges
run:
	cat >cold.c <<'EOF'
	#include <stdio.h>
	#define APART __attribute__((noinline))
	APART __attribute__((cold)) void die(const char *s, int n) { fprintf(stderr, "bad %s %d\n", s, n); }
	APART int parse_a(const char *s, int n)
	{
		if (n < 0) { die(s, n); die(s + 1, n); die(s, 3 * n); return -2; }
		__asm__ volatile("");
		return *s == 'x' ? -1 : n;
	}
	APART int parse_b(const char *s, int n) { __asm__ volatile(""); return *s == 'x' ? -1 : n; }
	int main(void) { for (int i = 0; i < 10; i++) { parse_a("abc", i); parse_a("xyz", i); parse_b("xyz", i); } }
	EOF
	for dwarf in 4 5; do
		{COMPILER} -gdwarf-$dwarf -O2 -x c++ -Wl,--build-id -o cold cold.c
		for if in ' if n > 5' '%return if value < 0'; do
			taffrail record --force -o cold.d -e "fn:parse_*$if" -- ./cold && taffrail view cold.d | sed 's/.* { //; s/, cfa.*//'
		done
	done | sort | uniq -c
whole stdout:
	      2 s = "abc", n = 6
	      2 s = "abc", n = 7
	      2 s = "abc", n = 8
	      2 s = "abc", n = 9
	      4 s = "xyz", n = 6
	      4 s = "xyz", n = 7
	      4 s = "xyz", n = 8
	      4 s = "xyz", n = 9
	     40 value = -1

group: results of {COMPILER} that are no number
for: COMPILER g++ clang++
need: command -v {COMPILER}
before:
	cat >results.cc <<-'END'
		#include <memory>
		#define KEEP __attribute__((noinline))
		static int kept[6];
		KEEP std::unique_ptr<int> made(int n)
		{
			__asm__ volatile("nop; nop; nop; nop; nop");
			return n % 2 ? nullptr : std::unique_ptr<int>(new int(n));
		}
		KEEP int &slot(int n)
		{
			__asm__ volatile("nop; nop; nop; nop; nop");
			return kept[n];
		}
		int main()
		{
			long sum = 0;

			for (int i = 0; i < 6; i++)
				sum += !!made(i) + (&slot(i) - kept);
			return sum == 18 ? 0 : 1;
		}
	END
	{COMPILER} -O1 -g -Wl,--build-id -o results results.cc || exit 77
case: a class in memory has none, which is told
run: taffrail record -o d -e fn:made -- ./results && taffrail view d | grep -c 'fn:made(int)%return.*{ cfa'
stdout: ^6$
stderr: limits of made: value is a structure
no stderr: name a member
case: so a condition on it is refused
run: taffrail record --force -o d -e 'fn:made%return if value == 0' -- ./results; echo $?
stdout: ^1$
case: a reference is an address
run: taffrail record --force -o d -e 'fn:slot%return if value != 0' -- ./results && taffrail view d | grep -c ' value = 0x'
stdout: ^6$
no stderr: limits of

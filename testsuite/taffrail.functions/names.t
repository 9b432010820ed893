# SPDX-License-Identifier: LGPL-2.1-or-later
# Names of functions and of their arguments.

compile: shop shop.cc -O2
compile: known known.c -O2 -fno-builtin
compile: halves halves.c -O2 -g -pthread

# Prototypes of libc's functions
case: arguments have the names and types of the manual
run: taffrail record -o trace -e 'fn:libc/open' -e 'fn:libc/read' -e 'fn:libc/mkdir' -e 'fn:libc/realloc' -e 'fn:libc/munmap' -- "$CASES/known" && taffrail view trace
stdout: fn:open: .* \{ path = "/dev/zero", flags = 0x80002, cfa = 0x[0-9A-F]+ \}$
stdout: fn:open: .* \{ path = "/proc/nonexistent", flags = 0x0, cfa = 
stdout: fn:open: .* \{ path = "\(null\)", flags = 0x0, cfa = 
stdout: fn:open: .* \{ path = "\(unreadable\)", flags = 0x0, cfa = 
stdout: fn:read: .* \{ fd = [0-9]+, buf = 0x[0-9A-F]+, count = 8, cfa = 
stdout: fn:mkdir: .* \{ path = "/proc/nonexistent/a", mode = 0750, cfa = 
stdout: fn:realloc: .* \{ ptr = 0x[0-9A-F]+, size = 234567, cfa = 
stdout: fn:munmap: .* \{ addr = 0x[0-9A-F]+, length = 12345, cfa = 
case: results are of the function's type
run: taffrail view trace
stdout: fn:open%return: .* \{ value = -1, cfa = 
stdout: fn:read%return: .* \{ value = 8, cfa = 
stdout: fn:realloc%return: .* \{ value = 0x[0-9A-F]+, cfa = 
no stdout: value = 4294967295
case: $id has names as rules have them, and as view prints them
run:
	for id in '!~ "fn:shop::*" && $id !~ "fn:_start" && $id !~ "fn:std::*"' '== "fn:shop::Cart::add"' '!~ "fn:_*" && $id != "fn:main"' '== "fn:main%return"'; do
		taffrail record --force -o id.d -e "fn:shop/* if \$id $id" -- "$CASES/shop" >/dev/null 2>err
		taffrail view id.d | grep -o 'fn:[a-zA-Z_:]*[^{]*: {' | sort -u
		echo
	done
whole stdout:
	fn:main%return: {
	fn:main: {
	
	fn:shop::Cart::add(int, char const*)%return: {
	fn:shop::Cart::add(int, char const*): {
	fn:shop::Cart::add(long) const%return: {
	fn:shop::Cart::add(long) const: {
	
	
	fn:main%return: {
	
case: an argument and the result in one condition: whole calls have both
run: taffrail record -o both.d -e 'fn:libc/open if flags == 0 && value == -1' -- "$CASES/known"
status: 1
stderr: no field "value"; fn/open has path, flags, cfa; --functions tests results with arguments
case: a function without a result
run: taffrail record -o free -e 'fn:libc/free if ptr != 0' -e 'fn:libc/free%return' -- "$CASES/known" && taffrail view free
stdout: fn:free: .* \{ ptr = 0x[0-9A-F]+, cfa = 0x[0-9A-F]+ \}$
no stdout: value
case: conditions name them
run: taffrail record -o if -e 'fn:libc/open if flags & 2' -e 'fn:libc/write%return if value < 0' -- "$CASES/known" && taffrail view if
stdout: fn:open: .* path = "/dev/zero"
stdout: fn:write%return: .* value = -1
no stdout: nonexistent
case: a rule's own types count
run: taffrail record -o own -e 'fn:libc/open(,int)' -e 'fn:libc/write(,str:3)' -- "$CASES/known" && taffrail view own
stdout: fn:open: .* \{ arg1 = [0-9]+, arg2 = 524290, cfa = 
stdout: fn:open%return: .* \{ value = -1, cfa = 
stdout: fn:write: .* \{ arg1 = (-1|4294967295), arg2 = "abc", arg3 = 3, cfa = 
case: whole calls
run: taffrail record -o whole --functions 'libc/open' --functions 'libc/mkdir' --functions libc/free -- "$CASES/known" && taffrail view whole
stdout: \{ duration = [0-9.]+ [mun]?s, depth = 1, path = "/dev/zero", flags = 0x80002, value = [0-9]+ \}$
stdout: depth = 1, path = "/proc/nonexistent", flags = 0x0, value = -1 \}$
stdout: depth = 1, path = "\(null\)", flags = 0x0, value = -1 \}$
stdout: depth = 1, path = "/proc/nonexistent/a", mode = 0750, value = -1 \}$
stdout: depth = 1, ptr = 0x[0-9A-F]+(, to = "[^"]+")? \}$
case: a program's own function of such a name has none
file opens.c:
	__attribute__((noinline)) int open(long a, long b)
	{
		return (int)(a + b);
	}
	int main(int argc, char **argv)
	{
		(void)argv;
		return open(argc, 6) - 7;
	}
run: gcc -O0 -fno-builtin -o opens opens.c && taffrail record -o opens-own -e fn:opens/open -- ./opens && taffrail view opens-own
stdout: fn:open: .* \{ arg1 = 1, arg2 = 6, arg3 = 
case: the list has them
run: taffrail list --functions /lib/x86_64-linux-gnu/libc.so.6 fn:libc/mkdir fn:libc/free && taffrail attach $$ 2>/dev/null; taffrail list --functions -p $$ fn:libc/rename
stdout: ^fn/mkdir +0x[0-9a-f]+ +function off \(string path, uint32 mode\{oct\}, pointer cfa\) \[jump\]$
stdout: ^fn/rename +0x[0-9a-f]+ +function off \(string oldpath, string newpath, pointer cfa\) \[jump\]$
case: an old version of an IFUNC is told, once
run: taffrail record -o former -e 'fn:libc/memcpy%entry' -e 'fn:libc/mem*cp*%return' -e fn:libc/open -- "$CASES/known" 2>&1 | grep -o 'rule .*'
whole stdout:
	rule 'fn:libc/memcpy%entry': it means an old memcpy of libc.so.6, which new programs do not call; an IFUNC chooses theirs at start, among fn:libc/*memcpy*
case: a rule without the module for an IFUNC leads to its choices, not to others of the name
run: for r in fn:strlen%entry fn:memcpy 'fn:libc/strlen'; do taffrail record -o choices --force -e "$r" -- "$CASES/known" 2>&1; done; true
stdout: no function matches 'fn:strlen%entry'; nearest: (fn:libc/\*strlen\*, of which an IFUNC chooses one at start|[a-z]+), 
stdout: no function matches 'fn:memcpy'; nearest: fn:libc/(\*memcpy\*, of which an IFUNC chooses one at start|memcpy), 
stdout: no function matches 'fn:libc/strlen'; nearest: .*; an IFUNC, which is chosen at start, has names of its choices, as fn:libc/\*strlen\*
no stdout: fn:ld-linux-x86-64/strlen, _start
case: a rule without the module leads to libc's function
run: taffrail list --functions /lib/x86_64-linux-gnu/libc.so.6 fn:mkdir 'fn:mkdi?%entry'; taffrail record -o nomodule --force -e 'fn:munmap(,str)' -- "$CASES/known"
status: 1
stderr: libc.so.6: no function matches 'fn:mkdir'; nearest: fn:libc/mkdir\n
stderr: libc.so.6: no function matches 'fn:mkdi\?%entry'; nearest: fn:libc/mkdi\?\n
stderr: no function matches 'fn:munmap\(,str\)'; nearest: fn:libc/munmap, [a-z]

case: where the agent's own code is
run: taffrail record -o linker --force -e 'fn:ld-linux*/_dl_debug_state%entry' -- "$CASES/known"
status: 1
stderr: fn/_dl_debug_state at 0x[0-9a-f]+ is not traced: the agent's own code is there\n
no stderr: another program
case: a rule with a mistyped module is told beside it
run: taffrail record -o linker --force -e 'fn:ld-linux*/_dl_debug_state%entry' -e 'fn:ld-lnux*/_dl_debug_state%entry' -- "$CASES/known"
status: 1
stderr: no function matches 'fn:ld-lnux\*/_dl_debug_state%entry'; nearest: modules ld-linux
no stderr: no function matches 'fn:ld-linux
case: so says the list of a process that has an agent
run: start waits sleep 99; taffrail attach $pid 2>/dev/null; taffrail list --functions -p $pid 'fn:ld-linux*/_dl_debug_state'; kill $pid
stdout: ^fn/_dl_debug_state .*\[not: the agent's own code is there\]$
case: a program that is stripped but exports functions is called so
file exports.c:
	int one(int k) { return k + 1; }
	static __attribute__((noinline)) int hidden(int k) { return k * k - 7; }
	int main(int argc, char **argv) { return one(argc) + hidden(argc) - 2 * !argv; }
run: gcc -O1 -rdynamic -o exports exports.c; gcc -O1 -rdynamic -s -o exported exports.c; taffrail list --functions exported fn:hidde; taffrail list --functions exports fn:hidde
status: 1
stderr: exported: no function matches 'fn:hidde'; nearest: .*; exported is stripped: a -dbgsym package
stderr: exports: no function matches 'fn:hidde'; nearest: hidden, 
no stderr: exports is stripped

# Symbols of hundreds of characters, as functions of C++ have that take
# containers
group: long symbols
before:
	cat >long.cc <<'END'
	#include <map>
	#include <string>
	#include <vector>
	using index = std::map<std::string, std::vector<int>>;
	__attribute__((noipa)) int find_in(const index &in, const std::string &key)
	{
		return in.count(key) ? 1 : -1;
	}
	__attribute__((noipa)) int find_in(const std::map<index, index> &in, const std::string &key)
	{
		return static_cast<int>(in.size() + key.size());
	}
	static __attribute__((noipa)) int find_own(const std::map<index, index> &in, const std::map<std::string, long> &)
	{
		return static_cast<int>(in.size());
	}
	HUGE
	int main()
	{
		return find_in(index(), "one") + find_in(std::map<index, index>(), "four") + find_own({}, {}) + huge(0) - 3;
	}
	END
	huge=_Z1100$(printf 'a%.0s' {1..1100})i
	sed -i "s/^HUGE/int huge(int) __asm__(\"$huge\"); __attribute__((noipa)) int huge(int k) { return k; }/" long.cc
	g++ -O2 -g -o long long.cc
	cat >sleeper.cc <<'END'
	#include <map>
	#include <string>
	#include <unistd.h>
	#include <vector>
	__attribute__((noipa)) int turn(const std::map<std::string, std::vector<std::string>> &in, const std::map<int, std::string> &other)
	{
		return static_cast<int>(in.size() + other.size());
	}
	int main()
	{
		for (;;)
			usleep(1000 + turn({}, {}));
	}
	END
	g++ -O2 -o sleeper sleeper.cc
	nm long | awk '$3 ~ /find_/ && length($3) > 117' | wc -l >long.count
case: they are more than 117 characters long
run: cat long.count
whole stdout:
	3
case: a rule names them, with their types
run: taffrail record -o all.d -e fn:find_in -e fn:find_own%entry -- ./long && taffrail view all.d
stdout: fn:find_in\(std::map<.*, std::vector<int, .* const&\): .* in = 0x[0-9A-F]+, key = 0x[0-9A-F]+, cfa =
stdout: fn:find_in\(std::map<.*, std::vector<int, .* const&\)%return: .* value = -1, cfa =
stdout: fn:find_in\(std::map<std::map<.*%return: .* value = 4, cfa =
stdout: fn:find_own\(std::map<std::map<.*: .* cfa =
case: one overload by its parameters, the static one by its file
run: taffrail record -o one.d -e "fn:'find_in(std::map<std::map<*'%entry" -e fn:long.cc:find_own%entry -- ./long && taffrail view one.d | grep -o 'fn:[a-z._:]*'
whole stdout:
	fn:find_in
	fn:long.cc:find_own
case: whole calls, and a condition
run: taffrail record -o whole.d --functions find_in -- ./long && taffrail report --functions whole.d | grep -c ' find_in'; taffrail record -o if.d -e 'fn:find_in%return if value < 0' -- ./long && taffrail view if.d | grep -c 'value = -1'
whole stdout:
	2
	1
case: readers know the symbol and the name
run: taffrail view all.d --where 'fn:find_in%return' | wc -l; taffrail view --raw all.d | grep -c 'fn:_Z7find_inRKSt3map'
whole stdout:
	2
	4
case: several processes agree
run: taffrail record -o many.d -e fn:find_in -- sh -c './long; ./long; true' && taffrail report --functions many.d | grep -c ' 2 .* find_in'
stdout: ^2$
case: programs that a word of an argument names have types, others have none
run: for c in 'exec ./long 1' 'p=long; ./$p; true'; do taffrail record --force -o args.d -e fn:find_in%entry -- env A=1 sh -c "$c" && taffrail view args.d | grep -c 'in = 0x.*, key = 0x'; done; true
whole stdout:
	2
	0
case: a process has them by name, and they go and come
run:
	start sleeper ./sleeper
	taffrail attach $pid >/dev/null 2>&1
	taffrail start s -p $pid -e fn:turn%entry && taffrail list -p $pid | grep -c 'fn/turn(.* on '
	taffrail disable s fn:turn -p $pid && taffrail list -p $pid | grep -c 'fn/turn(.* off '
	taffrail enable s fn:turn%entry -p $pid && taffrail list -p $pid | grep -c 'fn/turn(.* on '
	taffrail destroy s; kill $pid
whole stdout:
	1
	1
	1
case: a symbol of more than 1012 characters is counted, and told
run: taffrail list --functions long 'fn:_Z1100*'; taffrail doctor -- ./long; taffrail record -o huge.d -e 'fn:aaa*' -- ./long
status: 1
stdout: ^fn/a+\(int\) .*\[not: its symbol has more than 1012 characters\]$
stdout: functions .*; (not )?1: its symbol has more than 1012 characters
stderr: no function matches 'fn:aaa\*'; nearest: .*; not 1 of that name: its symbol has more than 1012 characters

# Copies that compilers make
group: copies
before:
	cat >copies.s <<'END'
	.macro function name
	.type \name, @function
	\name: lea 7(%rdi), %rax
	nop
	ret
	.size \name, . - \name
	.balign 16
	.endm
	.text
	.balign 16
	function k
	function k.constprop.0
	function only.isra.0
	.globl k
	.type main, @function
	.globl main
	main: sub $8, %rsp
	call k.constprop.0
	call only.isra.0
	xor %eax, %eax
	add $8, %rsp
	ret
	.size main, . - main
	.section .note.GNU-stack,"",@progbits
	END
	gcc -o copies copies.s
case: a rule for a function of which there is a copy
run: taffrail record --yes --force -o k.d -e fn:k%entry -- ./copies; taffrail record -o all.d -e 'fn:k.*%entry' -- ./copies && taffrail view all.d | grep -o 'fn:[^:]*:'
stderr: rule 'fn:k%entry': calls may be those of a copy that the compiler has made: 'fn:k.\*' names k.constprop.0, too\n
no stderr: rule 'fn:k.\*%entry'
whole stdout:
	fn:k.constprop.0:
case: a function of which there is only a copy
run: taffrail record --force -o only.d -e fn:only -- ./copies
status: 1
stderr: no function matches 'fn:only'; nearest: only.isra.0[, ]

# Several names of a function
group: twins
before:
	gcc-12 -O2 -o twins "$SOURCE"/twins.c "$SOURCE"/twins-other.c || gcc -O2 -o twins "$SOURCE"/twins.c "$SOURCE"/twins-other.c
case: the event has the name of the rule
run: taffrail record -o second -e fn:second_name%entry -- ./twins && taffrail view second | grep -o 'fn:[^:]*:' | sort | uniq -c
stdout: ^ +3 fn:second_name:$
no stdout: first_name
case: a rule that names several means one
run: taffrail record -o star -e 'fn:*_name%entry' -- ./twins && taffrail view star | grep -o 'fn:[^:]*:' | sort | uniq -c
whole stdout:
	      3 fn:first_name:
case: two rules give both, and each call has both around it
run: taffrail record -o both -e fn:_third_name -e fn:second_name -e 'fn:first*' -- ./twins && taffrail report --functions both
stdout: ^ +3 .* 0  first_name$
stdout: ^ +3 .* 0  second_name$
stdout: ^ +3 .* 0  _third_name$
case: their arguments and results
run: taffrail view both | grep -c '_name: .* { arg1 = 0,'; taffrail view both | grep -c '_name%return: .* { value = 2,'
whole stdout:
	9
	9
case: whole calls
run: taffrail record -o calls --functions second_name --functions _third_name -- ./twins && taffrail view calls | grep -o 'fn:[^:]*: .*' | sed 's/duration = [^,]*/D/' | grep -c 'name: .*D, depth = 1, arg1 = 0, .* value = 2 }'; taffrail view calls | grep -c fn:_third
whole stdout:
	6
	3
case: sessions of one process have their names, whichever comes first
run:
	names() { taffrail snapshot $1 -o $1.$2 2>/dev/null; taffrail view $1.$2 | grep -o 'fn:[^:]*:' | sort | uniq -c; }
	start waits ./twins wait
	wait_for grep -q ready waits.out
	taffrail attach $pid >/dev/null && taffrail start one -p $pid -e fn:second_name%entry && taffrail start two -p $pid -e 'fn:*_name%entry' && taffrail start three -p $pid --functions _third_name
	say waits go 'called 315'
	for s in one two three; do names $s a; done
	taffrail destroy two && taffrail destroy three && say waits go 'called 324' && names one b
	taffrail destroy one && taffrail start four -p $pid -e fn:_third_name && say waits go 'called 333' && names four b
	say waits '' 'called 342' && taffrail destroy four && say waits go 'called 351' && ended waits
whole stdout:
	      3 fn:second_name:
	      3 fn:first_name:
	      3 fn:_third_name:
	      6 fn:second_name:
	      3 fn:_third_name%return:
	      3 fn:_third_name:
case: static functions of one name
run: taffrail record -o helpers -e fn:helper%entry -- ./twins && taffrail view helpers | grep -c 'fn:helper:'
whole stdout: 4
case: are told apart by their files
run: taffrail record -o other -e fn:twins/twins-other.c:helper -- ./twins && taffrail view other | grep -o 'fn:.*' | sed 's/: {.*{/:/; s/, arg2.*//; s/, cfa.*//'
whole stdout:
	fn:twins-other.c:helper: arg1 = 0
	fn:twins-other.c:helper%return: value = 100
case: of C++, by the names in the source
file cart.cc:
	namespace shop {
	__attribute__((noipa)) static int price(int n) { return n * 77 + 1000; }
	__attribute__((noipa)) static int price(long n) { return static_cast<int>(n * 99 + 2000); }
	}
	int main()
	{
		return shop::price(1) + shop::price(2L) != 3275;
	}
run:
	g++ -O1 -o cart cart.cc && for rule in 'cart.cc:*' cart.cc:shop::price "cart/'cart.cc:shop::price(long)'" cart.cc:_ZN4shopL5priceEi; do
		taffrail record -o cart.d --force -e "fn:$rule" -- ./cart 2>/dev/null; taffrail view cart.d | grep -v return | sed 's/.*\(fn:.*\): .*arg1 = \([0-9]\).*/\1 \2/'
	done
	taffrail list --functions cart 'fn:cart.cc:*' | sed 's/  .*//; s/ 0x.*//'; taffrail view cart.d --where 'fn:cart.cc:shop::price' | wc -l
whole stdout:
	fn:cart.cc:shop::price(int) 1
	fn:cart.cc:shop::price(long) 2
	fn:cart.cc:shop::price(int) 1
	fn:cart.cc:shop::price(long) 2
	fn:cart.cc:shop::price(long) 2
	fn:cart.cc:shop::price(int) 1
	fn/cart.cc:shop::price(int)
	fn/cart.cc:shop::price(long)
	1
case: and all of a file can be named
run: taffrail record -o file -e 'fn:twins.c:*%entry' -e 'fn:helper%entry if arg1 == 0' -- ./twins && taffrail view file --where 'fn:twins.c:helper' | grep -o 'fn:.*: {' | sort | uniq -c; taffrail view file | grep -c 'fn:helper:'
whole stdout:
	      3 fn:helper: {
	      3 fn:twins.c:helper: {
	4
case: readers tell them apart, where they have one name
run:
	taffrail record -o apart -e 'fn:twins/helper' -e fn:first_name -- ./twins && taffrail report --functions apart | sed 's/^ *\([0-9]*\) .* \([0-9]*\)  /\1 \2 /' | tail -n 3 | sort; taffrail view --graph apart | sed 's/.*\] //' | sort | uniq -c | sort; taffrail export --format folded apart | sed 's/ .*//'
	for rule in fn:helper%return fn:twins/twins-other.c:helper%return 'fn:*/twins.c:helper%return' fn:other/helper; do taffrail view apart --where $rule | wc -l; done
whole stdout:
	1 0 twins-other.c:helper
	3 0 first_name
	3 0 twins.c:helper
	      1 twins-other.c:helper();
	      3   twins.c:helper();
	      3 first_name() {
	      3 } (first_name)
	twins;first_name
	twins;first_name;twins.c:helper
	twins;twins-other.c:helper
	4
	1
	3
	0
stderr: view: no event matches 'fn:other/helper'
case: a call has not been left, because its namesake's return cannot be had
run: gcc -O2 -o entry "$SOURCE"/twins.c "$SOURCE"/twins-entry.S && taffrail list --functions entry fn:helper | grep -c 'exits cannot all' && taffrail record -o entry.d -e fn:helper -- ./entry && taffrail report --functions entry.d | sed 's/^ *\([0-9]*\) .* \([0-9]*\)  /\1 \2 /' | tail -n 2; taffrail view --graph entry.d | sed 's/.*\] //' | sort | uniq -c; taffrail view entry.d | grep -c fn:helper:
whole stdout:
	1
	3 0 twins.c:helper
	  1 function not shown, with 1 call: no return of them is in the trace (the rule, or their exits cannot be had), so their callers have their time
	      1 twins-entry.S:helper()
	      3 twins.c:helper();
	4
case: of programs and libraries, the module tells; of whole calls, too
run: cp twins again && taffrail record -o modules --functions helper -- sh -c './twins; ./again' && taffrail report --functions modules | sed 's/^ *\([0-9]*\) .* \([0-9]*\)  /\1 \2 /' | tail -n 4 | sort
whole stdout:
	1 0 again/twins-other.c:helper
	1 0 twins/twins-other.c:helper
	3 0 again/twins.c:helper
	3 0 twins/twins.c:helper
case: names of Rust
run: taffrail record -o rust -e fn:shop::cart::sell -- ./twins && taffrail view rust | grep -o 'fn:.*: {' | sort && taffrail list --functions ./twins 'fn:*sell'
stdout: ^fn:shop::cart::sell%return: \{$
stdout: ^fn:shop::cart::sell: \{$
stdout: ^fn/shop::cart::sell +0x
case: of the older form, a method of a trait
run:
	taffrail record -o rust-old -e "fn:'<r::shop::Cart<i64> as r::shop::Sell>::sell'" -- ./twins && taffrail view rust-old | grep -o 'fn:.*: {' | sort
	taffrail record -o rust-any -e "fn:<r::shop::Cart<*%entry" -- ./twins && taffrail view rust-any | grep -c 'r::shop::Sell>::sell:'; taffrail list --functions ./twins 'fn:*::Sell>::sell'
stdout: ^fn:<r::shop::Cart<i64> as r::shop::Sell>::sell%return: \{$
stdout: ^fn:<r::shop::Cart<i64> as r::shop::Sell>::sell: \{$
stdout: ^1$
stdout: ^fn/<r::shop::Cart<i64> as r::shop::Sell>::sell +0x
case: of several rules, the list tells those that name nothing
run: taffrail list --functions ./twins fn:second_name fn:twinz/helper fn:helper fn:secnd_name >out; echo $? $(grep -c fn/ out); start waits ./twins wait; wait_for grep -q ready waits.out; taffrail list --functions -p $pid fn:twins/helper fn:twinz/helper >out; echo $? $(grep -c fn/ out)
whole stdout:
	1 3
	1 2
stderr: ^taffrail: list: no function matches 'fn:twinz/helper'; nearest: modules twins\ntaffrail: list: no function matches 'fn:secnd_name'; nearest: second_name, .*\ntaffrail: list: no function matches 'fn:twinz/helper'; nearest: modules twins, .*$
case: the list has the names of the rules
run: taffrail list --functions ./twins fn:second_name 'fn:twins-other.c:*'; taffrail list --functions ./twins | grep -c 'fn/.*_name '; taffrail list --functions ./twins | grep fn/helper
stdout: ^fn/second_name +0x[0-9a-f]+ +function off \(int64 arg1
stdout: ^fn/twins-other.c:helper +0x
stdout: ^1$
stdout: ^fn/helper +0x[0-9a-f]+ +function off twins.c \(
stdout: ^fn/helper +0x[0-9a-f]+ +function off twins-other.c \(

# Functions that the linker has folded
group: folded by {LINKER}
need: ld.gold --version && ld.lld --version
for: LINKER gold lld
before:
	cat >folded.c <<-'END'
		#define KEEP __attribute__((noinline, noclone))
		KEEP long fold_one(long n) { __asm__ volatile(""); return n * 3 + 1; }
		KEEP long fold_two(long n) { __asm__ volatile(""); return n * 3 + 1; }
		KEEP static long fold_own(long n) { __asm__ volatile(""); return n * 3 + 1; }
		int main(int n, char **a) { (void)a; return fold_one(n) + fold_two(n + 1) + fold_own(n + 2) != 21; }
	END
	gcc -O2 -fno-ipa-icf -ffunction-sections -fuse-ld={LINKER} -Wl,--icf=all -o folded folded.c
case: one code has the names
run: nm folded | grep fold_ | sort -u -k1,1 | wc -l; taffrail list --functions folded 'fn:fold_*' fn:fold_two | grep -o '^fn/fold_[a-z]*' | sort
whole stdout:
	1
	fn/fold_one
	fn/fold_two
case: each rule's name is there, and has all calls
run: taffrail record -o all -e fn:fold_one -e fn:fold_own -e fn:fold_two -- ./folded && taffrail report --functions all
stdout: ^ +3 .* 0  fold_one$
stdout: ^ +3 .* 0  fold_own$
stdout: ^ +3 .* 0  fold_two$
case: and all results
run: taffrail view all | grep -c 'fn:fold_t.*return: .* { value = \(4\|7\|10\),'
whole stdout:
	3
case: a rule that names several means one
run: taffrail record -o star -e 'fn:fold_*' -- ./folded && taffrail report --functions star | tail -n 1
stdout: ^ +3 .* 0  fold_one$

# Symbols elsewhere
group: debug
need: objcopy --version && xz --version
before:
	gcc -O2 -g -Wl,--build-id -o whole "$SOURCE"/twins.c "$SOURCE"/twins-other.c
	objcopy --only-keep-debug whole whole.debug
	cp whole linked && strip linked && objcopy --add-gnu-debuglink=whole.debug linked
	objcopy --only-keep-debug --strip-debug whole table && xz table
	cp whole mini && strip mini && objcopy --add-section .gnu_debugdata=table.xz mini
	cp whole bare && strip bare
case: a file that the program's file names
run: taffrail record -o linked.d -e fn:linked/helper%entry -e fn:twins-other.c:helper%return -- ./linked && taffrail view linked.d | grep -o 'fn:.*: {' | sort | uniq -c
whole stdout:
	      4 fn:helper: {
	      1 fn:twins-other.c:helper%return: {
case: the list has the names
run: taffrail list --functions linked fn:helper 'fn:twins.c:*' && cd / && taffrail list --functions "$OLDPWD/linked" | grep -c fn/helper
stdout: ^fn/helper +0x[0-9a-f]+ +function off twins-other.c \(int64.*\) \[jump\]$
stdout: ^fn/twins.c:helper +0x.* \[jump\]$
stdout: ^2$
case: and the plans that the whole file has
run: for f in whole linked; do taffrail list --functions $f | grep -v 'fn/_[a-z]' | sed 's/ off [^ ]*[.]c / off /' | sort >$f.plans; done; diff whole.plans linked.plans && grep -c jump linked.plans
stdout: ^[1-9][0-9]*$
case: in a process, too
run:
	start waits ./linked wait
	wait_for grep -q ready waits.out
	taffrail list --functions -p $pid fn:helper
stdout: ^fn/helper +0x[0-9a-f]+ +function off .*\) \[jump\]$
case: mini debug information
run: taffrail record -o mini.d -e fn:mini/helper -e fn:second_name -- ./mini && taffrail report --functions mini.d; taffrail list --functions mini fn:helper
stdout: ^ +3 .* 0  helper@0x[0-9a-f]+$
stdout: ^ +1 .* 0  helper@0x[0-9a-f]+$
stdout: ^ +3 .* 0  second_name$
stdout: ^fn/helper +0x[0-9a-f]+ +function off .* \[jump\]$
case: without either, there is no such name, and the program is told
run: taffrail record -o bare.d -e fn:helper -- ./bare; taffrail record -o bare-libc.d -e fn:libc/hlper -- ./bare 2>&1 | grep -c stripped; start waits ./bare wait; wait_for grep -q ready waits.out; taffrail record -o bare-pid.d -p $pid --for 0.1s -e fn:bare/helper
status: 1
whole stdout: 0
stderr: no function matches 'fn:helper'.* bare is stripped: a -dbgsym package, or .* has its names \(
stderr: matches 'fn:bare/helper'; nearest: bare is stripped: 
case: of another build, no name is taken
run:
	gcc -O1 -g -Wl,--build-id -o other "$SOURCE"/twins.c "$SOURCE"/twins-other.c && objcopy --only-keep-debug other whole.debug
	taffrail list --functions linked; taffrail record -o wrong.d -e fn:helper -- ./linked
status: 1
stderr: linked: it has no symbols of functions
stderr: no function matches 'fn:helper'
case: damaged tables are none
run:
	for at in 0 30 200 1000; do
		cp mini damaged && objcopy --dump-section .gnu_debugdata=d.xz mini && printf 'damaged' | dd of=d.xz bs=1 seek=$at conv=notrunc status=none && objcopy --update-section .gnu_debugdata=d.xz damaged
		./damaged && taffrail record --force -o damaged.d -e fn:helper%entry -- ./damaged; echo $?
	done
stdout: ^1$
no stdout: ^[^01]
case: a process without the functions is told, two that have them are not
run: sleep 600 & none=$!; start one ./whole wait; one=$pid; start two ./whole wait; wait_for grep -q ready one.out; wait_for grep -q ready two.out; taffrail start few -p $one -p $none -p $pid -e fn:whole/first_name 2>few.err; taffrail destroy few && taffrail record -p $one -p $none -e fn:second_name --for 0.1 -o few.d 2>>few.err; echo $?; kill $none; grep -o 'process.* has none.*' few.err | sed "s/$none/PID/"
whole stdout:
	1
	process PID has none of the functions that the rules name
	process PID has none of the functions that the rules name
case: functions that --level leaves out
run: taffrail record -o level.d -e 'fn:second_name if arg1 > 5' --level err -- ./whole; start level ./whole wait; wait_for grep -q ready level.out; taffrail start level -p $pid -e fn:helper --level =info; taffrail start level -p $pid -e fn:nobody --level =info; taffrail record -o level2.d -e fn:helper%entry --level debug -- ./whole
stderr: record: no marker that 'fn:second_name' names can meet the condition '.level <= err && \(arg1 > 5\)': functions have debug_line
stderr: start: no marker that 'fn:helper' names has the level info: functions have debug_line\ntaffrail: start: no function matches 'fn:nobody if
stderr: record: 4 events 
case: functions of a process that is not there
run: taffrail list --functions -p "$(sh -c 'echo $$')"
status: 1
stderr: ^taffrail: list: no such process: [0-9]+$

# Names of modules
group: a program and a library with several names
before:
	mkdir bin
	cat >net.c <<-'END'
		long net_send(long n) { __asm__ volatile(""); return n + 1; }
	END
	cat >served.c <<-'END'
		#include <stdio.h>
		#include <unistd.h>
		long net_send(long n);
		__attribute__((noinline)) static long serve(long n) { __asm__ volatile(""); return net_send(n); }
		int main(int argc, char **argv)
		{
			char line[8];
			if (argc == 1)
				return serve(1) + serve(2) + serve(3) != 9 || !argv;
			if (chdir("/"))
				return 1;
			puts("ready");
			while (fflush(stdout), fgets(line, sizeof(line), stdin))
				printf("%ld\n", serve(1) + serve(2) + serve(3) - 10 + argc++);
		}
	END
	gcc -g -O2 -shared -fPIC -Wl,-soname,libnet.so.1 -o libnet.so.1.2.3 net.c && ln -s libnet.so.1.2.3 libnet.so.1
	gcc -g -O2 -o check served.c ./libnet.so.1 -Wl,-rpath,"$PWD" && ln -s check server && ln -s ../server bin/served && cp check copied
	printf '#!/bin/sh\nexec ./server\n' >script && chmod +x script
	calls() { taffrail view "$@" | grep -o 'fn:[a-z_.:]*: .*' | sed 's/{ [cv][^}]*}, //g; s/, cfa.*//' | sort | uniq -c; }
	traced() { taffrail record --force -o $1 -e "$2" -- $3 2>&1 | grep -o "no function.*"; calls $1; }
case: a rule may have the name with which it was executed, or the file's
run: for rule in server/serve 'ch?ck/serve%entry if n == 2'; do traced one "fn:$rule" ./server; done; PATH=$PWD/bin:$PATH traced two 'fn:serve?/served.c:serve if n == 3' served; traced three fn:copied/serve ./copied; traced four fn:check/serve ./copied
whole stdout:
	      1 fn:serve: { n = 1
	      1 fn:serve: { n = 2
	      1 fn:serve: { n = 3
	      1 fn:serve: { n = 2
	      1 fn:served.c:serve: { n = 3
	      1 fn:serve: { n = 1
	      1 fn:serve: { n = 2
	      1 fn:serve: { n = 3
	no function matches 'fn:check/serve'; nearest: modules copied, libc.so.6 or libnet.so.1 (libc and the dynamic linker only by name, as fn:libc/...)
case: readers take both, and show the file's
run: for rule in server/serve check/served.c:serve served/serve; do calls one --where "fn:$rule if n == 2"; done; taffrail record -o both -e fn:serve -- sh -c './server; ./copied' && taffrail report --functions both | grep -o '[a-z]*/serve' | sort
whole stdout:
	      1 fn:serve: { n = 2
	      1 fn:serve: { n = 2
	check/serve
	copied/serve
stderr: no event matches 'fn:served/serve if n == 2'
case: a library has the name that programs know, and that of the file
run: for rule in libnet libnet.so.1 'libnet.so.1.2.[0-9]'; do traced lib "fn:$rule/net_send if n == 2" ./server; done; taffrail list --functions libnet.so.1.2.3 fn:libnet.so.1/net_send | grep -c fn/; taffrail list --functions server fn:check/serve fn:server/served.c:serve | grep -c fn/
whole stdout:
	      1 fn:net_send: { n = 2
	      1 fn:net_send: { n = 2
	      1 fn:net_send: { n = 2
	1
	2
case: an interpreter has not the script's name
run: traced of 'fn:scr?pt/*' ./script
stdout: ^no function matches 'fn:scr\?pt/\*'
case: processes that have left the folder, and start --all
run:
	start one ./server wait; wait_for grep -q ready one.out
	taffrail list --functions -p $pid fn:server/serve fn:check/served.c:serve fn:libnet.so.1/net_send | grep -o '^fn/[a-z_.:]*'
	taffrail attach $pid >/dev/null; taffrail start now -p $pid -e 'fn:server/serve if n == 2'
	say one '' 1; taffrail disable now fn:server/serve && taffrail enable now fn:libnet.so.1.2.3/net_send
	say one '' 2; taffrail snapshot now -o now.d 2>/dev/null; calls now.d; taffrail destroy now
	taffrail start every --all -e 'fn:server/serve if n == 3' -e fn:severs/serve
	say one '' 3; taffrail snapshot every -o every.d 2>/dev/null; calls every.d; taffrail destroy every; kill $pid
whole stdout:
	fn/serve
	fn/served.c:serve
	fn/net_send
	      1 fn:net_send: { n = 1
	      1 fn:net_send: { n = 2
	      1 fn:net_send: { n = 3
	      1 fn:serve: { n = 2
	      1 fn:serve: { n = 3
stderr: no function matches 'fn:severs/serve'.* modules (served|server), 
case: rules in the environment
run: taffrail record -o env.d -e 'fn:server/serve if arg1 == 3' -- env TAFFRAIL_ENABLE='fn:server/serve if arg1 == 1' TAFFRAIL_SESSION=own ./server && taffrail snapshot own -o own.d && calls own.d env.d | sed 's/, arg2.*//'
whole stdout:
	      1 fn:serve: { arg1 = 1
	      1 fn:serve: { arg1 = 3

group: a program whose file was replaced
need: test $(id -u) = 0
case: the module is called as before
run:
	cp "$CASES/halves" replaced && start replaced ./replaced 100000000 1000
	cp "$CASES/known" other && mv other replaced
	sleep 600 & none=$!
	taffrail record -p $pid -p $none -o trace -e fn:replaced/turn --for 0.3s 2>&1 | grep -o 'process.* has none' | sed "s/$none/other/"
	kill $pid $none
	taffrail view trace | grep -c 'fn:turn: '
stdout: ^process other has none\n[1-9]

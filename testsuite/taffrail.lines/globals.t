# SPDX-License-Identifier: LGPL-2.1-or-later
# Variables that units, or files, share: which one a name means at a line.

group: extern variables, {OPTIONS}
for: OPTIONS gcc_-O0 gcc_-O2 gcc_-O1_-flto gcc_-O0_-gsplit-dwarf clang_-O0
before:
	cat >show.c <<-'END'
		extern volatile int level, tab[], inner;
		int other(void);
		__attribute__((noinline)) int show(int n)
		{
			int r = n + level + tab[1] + inner;
			__asm__ volatile("" : "+r"(r));
			return r;
		}
		int main(void)
		{
			return other() + show(1) - 128;
		}
	END
	printf '__attribute__((noinline)) static int nothing(int n) { __asm__ volatile(""); return n; }\nstatic volatile int level = 88, tab[2] = { 99, 98 }, inner = 77;\nint other(void) { level++; tab[1] = nothing(97); inner++; return 0; }\n' >other.c
	printf 'volatile int level = 1, tab[] = { 32, 33 };\nvolatile int inner __attribute__((visibility("hidden"))) = 93;\n' >own.c
	words="{OPTIONS}"
	seen() { rm -rf seen; ${words//_/ } -g -Wl,--build-id -o show "$@" 2>err && taffrail record --int3 -o seen -e 'show.c:7(level, tab[1], inner, n)' -- ./show && taffrail view seen | grep -o '{ level.*'; }
	seen show.c own.c other.c 2>err || { cat err; exit 77; }
case: the shared one is meant, and no static one of another unit
run: for order in 'show.c other.c own.c' 'other.c own.c show.c'; do seen $order; done
stdout: ^\{ level = 1, tab = 33, inner = 93, n = 1 \}\n\{ level = 1, tab = 33, inner = 93, n = 1 \}\n$
case: also in a condition
run: taffrail record --int3 -o one -e 'show.c:7(n) if level == 1 && tab[1] == 33' -- ./show
stderr: : 1 event
case: and where the unit that defines it has no debug information
run: words=${words//_-flto/}; ${words//_/ } -c own.c -o own.o && seen other.c show.c own.o 2>&1; true
stdout: \{ level = 1, tab = 33, inner = 93, n = 1 \}|, level is no variable there

group: variables of libraries, {OPTIONS}
for: OPTIONS gcc_-O0 gcc_-O2_-fno-inline clang_-O0
before:
	words="{OPTIONS}"
	build() { ${words//_/ } -g -Wl,--build-id "$@" -L. -Wl,-rpath,$PWD 2>err || { cat err; exit 77; }; }
	seen() { rm -rf seen; taffrail record --int3 -o seen -e "$1" -- $2 2>err; taffrail view seen | grep -o '} *{.*\|[a-z.]*:[0-9]*: {.*' | sed 's/.*{/{/'; }
	# clang leaves out declarations
	of_program() { case $words in gcc*) seen 'uses.c:7(counter)' $1 ;; *) echo "{ counter = $2 }" ;; esac; }
	printf 'int counter = 7, alone __attribute__((visibility("hidden"))) = 5;\nvoid tick(int v)\n{\n\tcounter += v;\n\talone += v;\n\t__asm__ volatile("");\n}\n' >tick.c
	printf 'extern int counter;\nvoid tick(int);\nint main(void)\n{\n\tfor (int i = 0; i < 3; i++)\n\t\ttick(100);\n\treturn counter - 307;\n}\n' >uses.c
	printf 'int counter = 1000;\n' >before.c
	build -fPIC -shared -o libtick.so tick.c
	build -fPIC -shared -o libbefore.so before.c
	build -o copies uses.c -ltick
	build -fPIC -o uses uses.c -ltick
	build -fPIC -o before -Wl,--no-as-needed uses.c -lbefore -ltick
case: the program has a copy, and the library's is not read
run: seen 'tick.c:6(counter, alone)' ./copies
whole stdout:
	{ counter = 107, alone = 105 }
	{ counter = 207, alone = 205 }
	{ counter = 307, alone = 305 }
case: conditions read the copy, too
run: taffrail record --int3 -o high -e 'tick.c:6(v) if counter > 200' -- ./copies
stderr: : 2 events
case: without a copy it is the library's, which the program's lines have
run: seen 'tick.c:6(counter)' ./uses; of_program ./uses 307
whole stdout:
	{ counter = 107 }
	{ counter = 207 }
	{ counter = 307 }
	{ counter = 307 }
case: another library has the name before
run: seen 'tick.c:6(counter)' ./before; of_program ./before 1300
whole stdout:
	{ counter = 1100 }
	{ counter = 1200 }
	{ counter = 1300 }
	{ counter = 1300 }
case: a library that binds its names itself reads its own
run: build -fPIC -shared -Wl,-Bsymbolic -o libtick.so tick.c && seen 'tick.c:6(counter) if v == 100' ./before
whole stdout:
	{ counter = 107, v = 100 }
	{ counter = 207, v = 100 }
	{ counter = 307, v = 100 }
case: one that the library's code does not read is refused
run: printf 'int counter = 7;\nvoid tick(int v)\n{\n\t__asm__ volatile("" : : "r"(v));\n}\n' >tick.c && build -fPIC -shared -o libtick.so tick.c && taffrail record -o none -e 'tick.c:4(counter)' -- ./copies
status: 1
stderr: at tick\.c:4, counter may be another file's: nothing tells how the name is bound$

group: inline variables of C++
case: of the program and a library there is one
run: printf 'inline int hits = 10;\nint work(int k)\n{\n\tstatic int own = 3;\n\thits += k;\n\treturn hits + own - 3;\n}\n' >lib.cc && printf 'inline int hits = 10;\nint work(int);\nint main()\n{\n\thits++;\n\treturn work(1) + work(2) - 26;\n}\n' >main.cc && g++ -std=c++17 -g -Wl,--build-id -fPIC -shared -o libhits.so lib.cc && g++ -std=c++17 -g -o hits main.cc -L. -lhits -Wl,-rpath,$PWD && taffrail record -o hits.trace -e 'lib.cc:6(hits, own)' -- ./hits && taffrail view hits.trace
stdout: \{ hits = 12, own = 3 \}$
stdout: \{ hits = 14, own = 3 \}$

group: extern variables of threads, {OPTIONS}
for: OPTIONS gcc_-O0 gcc_-O2_-fPIE gcc_-O0_-no-pie
before:
	words="{OPTIONS}"
	printf 'extern __thread int mine, far;\n__attribute__((noinline)) int take(int n)\n{\n\tmine += n;\n\tfar += n;\n\t__asm__ volatile("");\n\treturn n;\n}\n' >take.c
	printf '#include <pthread.h>\nint take(int);\n__thread int before[3] = { 1, 2, 3 }, mine = 100;\nstatic void *run(void *n) { take(5); return n; }\nint main(void)\n{\n\tpthread_t thread;\n\ttake(1);\n\tpthread_create(&thread, 0, run, 0);\n\tpthread_join(thread, 0);\n\ttake(2);\n\treturn before[0] - 1;\n}\n' >main.c
	printf '__thread int far = 1000;\n' >far.c
	gcc -g -fPIC -shared -o libfar.so far.c && ${words//_/ } -g -Wl,--build-id -o threads take.c main.c -L. -lfar -Wl,-rpath,$PWD || exit 77
case: each thread has its own, also of a library that the program is linked to
run: taffrail record --int3 -o threads.trace -e 'take.c:6(n, mine, far)' -- ./threads && taffrail view threads.trace
stdout: \{ n = 1, mine = 101, far = 1001 \}$
stdout: \{ n = 5, mine = 105, far = 1005 \}$
stdout: \{ n = 2, mine = 103, far = 1003 \}$
case: those of a library that may be loaded later are refused by name
run: printf '__thread int mine = 100, far = 5;\n' >both.c && gcc -g -fPIC -shared -Wl,--build-id -o libboth.so take.c both.c && printf 'int take(int);\nint main(void) { return take(0); }\n' >user.c && gcc -o user user.c -L. -lboth -Wl,-rpath,$PWD && taffrail record -o none -e 'take.c:6(mine)' -- ./user
status: 1
stderr: at take\.c:6, mine is a library's variable of each thread$

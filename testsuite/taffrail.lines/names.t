# SPDX-License-Identifier: LGPL-2.1-or-later
# Names at lines: of which functions, classes and sources they are.

group: lines of functions that are inlined, {OPTIONS}
for: OPTIONS gcc_-O1 gcc_-O2 gcc_-O3 clang_-O2 gcc_-O0
before:
	cat >own.c <<-'END'
		#include <stdio.h>
		struct pair {
			int a, b;
		};
		static int seen = 7;
		static inline int scale(int n, int k)
		{
			static int calls;
			int total = 0;

			calls++;
			for (int i = 0; i < k; i++) {
				int twice = n * i;
				total += twice ^ k;
			}
			return total + calls;
		}

		static inline int mix(struct pair p, int v)
		{
			int n = v * 3;
			p.a += n;
			if (p.a > 10)
				printf("mix %d\n", p.a);
			return p.a * p.b;
		}

		__attribute__((noinline)) static int work(int n, int total, char **i)
		{
			int r = scale(total, 3);
			struct pair p = { r, n };
			r += mix(p, total);
			printf("work %d %d %d\n", n, total, r);
			r += scale(n + 1, r & 3);
			return r + total + !i;
		}

		int main(int argc, char **argv)
		{
			int total = argc * 5;
			struct pair p = { 2, total };
			total += work(argc + 30, total, argv);
			total += mix(p, total);
			total += mix((struct pair){ 1, argc }, argc);
			total += scale(total, argc + 1);
			printf("%d %d\n", total, seen);
			return 0;
		}
	END
	words=({OPTIONS})
	${words//_/ } -g -Wl,--build-id -o own own.c 2>err || exit 77
case: each line is of its own function, whichever has the code
run: taffrail list --lines own.c ./own | awk '{ split($1, at, ":"); own = at[2] < 18 ? "scale" : at[2] < 27 ? "mix" : at[2] < 37 ? "work" : "main"; if (index($2, own "(") != 1) print } END { print (NR > 20) }'
whole stdout: 1
case: values are those of the function of the line
run: taffrail record -o work -e 'own.c:32(n, total)' -- ./own >out && taffrail view work | sed -n 's/.*{ n = \(.*\), total = \(.*\) }/work \1 \2/p' && grep -o 'work 31 5' out
whole stdout:
	work 31 5
	work 31 5
case: a caller's variable of the same name is none
run: for line in 6 8 10 11; do rm -rf none; taffrail record --int3 -o none -e "own.c:$line(total, n)" -- ./own 2>/dev/null >out; taffrail view none 2>/dev/null; done | grep -E 'total = 5\b' || echo none
whole stdout: none

group: static variables of functions that are inlined or copied
before:
	cat >calls.c <<-'END'
		#include <stdio.h>
		static inline int add(int n)
		{
			static int calls = 40;
			calls++;
			return printf("%d\n", calls + n);
		}
		int main(int argc, char **argv)
		{
			return add(argc) + add(argc) < !argv;
		}
	END
	gcc -O2 -g -Wl,--build-id -o calls calls.c || exit 77
case: are found
run: taffrail record -o calls.trace -e 'calls.c:6(calls)' -- ./calls >out && taffrail view calls.trace
stdout: \{ calls = 41 \}$
stdout: \{ calls = 42 \}$

group: lines that are included in functions
before:
	printf 'n += 1;\nprintf("%%d\\n", n);\n' >body.inc
	cat >includes.c <<-'END'
		#include <stdio.h>
		struct pair {
			int a, b;
		};
		static int first(struct pair p)
		{
			int n = p.a;
		#include "body.inc"
			return n + p.b;
		}
		static int second(int n)
		{
		#include "body.inc"
			return n;
		}
		int main(void)
		{
			return first((struct pair){ 1, 2 }) + second(8) - 13;
		}
	END
	gcc -O0 -g -o includes includes.c 2>err || exit 77
case: their numbers say nothing of where variables are declared
run: taffrail record -o both -e 'body.inc:2(n)' -- ./includes >out && taffrail view both
stdout: \{ n = 2 \}$
stdout: \{ n = 9 \}$
case: a structure that one of the places lacks is left out there
run: taffrail record -o some -e 'body.inc:2(n, p)' -- ./includes >out && taffrail view some
stdout: \{ n = 2, a = 1, b = 2 \}$
stdout: \{ n = 9 \}$
stderr: ^taffrail: record: rule '.*': at 1 of 2 places of body\.inc:2, p is no variable there; nearest: n

group: members of base classes, {OPTIONS}
for: OPTIONS g++_-O0 clang++_-O0
before:
	cat >bases.cc <<-'END'
		struct base {
			int x, y;
		};
		struct middle : base {
			int z;
		};
		struct own : middle {
			int x;
			union {
				int u;
				float f;
			};
		};
		__attribute__((noinline)) int sum(own *o)
		{
			return o->x + o->y + o->z;
		}
		int main()
		{
			own o;

			o.base::x = 1;
			o.y = 2;
			o.z = 3;
			o.x = 4;
			o.u = 0x3fc00000;
			return sum(&o) - 9;
		}
	END
	words=({OPTIONS})
	${words//_/ } -g -Wl,--build-id -o bases bases.cc 2>err || exit 77
case: the class's own ones hide them
run: taffrail record -o one -e 'bases.cc:16(o->x, o->y, o->z)' -- ./bases && taffrail view one
stdout: \{ x = 4, y = 2, z = 3, unread = 0x0 \}$
case: a whole structure has all
run: taffrail record -o all -e 'bases.cc:16(*o)' -- ./bases && taffrail view all
stdout: \{ x = 1, y = 2, z = 3, x_2 = 4, u = 1069547520, f = 1\.5, unread = 0x0 \}$

group: first lines of functions in functions
case: parameters are those of the call, and what a lambda has captured has no place
run: printf '#include <cstdio>\nint main()\n{\n\tint sum = 0;\n\tstruct local {\n\t\tint mix(int a, int b) { return a * b; }\n\t} own;\n\tfor (int i = 1; i <= 3; i++) {\n\t\tauto add = [&sum](int e) { sum += e; };\n\t\tadd(i * 10);\n\t}\n\tprintf("%%d\\n", sum + own.mix(3, 4));\n}\n' >nested.cc && g++ -g -Wl,--build-id -o nested nested.cc && taffrail record -o nested.trace -e 'nested.cc:9(e, sum) if e >= 20' -e nested.cc:6 -- ./nested >out && taffrail view nested.trace | sed 's/.*{/{/; s/this = [^,]*/this/'
whole stdout:
	{ e = 20 }
	{ e = 30 }
	{ this, a = 3, b = 4 }
case: also at low addresses, where list knows the place
run: g++ -g -no-pie -Wl,--build-id -o low nested.cc && taffrail list --lines nested.cc:6 ./low && taffrail record -o low.trace -e 'nested.cc:6(a, b)' -- ./low >out && taffrail view low.trace
stdout: ^nested\.cc:6 +mix\(pointer this, int32 a, int32 b\)$
stdout: \{ a = 3, b = 4 \}$
case: of C
run: printf 'int main(int argc, char **argv)\n{\n\tint sum = argc;\n\tint add(int n)\n\t{\n\t\treturn n + sum;\n\t}\n\treturn add(40) - 41 + !argv;\n}\n' >nested.c && gcc -g -Wl,--build-id -o nested nested.c && taffrail record -o c.trace -e 'nested.c:5(n)' -- ./nested && taffrail view c.trace
stdout: \{ n = 40 \}$

group: structures in DWARF 2, {OPTIONS}
for: OPTIONS gcc_-gdwarf-2_-gstrict-dwarf clang_-gdwarf-2
before:
	printf 'struct s { int id; char name[4]; unsigned low : 3, high : 5; struct { long deep; } in; };\nint f(struct s *p)\n{\n\tint r = p->id;\n\treturn r;\n}\nint main(void)\n{\n\tstruct s s = { 5, "abc", 2, 17, { 9 } };\n\treturn f(&s) - 5;\n}\n' >two.c
	words="{OPTIONS}"
	${words//_/ } -Wl,--build-id -o two two.c 2>err || exit 77
case: members have their places
run: taffrail record -o two.trace -e 'two.c:5(p->name, p->low, p->high, p->in.deep, *p)' -- ./two && taffrail view two.trace
stdout: \{ name = "abc", low = 2, high = 17, deep = 9, id = 5, name_2 = "abc", low_2 = 2, high_2 = 17, unread = 0x0 \}$

group: types of namespaces and classes, {OPTIONS}
for: OPTIONS g++_-O0 clang++_-O0
before:
	cat >within.cc <<-'END'
		struct base {
			int id = 1;
			bool hot = true;
		};
		namespace n {
		struct own : base {
			int deep = 43;
		};
		struct outer {
			struct inner;
			int x = 4;
		};
		struct outer::inner {
			int z = 5;
		};
		enum kind { ONE, TWO };
		}
		namespace {
		struct hidden {
			int h = 6;
		};
		}
		__attribute__((noinline)) int read(base *b, void *p, void *q, int k)
		{
			int x = b->id;
			return x + !p + !q - k;
		}
		int main()
		{
			n::own own;
			n::outer::inner inner;
			hidden hidden;
			n::outer outer;
			n::kind kind = n::TWO;

			return read(&own, &inner, &hidden, kind) + outer.x - 4;
		}
	END
	words=({OPTIONS})
	${words//_/ } -g -Wl,--build-id -o within within.cc 2>err || exit 77
case: a cast names them
run: taffrail record -o casts -e 'within.cc:25(((n::own *)b)->deep, ((struct n::outer::inner *)p)->z, ((hidden *)q)->h, (n::kind)k) if ((n::own *)b)->deep == 43' -- ./within && taffrail view casts
stdout: \{ deep = 43, z = 5, h = 6, k = TWO, unread = 0x0 \}$
case: in a condition, true and false are numbers
run: taffrail record -o truths -e 'within.cc:25(b->id) if b->hot == true && b->hot != false' -- ./within && taffrail record -o untrue -e 'within.cc:25(b->id) if b->hot == false' -- ./within; taffrail view truths
stdout: \{ id = 1, hot = 1, unread = 0x0 \}$
stderr: : 0 events
case: none is of another one, or of none
run: for type in own m::own n::inner n::outer::own n::; do rm -rf none; taffrail record -o none -e "within.cc:25((($type *)b)->deep)" -- ./within 2>&1 | sed 's/.*, ((\(.*\)\*)b)->deep /\1 /'; done
whole stdout:
	own is cast to a type that is not known there
	m::own is cast to a type that is not known there
	n::inner is cast to a type that is not known there
	n::outer::own is cast to a type that is not known there
	n:: is cast to a type that is not known there

group: types of blocks and of the function's namespace, {OPTIONS}
for: OPTIONS g++_-O0 clang++_-O0
before:
	cat >item.cc <<-'END'
		struct item { int a, b; };
		static int file(void *p)
		{
			return ((item *)p)->b;
		}
		namespace shop {
		struct item { int c, b, d; };
		static int space(void *p)
		{
			return ((item *)p)->b;
		}
		}
		static int block(void *p)
		{
			struct item { int e, f, g, b; };
			int n = ((item *)p)->b;
			return n;
		}
		int main()
		{
			int v[] = { 1, 2, 3, 4 };
			item i = { 0, 2 };
			shop::item s = { 0, 2, 0 };

			return file(v) + shop::space(v) + block(v) - 8 + i.a + s.c;
		}
	END
	words="{OPTIONS}"
	${words//_/ } -g -Wl,--build-id -o item item.cc 2>err || exit 77
	# of other places in it, which tell the layouts apart
	value() { rm -rf seen; taffrail record -o seen -e "item.cc:$1" -- ./item 2>err; taffrail view seen | grep -o '{ [^{]*}$'; }
case: a cast takes the innermost
run: value '4(*(item *)p)'; value '10(*(item *)p)'; value '17(*(item *)p)'; value '17(*(shop::item *)p)'
whole stdout:
	{ a = 1, b = 2, unread = 0x0 }
	{ c = 1, b = 2, d = 3, unread = 0x0 }
	{ e = 1, f = 2, g = 3, b = 4, unread = 0x0 }
	{ c = 1, b = 2, d = 3, unread = 0x0 }

group: a type that a unit only declares
before:
	printf 'struct cfg; struct same;\nstruct cfg *get(void);\nstruct same *same(void);\nint main(void)\n{\n\tstruct cfg *c = get();\n\tstruct same *s = same();\n\treturn !c + !s;\n}\n' >use.c
	printf 'struct cfg { int a, b; };\nstruct same { int id; struct same *next; struct { char tag[4]; } in; };\nstatic struct cfg c = { 70, 80 };\nstruct cfg *get(void) { return &c; }\n' >get.c
	printf 'struct cfg { int b, a; };\nstruct same { int id; struct same *next; struct { char tag[4]; } in; };\nstatic struct cfg c = { 1, 2 };\nstatic struct same s = { 5, &s, { "tag" } };\nstruct same *same(void) { return c.a ? &s : 0; }\n' >other.c
case: of definitions of one size that differ none is taken, and of equal ones the one
run: for order in 'get.c other.c' 'other.c get.c'; do for version in '' dwarf-2; do gcc -g$version -Wl,--build-id -o use use.c $order && rm -rf use.trace && taffrail record -o use.trace -e 'use.c:8(s->id, s->next->id, s->in.tag)' -- ./use 2>err; taffrail view use.trace | grep -o '{ id.*'; taffrail record -o none -e 'use.c:8(c->a)' -- ./use 2>&1 | sed 's/.*: at/at/'; done; done
whole stdout:
	{ id = 5, id_2 = 5, tag = "tag", unread = 0x0 }
	at use.c:8, c->a has a type that is not declared there
	{ id = 5, id_2 = 5, tag = "tag", unread = 0x0 }
	at use.c:8, c->a has a type that is not declared there
	{ id = 5, id_2 = 5, tag = "tag", unread = 0x0 }
	at use.c:8, c->a has a type that is not declared there
	{ id = 5, id_2 = 5, tag = "tag", unread = 0x0 }
	at use.c:8, c->a has a type that is not declared there

group: functions that are written on one line, {OPTIONS}
for: OPTIONS gcc_-O0 gcc_-O2 clang_-O0
before:
	cat >one.c <<-'END'
		#define CALL __attribute__((noinline, noclone))
		#define COUNTERS(name) static volatile int name; CALL int name##_add(int n) { return name += n; } CALL int name##_drop(int k) { return name -= k; }
		CALL int a(int x) { return x + !x; } CALL int b(int x) { return x * 3 + !x; }
		COUNTERS(seen)
		int main(void)
		{
			for (int i = 0; i < 2; i++) {
				seen = a(i);
				seen = b(i + 100);
				seen_add(i + 10);
				seen_drop(i + 20);
			}
			return 0;
		}
	END
	words=({OPTIONS})
	${words//_/ } -g -Wl,--build-id -o one one.c 2>err || exit 77
	seen() { for rule in "$@"; do rm -rf trace; taffrail record -o trace -e "$rule" -- ./one >out && taffrail view trace | sed 's/.* line:/line:/; s/{ cpu_id.*}, {/{/'; done; }
case: each has a place of its own
run: seen 'one.c:3(x)'; taffrail list --lines one.c:3 ./one | sed 's/ \[.*//'
whole stdout:
	line:one.c:3: { x = 0 }
	line:one.c:3: { x = 100 }
	line:one.c:3: { x = 1 }
	line:one.c:3: { x = 101 }
	one.c:3              a(int32 x)
	one.c:3              b(int32 x)
case: a function's name has its own alone
run: seen 'a:+0(x)' 'b:+0(x)' 'seen_drop:+0(k)'
whole stdout:
	line:a:+0: { x = 0 }
	line:a:+0: { x = 1 }
	line:b:+0: { x = 100 }
	line:b:+0: { x = 101 }
	line:seen_drop:+0: { k = 20 }
	line:seen_drop:+0: { k = 21 }

group: methods that are written on one line, {OPTIONS}
for: OPTIONS g++_-O0 clang++_-O0
before:
	cat >methods.cc <<-'END'
		struct S { int x; S(int a) : x(a) {} ~S() { x = 0; } int get() { return x; } int twice() { return 2 * x; } };
		int main()
		{
			for (int i = 0; i < 4; i++) {
				S s(i);
				s.get();
				s.twice();
				auto add = [&](int n) {
					return s.x + n;
				};
				add(i);
			}
		}
	END
	words=({OPTIONS})
	${words//_/ } -g -Wl,--build-id -o methods methods.cc 2>err || exit 77
	count() { for rule in "$@"; do rm -rf trace; taffrail record -o trace -e "$rule" -- ./methods && taffrail view trace | grep -c "$rule"; done; }
case: a name has its own alone, and a function the lines of a closure in it
run: count get:+0 S::twice:+0 ~S:+0 main:+7
whole stdout:
	4
	4
	4
	4

group: what the linker has dropped
case: a variable is not read where the linker has put another one, or nothing
run: printf 'static int dropped = 5;\nint never(void)\n{\n\treturn ++dropped;\n}\nint kept = 3;\nint main(void)\n{\n\tkept--;\n\treturn kept - 2;\n}\n' >dropped.c && gcc -g -O1 -ffunction-sections -fdata-sections -Wl,--gc-sections -o dropped dropped.c && taffrail record -o kept -e 'dropped.c:9(kept)' -- ./dropped && taffrail record -o dropped.trace -e 'dropped.c:9(dropped)' -- ./dropped
status: 1
stderr: 1 event \(
stderr: rule 'dropped\.c:9\(dropped\)': at dropped\.c:9, dropped has been optimised out$

group: sources
before:
	mkdir a b && printf 'int one(int n)\n{\n\treturn n + 1;\n}\n' >a/u.c && printf 'int two(int n)\n{\n\treturn n + 2;\n}\nint one(int);\nint main(void) { return one(1) + two(2) - 6; }\n' >b/u.c && gcc -g -o two a/u.c b/u.c
case: two of one name are told, and a folder means one
run: taffrail record -o both -e 'u.c:3' -- ./two; taffrail record -o one -e 'a/u.c:3' -- ./two
stderr: ^taffrail: record: rule 'u\.c:3': lines of \S*/a/u\.c and of \S*/b/u\.c: with a folder, as in FOLDER/FILE\.c:LINE, it means one$
stderr: : 2 events
stderr: : 1 event
no stderr: 'a/u\.c
case: of one file by two spellings, nothing is told
run: printf 'static inline int add(int n)\n{\n\treturn n + 1;\n}\n' >a/add.h; for x in x y; do printf "#include \"../%s/add.h\"\nint $x(int n)\n{\n\treturn add(n);\n}\n" $([ $x = x ] && echo a || echo b/../a) >b/$x.c; done; printf 'int x(int);\nint y(int);\nint main(void) { return x(1) + y(2) - 5; }\n' >b/m.c; gcc -g -o spelled b/x.c b/../b/y.c b/m.c && taffrail record -o spelled.trace -e 'add.h:3' -- ./spelled
stderr: : 2 events
no stderr: with a folder
case: two of one name are told also where one is spelled with ..
run: gcc -g -o up a/u.c a/../b/u.c && taffrail record -o up.trace -e 'u.c:3' -- ./up
stderr: lines of \S*/a/u\.c and of [^ .]*/b/u\.c: with a folder
case: one that was changed since the program was built
run: touch -d '2 minutes ago' b/u.c; touch -d '1 minute ago' two; touch a/u.c; taffrail record -o new -e 'a/u.c:3' -e 'two:+2' -- ./two
stderr: ^taffrail: record: rule 'a/u\.c:3': \S*/a/u\.c is newer than the program, where the line may be another one$
no stderr: 'two:
case: a function's name means the static ones of all units, which are told
run: for x in a b; do printf "static int help(int v)\n{\n\tint r = v + $((16#$x));\n\treturn r;\n}\nint $x(int v) { return help(v); }\n" >$x/help.c; done; printf 'int a(int), b(int);\nint main(void) { return a(1) + b(1) - 23; }\n' >help.c; gcc -g -o help help.c a/help.c b/help.c && taffrail record -o help.trace -e 'help:+3(r)' -- ./help && taffrail view help.trace
stdout: \{ r = 11 \}$
stdout: \{ r = 12 \}$
stderr: rule 'help:\+3\(r\)': all functions of the name: \S*a/help\.c:1, \S*b/help\.c:1; as FILE\.c:LINE, it means one$


group: enable of a line in a session that no process has
before:
	printf '#include <unistd.h>\nint w(int n)\n{\n\treturn n + 1;\n}\nint main(void)\n{\n\tfor (int i = 0;; i++) {\n\t\tw(i);\n\t\tusleep(1000);\n\t}\n}\n' >run.c && gcc -g -o run run.c || exit 77
	start run ./run
	wait_for taffrail attach $pid 2>attach.err
	taffrail start real -p $pid -e 'run.c:4(n)'
case: a mistyped session is told as such
run: taffrail enable raal 'run.c:4(n)' -p $pid; taffrail enable raal 'run.c:4(n)'; taffrail disable raal 'run.c:4'; echo $?
whole stdout: 1
stderr: ^taffrail: enable: no session 'raal'; the nearest: real\ntaffrail: enable: no session 'raal'; the nearest: real\ntaffrail: disable: no session 'raal'; the nearest: real$
case: a stopped session is told, and nothing of the rule
run: taffrail stop real; taffrail enable real 'w:+2(n)'; echo $?
whole stdout: 1
stderr: enable: process \d+: the session is stopped, and records nothing
no stderr: no marker

group: methods that are const
before:
	cat >method.cc <<-'END'
		#include <cstdio>
		struct cart {
			long n;
			long total(int k) const;
			long total(long k);
		};
		long cart::total(int k) const
		{
			return n * k;
		}
		long cart::total(long k)
		{
			return n += k;
		}
		int main(int argc, char **)
		{
			cart c = { 5 };
			return (int)(c.total(argc + 1) + c.total(7l)) == 3;
		}
	END
	g++ -O0 -g -Wl,--build-id -o method method.cc 2>err || exit 77
case: are named by the parameters alone
run: for name in "'cart::total(int)'" "'total(int) const'" "'cart::total(long)'"; do rm -rf total; taffrail record -o total -e "$name:+2(k)" -- ./method 2>&1 | grep -o 'rule.*'; taffrail view total | grep -o '{ k.*'; done
whole stdout:
	{ k = 2 }
	{ k = 2 }
	{ k = 7 }

group: static functions of one name in split files
before:
	for n in 1 2 3; do
		printf 'static __attribute__((noinline)) int climb(int n)\n{\n\t__asm__ volatile("");\n\treturn n + %s;\n}\nint from%s(int n)\n{\n\treturn climb(n);\n}\n' $n $n >part$n.c
		gcc -O0 -g -gsplit-dwarf -c part$n.c 2>err || exit 77
	done
	printf 'int from1(int), from2(int), from3(int);\nint main(void)\n{\n\treturn from1(10) + from2(20) + from3(30) == 1;\n}\n' >main.c
	gcc -O0 -g -gsplit-dwarf -Wl,--build-id -o parts main.c part[123].o 2>err || exit 77
case: all are taken
run: taffrail record -o step -e 'climb:+2(n)' -- ./parts 2>err; taffrail view step | grep -o '{ n.*'; grep -o 'all functions of the name.*part[123]' err
stdout: ^\{ n = 10 \}$
stdout: ^\{ n = 20 \}$
stdout: ^\{ n = 30 \}$
stdout: part1.c:1, .*part2.c:1, .*part3

group: a source that has the name of one of libc's
need: taffrail list --lines getenv.c "$(gcc -print-file-name=libc.so.6)" | grep -q 'c:36 '
before:
	{ printf '\n%.0s' {1..29}; cat <<-'END'; } >getenv.c
		#include <stdlib.h>
		int main(void)
		{
			int n = 0;
			for (int i = 0; i < 3; i++)
				n += getenv("HOME") != NULL;
			for (int i = 0; i < 5; i++)
				n -= i;
			return n > 0;
		}
	END
	gcc -O0 -g -Wl,--build-id -o own getenv.c
case: is the program's
run: taffrail record -o own.d -e 'getenv.c:36' -- ./own
stderr: ^taffrail: record: 6 events
no stderr: lines of
case: is libc's with the folder
run: taffrail record -o libc.d -e 'stdlib/getenv.c:36' -- ./own
stderr: ^taffrail: record: [1-9][0-9]* events

group: sources in the folder above, {CC}
for: CC gcc gcc_-gdwarf-4 clang
before:
	mkdir -p shop/build
	cat >shop/above.c <<-'END'
		int main(int argc, char **argv)
		{
			int n = argc + 1;
			return n - 2;
		}
	END
	words=({CC})
	(cd shop/build && ${words//_/ } -g -Wl,--build-id -o ../../above ../above.c) 2>err || exit 77
case: are known by the end of the path, as it is and without dots
run: for file in shop/above.c "$(pwd -P)/shop/above.c" ../above.c above.c; do rm -rf trace; taffrail record -o trace -e "$file:4(n)" -- ./above; done
stderr: (^taffrail: record: 1 event .*\n){4}
case: are not those of another folder
run: taffrail record -e build/above.c:4 -- ./above
status: 1
stderr: no source with code is called build/above\.c

group: overloaded functions and instances of templates, {OPTIONS}
for: OPTIONS g++_-O0 g++_-O0_-gdwarf-4 clang++_-O0
before:
	cat >over.cc <<-'END'
		#include <cstdio>
		#include <string>
		namespace shop {
		struct Cart {
			int n;
			int add(int k)
			{
				n += k;
				return n;
			}
			int add(const std::string &s, long k = 2)
			{
				n += (int)s.size();
				return n + (int)k;
			}
		};
		template <class T> T twice(T value)
		{
			T result = value * 2;
			return result;
		}
		template <class T> struct Box {
			T t;
			T get(int by)
			{
				T r = t + by;
				return r;
			}
		};
		static int quiet(int n)
		{
			return n + 1;
		}
		static int first(const char *s, const int *)
		{
			return *s;
		}
		static int quiet(long n)
		{
			return n + 2;
		}
		}
		int main()
		{
			shop::Cart c{1};
			c.add(2);
			c.add("abc");
			shop::Box<int> a{1};
			shop::Box<double> b{1.5};
			std::printf("%d %g %d %g %d %d\n", shop::twice(2), shop::twice(1.5), a.get(1), b.get(2), shop::quiet(1), shop::quiet(1l) + shop::first("q", nullptr));
		}
	END
	words=({OPTIONS})
	${words//_/ } -g -Wl,--build-id -o over over.cc 2>err || exit 77
	seen() { for rule in "$@"; do rm -rf trace; taffrail record -o trace -e "$rule" -- ./over >out && taffrail view trace | sed 's/.* line:/line:/; s/{ cpu_id.*}, {/{/' | sort; done; }
case: all of a name, which are told; one by the parameters
run: seen 'add:+2(k)' 'quiet:+2(n)' "'add(int)':+2(k)" "'shop::Cart::add( int )':+2(k) if k == 2" '"quiet(long)":+2(n)'
whole stdout:
	line:add:+2: { k = 2 }
	line:add:+2: { k = 2 }
	line:quiet:+2: { n = 1 }
	line:quiet:+2: { n = 1 }
	line:'add(int)':+2: { k = 2 }
	line:'shop::Cart::add( int )':+2: { k = 2 }
	line:"quiet(long)":+2: { n = 1 }
stderr: rule 'add:\+2\(k\)': all functions of the name: '.*shop::Cart::add\(int\)'.*; with parameters, as in 'NAME\(int\)':\+LINES, it means one$
case: all instances, or one
run: seen 'twice:+3(value)' 'twice<int>:+3(value)' 'shop::twice<double>:+3(value)' 'shop::Box::get:+3(by)' 'Box<double>::get:+3(by)'
whole stdout:
	line:twice:+3: { value = 1.5 }
	line:twice:+3: { value = 2 }
	line:twice<int>:+3: { value = 2 }
	line:shop::twice<double>:+3: { value = 1.5 }
	line:shop::Box::get:+3: { by = 1 }
	line:shop::Box::get:+3: { by = 2 }
	line:Box<double>::get:+3: { by = 2 }
no stderr: all functions of the name
case: const may stand before the type, and behind it
run: seen "'first(const char *, const int *)':+2(s)" "'first(char const*, int const*)':+2(s)"
stdout: line:'first\(const char \*, const int \*\)':\+2: \{ s = "q" \}$
stdout: line:'first\(char const\*, int const\*\)':\+2: \{ s = "q" \}$
case: none has such parameters
run: taffrail record -e "'add(char)':+2" -- ./over; taffrail record -e 'twice<char>:+2' -- ./over
status: 1
stderr: rule ''add\(char\)':\+2': there is no function 'add\(char\)'
stderr: rule 'twice<char>:\+2': there is no function twice<char>

group: parameters as the source has them, and inline namespaces, {OPTIONS}
for: OPTIONS g++_-O0 g++_-O0_-gdwarf-4 g++_-O2 clang++_-O0
before:
	cat >spelled.cc <<-'END'
		#include <cstdio>
		#include <string>
		typedef unsigned long word;
		namespace lib {
		inline namespace v2 {
		struct Box {
			int v;
			__attribute__((noinline)) int get(word by, const int *) const
			{
				return v + (int)by;
			}
		};
		__attribute__((noinline)) int put(const Box &b, int n)
		{
			return b.v + n;
		}
		}
		}
		__attribute__((noinline)) int over(word w)
		{
			return (int)w;
		}
		__attribute__((noinline)) int over(const std::string &s, int n)
		{
			return (int)s.size() + n;
		}
		int main()
		{
			lib::Box b = { 3 };
			std::printf("%d %d\n", lib::put(b, 1) + over(5ul), over(std::string("ab"), 4) + b.get(7ul, nullptr));
		}
	END
	words=({OPTIONS})
	${words//_/ } -g -Wl,--build-id -o spelled spelled.cc 2>err || exit 77
	seen() { for rule in "$@"; do rm -rf trace; taffrail record -o trace -e "$rule" -- ./spelled >out && taffrail view trace | sed 's/.* line:/line:/; s/{ cpu_id.*}, {/{/' | sort; done; }
case: names of typedefs, and types that they stand for
run: seen "'over(word)':+2(w)" "'over(unsigned long)':+2(w)" "'over(const std::string &, int)':+2(n)" "'over(std::string const&, int)':+2(n)"
whole stdout:
	line:'over(word)':+2: { w = 5 }
	line:'over(unsigned long)':+2: { w = 5 }
	line:'over(const std::string &, int)':+2: { n = 4 }
	line:'over(std::string const&, int)':+2: { n = 4 }
case: an inline namespace need not be spelled, of a function and of its types
run: seen 'lib::put:+2(n)' 'lib::v2::put:+2(n)' "'lib::put(lib::Box const&, int)':+2(n)" "'lib::Box::get(word, const int *)':+2(by)"
whole stdout:
	line:lib::put:+2: { n = 1 }
	line:lib::v2::put:+2: { n = 1 }
	line:'lib::put(lib::Box const&, int)':+2: { n = 1 }
	line:'lib::Box::get(word, const int *)':+2: { by = 7 }
case: others are not meant
run: for rule in "'over(int)':+2" "'over()':+2" "'over(word, int)':+2" "'put(lib::Box const&)':+2" 'v3::put:+2' "'main(int)':+1"; do taffrail record -e "$rule" -- ./spelled; done 2>&1 | grep -c 'there is no function'
whole stdout: 6
case: none at all
run: taffrail record -o none -e "'main()':+3" -- ./spelled && taffrail view none | grep -c main
stdout: ^1$

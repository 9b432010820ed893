# SPDX-License-Identifier: LGPL-2.1-or-later
# Names of variables at lines, of which functions and classes they are.

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

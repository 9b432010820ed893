# SPDX-License-Identifier: LGPL-2.1-or-later
# Values at lines that are computed: as C does, and as the program prints them.

group: bit-fields, rows and comparisons, {OPTIONS}
for: OPTIONS gcc_-O0 gcc_-O2 gcc_-O1_-gdwarf-4 clang_-O0
before:
	words=({OPTIONS})
	${words//_/ } -g -w -Wl,--build-id -o computed "$SOURCE/computed.c" 2>err || exit 77
	# Compares texts of a rule with the program's lines that begin with a letter.
	same() {
		rm -rf trace && taffrail record -o trace -e "computed.c:35 $2" -- ./computed >out || return
		taffrail export --format json trace | sed 's/.*"message":"//; s/"}$//' | diff - <(sed -n "s/^$1 //p" out) && grep -c "^$1" out
	}
case: bit-fields compute as int where that has all their numbers
run: same B '"%d %d %d %d %ld", b->low - 8, -b->high, b->sign - 40, b->low - 5 < 0, b->wide - 1'
whole stdout: 5
case: arrays of several dimensions
run: same M '"%d %d %d %d %s %s", grid[1][0][2], grid[i & 1][1][i & 3], local[1][2], *grid[2][1], words[1], words[i & 1] + 1'
whole stdout: 5
case: comparisons are 0 or 1
run: same C '"%d %d %d %d %d %d %d %d %d %d", i < 2, u > 4000000000, d >= 1.5, d != d, p == q, !i, !none, i <= 1, i >= 1, (i == 1) + 2'
whole stdout: 5
case: differences of pointers, members of addresses
run: same P '"%ld %ld %d %d", q - p, p - nodes, (&p->n)[0], (&nodes[i & 3])->n'
whole stdout: 5

group: what is computed
before: gcc -O0 -g -w -Wl,--build-id -o computed "$SOURCE/computed.c" 2>err || exit 77
case: a whole array, a row, and rows of rows
run: taffrail record -o rows -e 'computed.c:35(local, local[1], words[0], grid[1], &p->n) if i == 1' -- ./computed >out && taffrail view rows
stdout: local = \[1, 2, 3, -1, -2, -3\], local_2 = \[-1, -2, -3\], words = "first", grid = \[-100, .* 600\], n = 0x
case: the words NULL, true and false, and numbers with a suffix
run: taffrail record -o words -e 'computed.c:35 "%d %d %d %d %u %ld %lu", p == NULL, none == NULL, (i < 2) == true, !i == false, -1u, 1l << 40, -1ul / 2' -- ./computed >out && taffrail export --format json words | sed 's/.*"message":"//; s/"}$//' | head -3
whole stdout:
	0 1 1 0 4294967295 1099511627776 9223372036854775807
	0 1 1 1 4294967295 1099511627776 9223372036854775807
	0 1 0 1 4294967295 1099511627776 9223372036854775807
case: a bit-field is compared with its own range
run:
	for condition in 'b->low == 8' 'b->low < 8' 'b->sign < -16' 'b->sign == 16' 'b->high > 1048575' 'b->high > 1048574'; do
		rm -rf if && taffrail record -o if -e "computed.c:35(i) if $condition" -- ./computed 2>&1 >out | grep -o 'no value of this type meets it\|[0-9]* events'
	done
whole stdout:
	no value of this type meets it
	5 events
	no value of this type meets it
	no value of this type meets it
	no value of this type meets it
	0 events
cases:
	1 taffrail record -e 'computed.c:35(words[0] == "first")' -- ./computed
		words\[0\]=="first" has a text: only conditions compare texts$
	1 taffrail record -e 'computed.c:35(i +)' -- ./computed
		is no expression that is known here$
	1 taffrail record -e 'computed.c:35(i + 18446744073709551616)' -- ./computed
		i\+18446744073709551616 has a number beyond 64 bits$
	1 taffrail record -e 'computed.c:35(i + 08)' -- ./computed
		i\+08 has an octal number with an 8 or 9$
	2 taffrail record -e 'computed.c:35 "p=%d i=%p", i, p if p' -- ./computed
		a name in its condition is a value of the text, and the word before another one: write another word there$
	1 taffrail record -e 'computed.c:35(words)' -- ./computed
		words is an array: name an element$

group: pointers to rows
before:
	cat >rows.c <<-'END'
		struct table { int m[3][40]; char names[3][16]; struct { int a[5]; } it[4]; };
		static int G[2][3];
		static int look(struct table *g, int (*row)[40])
		{
			int loc[2][2][2] = { 0 };
			return loc[1][1][1] + G[1][1] + g->m[1][1] + row[0][0];
		}
		int main(void)
		{
			static struct table t;
			return look(&t, &t.m[2]);
		}
	END
	gcc -O0 -g -Wl,--build-id -o rows rows.c || exit 77
case: differences count rows, as in C
run: taffrail record -o trace -e 'rows.c:6 "%ld %ld %ld %ld %ld %ld %ld %ld %ld", &G[1] - &G[0], &g->m[2]-g->m, &g->names[2]-&g->names[0], (G+1)-G, &g->it[3]-&g->it[0], loc[1]-loc[0], row - g->m, &G[1][2] - G[0], &g->m[0] - row' -- ./rows && taffrail export --format json trace | sed 's/.*"message":"//; s/"}$//'
whole stdout: 1 2 2 1 3 2 2 5 -2
case: of two types there is none
run: taffrail record -e 'rows.c:6(&G[1] - G[0])' -- ./rows
status: 1
stderr: has no elements of one known size$

group: values that could not be read, in a trace
before:
	cat >unread.c <<-'END'
		#include <stdio.h>
		struct item { int n; struct item *next; };
		static volatile int calls;
		int main(void)
		{
			struct item second = { 0, 0 }, first = { 4, &second };
			for (int i = 0; i < 3; i++) {
				struct item *p = i == 0 ? &first : i == 1 ? &second : 0;
				calls++;
				printf("%d\n", i);
			}
			return 0;
		}
	END
	gcc -O0 -g -Wl,--build-id -o unread unread.c && taffrail record -o trace -e 'unread.c:10(p->n, i, p->next->n)' -- ./unread >out
	chosen() { taffrail view --where "line:unread.c:10 if $1" trace | sed 's/.* i = \([0-9]\).*/\1/' | tr '\n' ' '; echo; }
case: are neither equal to 0 nor unequal
run: for w in 'n == 0' 'n != 0' '!(n == 0)' 'n < 1' 'n == 0 || i == 2' 'unread == 0' 'n_2 == 0' 'n_2 != 0 || n == 0' 'vpid > 0 && n == 0' 'unread == 0 && n == 4'; do chosen "$w"; done
whole stdout:
	1 
	0 
	0 
	1 
	1 2 
	0 
	0 
	1 
	1 
	0 

group: an array of characters behind a pointer that is NULL
before: printf 'struct first { char name[8]; int v; };\nstruct later { int v; char name[8]; };\nint look(struct first *a, struct later *b, char *p)\n{\n\treturn a && b && p;\n}\nint main(void)\n{\n\treturn look(0, 0, 0);\n}\n' >null.c && gcc -O0 -g -Wl,--build-id -o null null.c || exit 77
case: could not be read, wherever the member is
run: taffrail record -o trace -e 'null.c:5(a->name, b->name, p)' -- ./null && taffrail view trace; for c in 'a->name != "x"' 'b->name != "x"' 'p == "(null)"'; do taffrail record -o if -e "null.c:5(a->name, b->name, p) if $c" -- ./null 2>&1 | grep -o 'record: [0-9]* event'; rm -rf if; done
stdout: name = "\(unreadable\)", name_2 = "\(unreadable\)", p = "\(null\)", unread = 0x3 \}\nrecord: 0 event\nrecord: 0 event\nrecord: 1 event$

group: strings of libc++, {OPTIONS}
for: OPTIONS -O0 -O1 -O2
before:
	cat >text.cc <<-'END'
		#include <cstdio>
		#include <string>
		struct holder {
			int n;
			std::string name;
		};
		__attribute__((noinline)) int look(const std::string &s, holder *h)
		{
			__asm__ volatile("" ::: "memory");
			std::printf("%s %s\n", s.c_str(), h->name.c_str());
			return h->n;
		}
		int main()
		{
			std::string text;
			int sum = 0;
			for (int i = 0; i < 40; i++) {
				holder h = { i, text + text };
				sum += look(text, &h);
				text += (char)('a' + i % 26);
			}
			return sum == 3;
		}
	END
	clang++ {OPTIONS} -stdlib=libc++ -fstandalone-debug -g -Wl,--build-id -o text text.cc 2>err || exit 77
case: short and long ones
run: taffrail record -o trace -e 'text.cc:10 "%s %s", s, h->name' -- ./text >out && taffrail export --format json trace | sed 's/.*"message":"//; s/"}$//' | diff - out && wc -l <out
whole stdout: 40

group: what decides, and names of values, {OPTIONS}
for: OPTIONS gcc_-O0 gcc_-O2 clang_-O0
before:
	cat >decides.c <<-'END'
		#include <stdio.h>
		enum kind { NONE, FIRST = 3, LAST = 200 };
		struct item { const char *name; int n; struct item *next; double d; };
		#ifdef SAY
		#define L(...) printf(__VA_ARGS__);
		#else
		#define L(...)
		#endif
		volatile int sum;
		struct item two = { "two", 2, 0, 2.5 }, one = { "one", 1, &two, 1.5 };
		__attribute__((noinline)) int look(struct item *p, int n, enum kind k, double r, unsigned u)
		{
			L("%d %d %d %d %d %.17g %d %d %s %u %d %d %d %ld\n", n, p && p->n > 1, p || n, p ? p->n : -1, k == FIRST, k == LAST ? 1.5 : n, (p && p->next ? p->next->n : 7) + 1, !p || (p->next && n == 3), p ? p->name : "(null)", n ? u : n, n ? 1 : u > 2 ? 5 : LAST, r && n, 1 | (n && 2 || 0), (p ? p : p + 1) - p)
			sum += n + k + (int)r + u + (p ? p->n : 0); return sum;
		}
		int main(void)
		{
			for (int n = -1; n < 4; n++)
				look(n & 1 ? &one : n ? &two : 0, n, n < 2 ? FIRST : LAST, n * 0.5, (unsigned)n);
			return 0;
		}
	END
	words=({OPTIONS})
	${words//_/ } -g -Wl,--build-id -o decides decides.c && gcc -w -DSAY -o says decides.c && ./says >said || exit 77
case: as in C
run: taffrail record -o trace -e 'decides.c:14 "%d %d %d %d %d %.17g %d %d %s %u %d %d %d %ld", n, p && p->n > 1, p || n, p ? p->n : -1, k == FIRST, k == LAST ? 1.5 : n, (p && p->next ? p->next->n : 7) + 1, !p || (p->next && n == 3), p ? p->name : 0, n ? u : n, n ? 1 : u > 2 ? 5 : LAST, r && n, 1 | (n && 2 || 0), (p ? p : p + 1) - p' -- ./decides >out && taffrail export --format json trace | sed 's/.*"message":"//; s/"}$//' | diff - said && wc -l <said
whole stdout: 5
case: what is not decided and cannot be read
run: taffrail record -o unread -e 'decides.c:14(n, p->next && p->next->n, p ? NONE + p->n : 9)' -- ./decides >out && taffrail view unread | sed 's/.*{ //'
stdout: ^n = 0, n_2 = 0, n_3 = 9, unread = 0x2 }$
stdout: ^n = 1, n_2 = 1, n_3 = 1, unread = 0x0 }$
stdout: ^n = 2, n_2 = 0, n_3 = 2, unread = 0x0 }$
cases:
	1 taffrail record -e 'decides.c:14(NONE)' -- ./decides
		NONE is no variable there
	1 taffrail record -e 'decides.c:14(k == NOSUCH)' -- ./decides
		k==NOSUCH is no variable there
	1 taffrail record -e 'decides.c:14(n ? p)' -- ./decides
		n\?p is no expression that is known here
	1 taffrail record -e 'decides.c:14(n ? *p : *p)' -- ./decides
		is a structure: name a member

group: what is cut
before:
	cat >long.c <<-'END'
		#include <stdio.h>
		#include <string.h>
		static char text[5000], most[2048];
		static int many[600], few[4] = { 1, 2, 3, 4 };
		int main(void)
		{
			memset(text, 'x', 4999);
			memset(most, 'y', 2047);
			many[0] = 7;
			printf("%s %s %d\n", text, most, few[0]);
			return 0;
		}
	END
	gcc -O0 -g -Wl,--build-id -o long long.c || exit 77
	last() { rm -rf long.d; taffrail record -o long.d -e "long.c:10$1" -- ./long >out && taffrail view long.d | sed 's/.* { //' | grep -o '.\{30\}$'; }
case: a text ends in dots, one that has room does not
run: last '(text)'; last ' "%s", text'; last '(most)'
stdout: xxxx\.\.\." }$
stdout: xxxx\.\.\."?,? ?}?
stdout: yyyy" }$
case: an array has its bit
run: last '(many)'; last '(few)'
stdout: 0\], unread = 0x1 }
stdout: \[1, 2, 3, 4\], unread = 0x0 }

group: a condition on a text that is cut
before:
	cat >whole.c <<-'END'
		#include <stdlib.h>
		#include <string.h>
		__attribute__((noinline)) int look(const char *t, const char *u, int n)
		{
			volatile int z = n;
			return z;
		}
		static char *made(int n, char c, const char *end)
		{
			char *text = malloc(n + 4);
			memset(text, c, n);
			strcpy(text + n, end);
			return text;
		}
		int main(void)
		{
			static char fixed[201];
			memset(fixed, 'y', 200);
			look(made(200, 'y', ""), made(3000, 'u', ""), 1);
			look(made(199, 'y', "z"), "", 2);
			look(fixed, fixed, 3);
			look(made(1500, 'x', "END"), made(1500, 'x', "EN"), 4);
			look(made(5000, 'x', "END"), made(199, 'y', ""), 5);
			return 0;
		}
	END
	gcc -O0 -g -Wl,--build-id -o whole whole.c || exit 77
	y=$(printf 'y%.0s' $(seq 200))
	chosen() { rm -rf d; taffrail record -o d -e "whole.c:5(n, $1) if $2" -- ./whole 2>err; taffrail view d | sed 's/.* n = \([0-9]\).*/\1/' | tr '\n' ' '; echo; }
	all=t,t,t,t,t,t,t,t,t,t,u,u
case: compares the program's text
run: for w in "t == \"$y\"" "t != \"$y\"" "u == \"${y#y}\"" 't ~ "*z"' 't ~ "y*"' '!(t ~ "y*")' 't ~ "x*"'; do chosen $all "$w"; done
whole stdout:
	1 3 
	2 4 5 
	5 
	2 
	1 2 3 
	4 5 
	4 5 
case: up to 2048 bytes, and what is longer is told
run: for w in 't ~ "*END"' 'u ~ "*END"' 't !~ "*END"' 't ~ "*END" || n > 0' 'n > 0 || t ~ "*END"'; do chosen $all "$w"; sed -n 's,.*record: \([0-9]* hit.*\),\1,p' err; done
whole stdout:
	4 
	1 hit was left out: a value of the condition could not be read, or it divided by 0
	
	1 hit was left out: a value of the condition could not be read, or it divided by 0
	1 2 3 
	1 hit was left out: a value of the condition could not be read, or it divided by 0
	1 2 3 4 
	1 hit was left out: a value of the condition could not be read, or it divided by 0
	1 2 3 4 5 
case: two texts select alike in any order
run: for w in 't ~ "*END" && u ~ "*N"' 'u ~ "*N" && t ~ "*END"'; do for v in t,u u,t; do chosen $v "$w"; done; done
whole stdout:
	4 
	4 
	4 
	4 

group: elements of an array that was cut
before:
	cat >rows.c <<-'END'
		static int v[900];
		__attribute__((noinline)) int look(int n, int *p, int len)
		{
			volatile int z = n;
			return z;
		}
		int main(void)
		{
			for (int n = 0; n < 3; n++) {
				v[0] = n;
				look(n, n < 2 ? v : 0, 900);
			}
			return 0;
		}
	END
	gcc -O0 -g -Wl,--build-id -o rows rows.c && taffrail record -o trace -e 'rows.c:5(n, p[0]@len)' -- ./rows >out
	chosen() { taffrail view --where "line:* if $1" trace | sed 's/.* n = \([0-9]\).*/\1/' | tr '\n' ' '; echo; }
case: are known where they are there, and unknown behind that
run: for w in 'p[0] == 0' 'p[0] != 0' '!(p[0] == 0)' 'p[0] < 5' 'p[700] == 0' 'p[700] != 0' '!(p[700] == 0)' 'p[700] == 0 || n > 0' 'p[0] + p[1] == 1' 'p[0] + p[700] < 5' '(p[0] == 1 || n == 0) && p[1] == 0' '(p[700] == 0) == 0'; do chosen "$w"; done
whole stdout:
	0 
	1 
	1 
	0 1 
	
	
	
	1 2 
	1 
	
	0 1 
	

group: a text that is compared and cannot be read
before:
	cat >key.c <<-'END'
		__attribute__((noinline)) int f(int n, char *key)
		{
			volatile int z = n;
			return z;
		}
		int main(void)
		{
			for (int n = 0; n < 4; n++)
				f(n, n == 3 ? (char *)8 : "key");
			return 0;
		}
	END
	gcc -O0 -g -Wl,--build-id -o key key.c
case: is unknown, also if the rule follows no pointer
run:
	for rule in '(n) if key != "x"' '(n) if !(key == "x")' ' "%d %s", n, key if key != "x"'; do
		rm -rf trace && taffrail record -o trace -e "key.c:4$rule" -- ./key 2>&1 | grep -o '[0-9] events\|[0-9] hit was left out'
	done
whole stdout:
	3 events
	1 hit was left out
	3 events
	1 hit was left out
	3 events
	1 hit was left out

group: virtual base classes, {OPTIONS}
for: OPTIONS g++_-O0 g++_-O1_-gdwarf-4 clang++_-O0
before:
	cat >virtual.cc <<-'END'
		#include <cstdio>
		struct base {
			int b = 1;
			const char *name = "tea";
			virtual ~base() {}
		};
		struct left : virtual base {
			int l = 2;
			int own();
		};
		struct right : virtual base {
			int r = 3;
		};
		struct both : left, right {
			int d = 4;
		};
		int left::own()
		{
			std::printf("%d\n", b);
			return b + l;
		}
		__attribute__((noinline)) int show(both *o, left *part)
		{
			std::printf("%d\n", o->b + part->b);
			return o->d;
		}
		int main()
		{
			both d;
			left alone;
			alone.b = 5;
			show(&d, &alone);
			return d.own() + alone.own() - 10;
		}
	END
	words=({OPTIONS})
	${words//_/ } -g -Wl,--build-id -o virtual virtual.cc 2>err || exit 77
case: members are those of the object, and each base is there one time
run: taffrail record -o trace -e 'virtual.cc:23(*o, part->b, part->name, o->b + part->b)' -e 'virtual.cc:18 "own %d %d", b, this->l' -- ./virtual >out && taffrail view --short trace | cut -d' ' -f3-
whole stdout:
	line:virtual.cc:23 l = 2, b_3 = 1, name_2 = "tea", r = 3, d = 4, b = 5, name = "tea", b_2 = 6, unread = 0x0
	line:virtual.cc:18 own = 1, arg2 = 2, unread = 0x0
	line:virtual.cc:18 own = 5, arg2 = 2, unread = 0x0
case: a condition reads them
run: taffrail record -o if -e 'virtual.cc:18(l) if b == 5' -- ./virtual >out && taffrail view --short if | cut -d' ' -f3-
whole stdout: line:virtual.cc:18 l = 2, b = 5, unread = 0x0

group: texts at the end of the memory
before:
	cat >edge.c <<-'END'
		#include <string.h>
		#include <sys/mman.h>
		static int show(const char *p, const char *q)
		{
			int n = p != q;
			return n;
		}
		int main(void)
		{
			char *page = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			mprotect(page + 32768, 32768, PROT_NONE);
			memcpy(page + 32762, "abcde", 6);
			page[32767] = 'f';
			return show(page + 32762, "whole") - 1;
		}
	END
	gcc -g -Wl,--build-id -o edge edge.c 2>err || exit 77
case: end in dots
run:
	taffrail record -o trace -e 'edge.c:6(p, q)' -e 'edge.c:5 "%s", p' -- ./edge >out && taffrail view --short trace | cut -d' ' -f3-
whole stdout:
	line:edge.c:5 arg1 = "abcdef..."
	line:edge.c:6 p = "abcdef...", q = "whole"

group: lines whose code goes to another line and comes back
before:
	cat >back.cc <<-'END'
		int main(int argc, char **argv)
		{
			int t = argc, u = 2, sum = 0;
			auto f = [&t, u](int z) {
				int w = t + u + z;
				return w;
			};
			for (int i = 0; i < 3; i++)
				sum += f(i);
			return sum != 12;
		}
	END
	g++ -g -O0 -Wl,--build-id -o back back.cc 2>err || exit 77
case: have one event a run, and loops one a round
run: taffrail record -o trace -e 'back.cc:5(z)' -e 'back.cc:8(sum)' -e 'back.cc:9(sum)' -- ./back >out && taffrail view --short trace | grep -o 'line:.*' | sort | uniq -c
whole stdout:
	      1 line:back.cc:5 z = 0
	      1 line:back.cc:5 z = 1
	      1 line:back.cc:5 z = 2
	      1 line:back.cc:8 sum = 0
	      1 line:back.cc:8 sum = 12
	      1 line:back.cc:8 sum = 3
	      1 line:back.cc:8 sum = 7
	      1 line:back.cc:9 sum = 0
	      1 line:back.cc:9 sum = 3
	      1 line:back.cc:9 sum = 7

group: spans, {CC}
for: CC g++ clang++
before:
	cat >spans.cc <<-'END'
		#include <span>
		int f(std::span<int, 3> three, std::span<int> all)
		{
			int r = three[1] + all[1];
			return r;
		}
		int main()
		{
			int a[] = { 7, -8, 9, 10 };
			return f(std::span<int, 3>(a, 3), a) + 16;
		}
	END
	{CC} -std=c++20 -g -Wl,--build-id -o spans spans.cc 2>err || exit 77
case: have their elements, also of a number that is in the type
run: taffrail record -o trace -e 'spans.cc:5(three, all, three[1])' -- ./spans >out && taffrail view --short trace
stdout: three = \[7, -8, 9\], all = \[7, -8, 9, 10\], three_2 = -8

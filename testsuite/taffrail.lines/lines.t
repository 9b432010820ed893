# SPDX-License-Identifier: LGPL-2.1-or-later
# Rules for source lines of a program that was not prepared, as they are typed.

compile: plain shop.c -O0 -g
compile: fast shop.c -O2 -g
compile: stripped shop.c -O0 -g0
compile: spaces spaces.cc -O0 -g
compile: linked shop.c -O2 -g agent
compile: filter filter.c -O0 -g

group: what is recorded, {BUILD}
for: BUILD plain fast
case: each kind of value
run: taffrail record -o trace -e 'shop.c:36(n, left, item->name, item->price, item->flag, item->level, item->kind, item->code, item->label->text, item->sizes[1], total)' -- "$CASES/{BUILD}" 3 >out && taffrail view trace && taffrail verify trace
stdout: line:shop\.c:36: .* \{ n = 0, left = 100, name = "pear", price = 1\.5, flag = 5, level = -3, kind = FRUIT, code = "abcdef", text = "fresh", sizes = 2, total = 0, unread = 0x0 \}$
stdout: \{ n = 4, left = 1, name = "saw", price = 20\.25, flag = 1, level = 15, kind = TOOL, code = "xy", text = "\(unreadable\)", sizes = 5, total = 9, unread = 0x100 \}$
stderr: 6 events
case: they are those that the program prints
run: taffrail record -o own -e 'shop.c:36 "%d %d %s %g", n, left, item->name, item->price' -- "$CASES/{BUILD}" 20 >out && taffrail export --format json own | sed 's/.*"message":"//; s/"}$//' >told && grep -v twice out | diff - told && wc -l <told
whole stdout: 40
case: a number that cannot be read is none, in a text and as a field
run: taffrail record -o text -e 'shop.c:36 "%d of %s, %c %5d %s", n, item->name, item->label->text[0], item->label->text[1], item->label->text if n > 1' -- "$CASES/{BUILD}" 3 >out && taffrail export --format json text | sed 's/.*"message":"//; s/"}$//' && taffrail view text
stdout: ^2 of pear, f   114 fresh$
stdout: ^4 of saw, \(unreadable\) \(unreadable\) \(unreadable\)$
stdout: \{ arg1 = 2, .* unread = 0x0 \}$
stdout: \{ arg1 = 4, .* unread = 0x1C \}$
case: the parameters, where a rule says no value
run: taffrail record -o bare -e 'shop.c:43' -- "$CASES/{BUILD}" 1 >out && taffrail view bare
stdout: line:shop\.c:43: .* (seventh = 1000|a = 1)
case: a line by its function
run: taffrail record -o plus -e 'sell:+4(item->stock, n)' -- "$CASES/{BUILD}" 1 >out && taffrail view plus
stdout: line:sell:\+4: .* \{ stock = 100, n = 0, unread = 0x0 \}$
case: conditions
run: taffrail record -o if -e 'shop.c:36(n) if item->stock < 4 && n > 2' -e 'shop.c:57(i) if i == 2' -- "$CASES/{BUILD}" 5 >out && taffrail view if
stdout: line:shop\.c:36: .* \{ n = 4, stock = 1, unread = 0x0 \}$
stdout: line:shop\.c:57: .* \{ i = 2 \}$
no stdout: n = 2,
case: conditions on pointers
run: taffrail record -o null -e 'shop.c:36(n) if item->label != NULL && n > 3' -e 'shop.c:34(n) if item == NULL' -- "$CASES/{BUILD}" 3 >out; taffrail view null
stdout: line:shop\.c:36: .* \{ n = 4, label = 0x10, 
no stdout: c:34:
case: a condition on a value that cannot be read selects nothing, and is counted
run:
	for condition in 'item->label->text[0] != 102' '!(item->label->text[0] == 102)' '!(item->label->text[0] == 102 && n > 3)' 'item->label->text[0] != 102 || n == 4' '(item->label->text[0] == 102) + n == 4' 'item->label->text[0] == 102 && n > 7'; do
		rm -rf unknown; taffrail record -o unknown -e "shop.c:36(n) if $condition" -- "$CASES/{BUILD}" 3 2>&1 >out | sed -n 's/.*record: \(.* hits* w.*left out\).*/\1/p' && taffrail view --short unknown | sed 's/.*36 //'
	done
whole stdout:
	3 hits were left out
	3 hits were left out
	1 hit was left out
	n = 0, text = 102, unread = 0x0
	n = 0, text = 0, unread = 0x2
	n = 1, text = 102, unread = 0x0
	n = 2, text = 0, unread = 0x2
	n = 2, text = 102, unread = 0x0
	2 hits were left out
	n = 4, text = 0, unread = 0x2
	3 hits were left out
case: so does one on a string that cannot be read
run: taffrail record -o words -e 'shop.c:36(n) if item->label->text != "x" && n > 0' -- "$CASES/{BUILD}" 2 >out && taffrail view --short words
stdout: n = 1, text = "fresh", unread = 0x0
no stdout: unreadable
stderr: record: 1 hit was left out
case: conditions by a value of a text, and by a name of an enumeration
run: taffrail record -o named -e 'shop.c:36 "sold %d of %s", n, item->name if n > 1 && item->name == "saw"' -e 'shop.c:37(item->kind) if item->kind == TOOL && left < 0' -e 'shop.c:35(left) if item->kind == TOOL' -- "$CASES/plain" 4 >out && taffrail view named
stdout: line:shop\.c:36: .* \{ sold = 6, of = "saw", unread = 0x0 \}$
stdout: line:shop\.c:35: .* \{ left = 7, kind = TOOL, unread = 0x0 \}$
no stdout: pear

group: arrays with a length from another variable, {OPTIONS}
for: OPTIONS gcc_-O0 gcc_-O0_-gdwarf-4 clang_-O0
before:
	words=({OPTIONS})
	${words//_/ } -g -Wl,--build-id -o arrays "$SOURCE/arrays.c" 2>err || exit 77
case: they are those that the program prints
run:
	taffrail record -o seen -e 'arrays.c:28(*v@n, p->sizes[0]@p->count, p->body[0]@p->bytes) if n >= 0' -- ./arrays >out &&
		taffrail view seen | sed 's/.*{ v = //; s/, n = .*//; s/, sizes =//; s/, body =//; s/[]"[,]//g; s/  */ /g; s/^ //; s/ $//' >told &&
		grep -v ^-1 out | sed 's/^[^:]*: //; s/ own:[^;]*;//; s/ $//' | diff - told && wc -l <told
whole stdout: 5
case: numbers of elements, of a whole array, and what cannot be read
run: taffrail record -o some -e 'arrays.c:28(p->rates, p->rates[1]@2, p->name[0]@2, *p->sizes@3, p->body[0]@p->bytes) if p->most == 0' -- ./arrays >out && taffrail view some
stdout: \{ rates = \[0\.5, 1, 1\.5, 2\], rates_2 = \[1, 1\.5\], name = "na", sizes = \[1, -2, 3\], body = "", bytes = 0, most = 0, unread = 0x0 \}$
stdout: \{ rates = \[1, 2, 3, 4\], rates_2 = \[2, 3\], name = "ba", sizes = \[\], body = "\(unreadable\)", bytes = 4, most = 0, unread = 0x18 \}$
case: of an array whose type has the length
run:
	taffrail record -o own -e 'arrays.c:28(own[0]@few) if n >= 0' -- ./arrays >out &&
		taffrail view own | sed 's/.*{ own = //; s/, few.*//; s/[][,]//g; s/ $//' >told &&
		sed -n '/^-1/d; s/.*own: *\([^;]*\);.*/\1/p' out | diff - told && wc -l <told
whole stdout: 5
case: characters in a text
run: taffrail record -o text -e 'arrays.c:28 "%d [%s] %d", n, p->body[0]@p->bytes, p->most if n < 2' -- ./arrays >out && taffrail export --format json text | sed 's/.*"message":"//; s/"}$//'
whole stdout:
	1 [no end of] 3
	0 [no end of it] 4
	-1 [(unreadable)] 0

group: the first line of a function, whose place other lines have, too, {OPTIONS}
for: OPTIONS gcc_-O1 gcc_-O2 gcc_-O2_-gdwarf-4 gcc_-O3_-fcf-protection clang_-O2
before:
	words=({OPTIONS})
	${words//_/ } -g -Wl,--build-id -o first "$SOURCE/first.c" 2>err || exit 77
case: parameters are those that the program prints
run: taffrail record -o keep -e 'first.c:13 "keep %d %g %s", n, scale, text' -- ./first >out && taffrail export --format json keep | sed 's/.*"message":"//; s/"}$//' >told && grep keep out | diff - told && wc -l <told
whole stdout: 4
case: one that another line of the place changes has no value
run: taffrail list --lines first.c ./first | grep 'replace(' | grep -n 'int32 n' | grep 'c:3[01]' || echo none
whole stdout: none

group: structures in registers, and variables of threads, {OPTIONS}
for: OPTIONS gcc_-O0 gcc_-O1 gcc_-O1_-gdwarf-4 clang_-O0 gcc_-O0_-no-pie
before:
	words=({OPTIONS})
	${words//_/ } -g -Wl,--build-id -o pieces "$SOURCE/pieces.c" 2>err || exit 77
case: they are those that the program prints
run: taffrail record -o seen -e 'pieces.c:34 "%s %ld %d %u %d %d %d %s %g %d %ld", span.start, span.n, small.low, small.bits, small.high, outer.small.low, outer.small.high, outer.next->start, scale, calls, shared' -- ./pieces >out && taffrail export --format json seen | sed 's/.*"message":"//; s/"}$//' | diff - out && wc -l <out
whole stdout: 5
case: each member is a field
run: taffrail record -o whole -e 'pieces.c:34(small, *outer.next)' -- ./pieces >out && taffrail view whole
stdout: \{ low = -4, bits = 24, high = -280000, start = "far", n = 1, unread = 0x0 \}$

group: strings and sequences that do not fit together
before:
	cat >share.c <<-'END'
		#include <string.h>
		struct set {
			const char *name, *text;
			char code[8];
			int n;
			short numbers[900];
		};
		static char large[3000];
		__attribute__((noinline)) int use(struct set *s)
		{
			return s->n + !s->text;
		}
		int main(void)
		{
			struct set s = { "short", large, "code", 6, { 1, 2 } };
			memset(large, 'x', sizeof(large) - 1);
			use(&s);
			s.text = "tiny";
			s.n = 900;
			return use(&s) < 0;
		}
	END
	gcc -O0 -g -Wl,--build-id -o share share.c || exit 77
	lengths() { taffrail export --format json $1 | python3 -c 'import json, sys; [print(*[k + "=" + str(v if k in ("n", "unread") else len(v)) for k, v in json.loads(l)["fields"].items() if k not in ("cpu_id", "vtid")]) for l in sys.stdin]'; }
case: those that need less leave it to others
run: taffrail record -o known -e 'share.c:11(s->text, s->code, s->numbers[0]@s->n)' -- ./share && lengths known
whole stdout:
	text=2015 code=4 numbers=6 n=6 unread=0
	text=4 code=4 numbers=900 n=900 unread=0
case: what is cut is told
run: taffrail record -o cut -e 'share.c:11(s->numbers, s->text, s->name)' -- ./share && lengths cut
whole stdout:
	numbers=340 text=683 name=5 unread=1
	numbers=340 text=4 name=5 unread=1

group: casts, {OPTIONS}
for: OPTIONS gcc_-O0 gcc_-O2 clang_-O0
before:
	words=({OPTIONS})
	${words//_/ } -g -Wl,--build-id -o casts "$SOURCE/casts.c" 2>err || exit 77
case: a pointer without a type, and a number, as text
run: taffrail record -o text -e 'casts.c:29((char *)o->data, (text)o->word, (char *)raw, ((char *)raw)[1]) if o->type == 1' -- ./casts >out && taffrail view text
stdout: \{ data = "a text", word = "words", raw = "raw", raw_2 = 97, type = 1, unread = 0x0 \}$
case: as a structure
run: taffrail record -o item -e 'casts.c:29(((struct item *)o->data)->name, (( item_type * ) o->data)->next->n, *(struct item *)raw, *(int *)o->word@few, (o->type)) if o->type == 0' -- ./casts >out && taffrail view item
stdout: \{ name = "first", n = 8, n_2 = 8, name_2 = "second", next = 0x0, word = \[5, 6, 7\], type = 0, 
case: in a text
run: taffrail record -o said -e 'casts.c:29 "%s of %d", (char *)o->word, o->type' -- ./casts >out && taffrail export --format json said | sed -n 's/.*"message":"//; s/"}$//p' | head -n 1
whole stdout: words of 1

group: arithmetic and casts of numbers, {OPTIONS}
for: OPTIONS gcc_-O0 gcc_-O2 gcc_-O1_-gdwarf-4 clang_-O0
before:
	words=({OPTIONS})
	${words//_/ } -g -Wl,--build-id -o arithmetic "$SOURCE/arithmetic.c" 2>err || exit 77
	said() { taffrail export --format json $1 | sed 's/.*"message":"//; s/"}$//'; }
case: integers are those that the program computes
run: taffrail record -o int -e 'arithmetic.c:43 "%u %d %d %ld %ld %lu %d %d %d %d %u %d %d %lld %d", a + b, (char)a, (unsigned char)a * 2, l * a, (long)b << 3, ~l, a / 7 - a % 7, -a, i * (2 + 3) - 1, a & 0xff, b >> 1, a >> 1, p->bits + 1, 0xffffffff + l, (bool)a' -- ./arithmetic >out && said int | diff - <(grep ^I out | sed 's/^I //') && said int | wc -l
whole stdout: 3
case: floating-point numbers are
run: taffrail record -o real -e 'arithmetic.c:43 "%g %g %g %g %d %ld %g %g %g", d + a, f * 2, f + 0.1, p->rate * p->price, (int)f, (long)p->price, (double)b / 3, -p->rate, (float)p->price' -- ./arithmetic >out && said real | diff - <(grep ^R out | sed 's/^R //') && said real | wc -l
whole stdout: 3
case: elements and pointers are
run: taffrail record -o part -e 'arithmetic.c:43 "%d %d %d %c %d %d %s", p->sizes[i + 1], p->sizes[p->len & 1], *(p->sizes + i), p->name[i], (p - 1 + 1)->len, *p->sizes, p->name + i' -- ./arithmetic >out && said part | diff - <(grep ^P out | sed 's/^P //') && said part | wc -l
whole stdout: 3
case: names of fields and of enumerations, and a divisor of 0
run: taffrail record -o named -e 'arithmetic.c:43((enum kind)i, p->len - 1, a % zero, 2 * (a + 1), a + b)' -- ./arithmetic >out && taffrail view named
stdout: \{ i = SECOND, len = 6, zero = 0, arg4 = -8, b = 4294967287, unread = 0x4 \}$
stdout: \{ i = FIRST, len = -10, zero = 0, arg4 = -294967294, b = 2000000003, unread = 0x0 \}$
case: conditions
run:
	for condition in '(char)a == 0 && *p->name == 115' '((struct item *)p)->len < 0 && p->sizes[i + 1] == 7' '(a + 1) * 2 > 0 && (int)p->price == 2 && i == 1' '(unsigned char)a == 0 && !(a & 1 || a < 0) && &p->len != 0 && (a) * 2 > 0'; do
		rm -rf if && taffrail record -o if -e "arithmetic.c:43(i) if $condition" -- ./arithmetic >out && taffrail view if | sed 's/.*{/{/; s/,.*//'
	done
whole stdout:
	{ i = 1
	{ i = 1
	{ i = 1
	{ i = 1

group: expressions that are none
before:
	cc -O0 -g -Wl,--build-id -o arithmetic "$SOURCE/arithmetic.c" 2>err || exit 77
cases:
	1 taffrail record -e 'arithmetic.c:43(a + p)' -- ./arithmetic
		^rule .*: at arithmetic\.c:43, a\+p has an operator that its type has not$
	1 taffrail record -e 'arithmetic.c:43(d % 2)' -- ./arithmetic
		d%2 has an operator that its type has not$
	1 taffrail record -e 'arithmetic.c:43(a + none)' -- ./arithmetic
		a\+none is no variable there; nearest: 
	1 taffrail record -e 'arithmetic.c:43(*p + 1)' -- ./arithmetic
		\*p\+1 is a structure: name a member$
	1 taffrail record -e 'arithmetic.c:43(p->name[d])' -- ./arithmetic
		p->name\[d\] has an index that is no integer$
	1 taffrail record -e 'arithmetic.c:43((int)p->none)' -- ./arithmetic
		\(int\)p->none has no such member; nearest: 

group: casts that are none
before:
	cc -O0 -g -Wl,--build-id -o casts "$SOURCE/casts.c" 2>err || exit 77
cases:
	1 taffrail record -e 'casts.c:29((char *)few)' -- ./casts
		^rule .*: at casts\.c:29, \(char\*\)few is no address$
	1 taffrail record -e 'casts.c:29((nothing *)raw)' -- ./casts
		^rule .*: at casts\.c:29, \(nothing\*\)raw is cast to a type that is not known there$
	1 taffrail record -e 'casts.c:29((struct text *)raw)' -- ./casts
		^rule .*: at casts\.c:29, \(struct text\*\)raw is cast to a type that is not known there$
	1 taffrail record -e 'casts.c:29((char *))' -- ./casts
		^rule .*: at casts\.c:29, \(char\*\) is no expression that is known here: 
	1 taffrail record -e 'casts.c:29((char **)raw)' -- ./casts
		^rule .*: at casts\.c:29, \(char\*\*\)raw is no expression that is known here: 
	2 taffrail record -e 'casts.c:29(((o)->type)' -- ./casts
		^rule .*: it has no '\)'$

group: where compilers write a wrong place
before:
	cc -Wl,--build-id -o places "$SOURCE/wrong-places.S" 2>err || exit 77
	cc -Wl,--build-id -DPRODUCER='"GNU C17"' -o gnu "$SOURCE/wrong-places.S" 2>err || exit 77
case: a truth value that is not in memory is the lowest bit
run: taffrail record -o truth -e 'places.c:7(even, odd, lowest, stored)' -- ./places && taffrail view truth
stdout: \{ even = 0, odd = 1, lowest = 0, stored = 2 \}$
case: an address of the stack is no number
run: taffrail record -o slip -e 'places.c:7(slip)' -- ./places; taffrail record -o slip -e 'places.c:7(framed)' -- ./places
status: 1
stderr: at places\.c:7, slip is said to be an address of the stack$
stderr: at places\.c:7, framed is said to be an address of the stack$
case: it is one of a pointer, and what is loaded from there is a number
run: taffrail list --lines places.c ./places && taffrail record -o loaded -e 'places.c:7(loaded)' -- ./places && taffrail view loaded
stdout: ^places\.c:7 .*, int32 loaded, pointer leads, int32 alone, int32 apart\) without slip, framed, late, early$
stdout: \{ loaded = 42 \}$
case: of two constants beside each other, clang's are not certain
run: taffrail record -o late -e 'places.c:7(late)' -- ./places; taffrail record -o early -e 'places.c:7(early)' -- ./places
status: 1
stderr: at places\.c:7, late may be of another round of a loop$
stderr: at places\.c:7, early may be of another round of a loop$
case: other constants are
run: taffrail record -o sure -e 'places.c:7(alone, apart)' -- ./places && taffrail view sure && taffrail record -o gnu.trace -e 'places.c:7(late, early)' -- ./gnu && taffrail view gnu.trace
stdout: \{ alone = 3, apart = 5 \}$
stdout: \{ late = 1, early = 2 \}$

group: under a seccomp filter
before:
	# transactions of the processor read without a system call
	! grep -qw rtm /proc/cpuinfo || exit 77
case: memory that the kernel does not read for the program cannot be read
run: taffrail record -o trace -e 'filter.c:24 "%d %d %s", n, item->price, item->name' -- "$CASES/filter" 3 && taffrail export --format json trace | sed 's/.*"message":"//; s/"}$//'
whole stdout:
	1 7 pear
	3 (unreadable) (unreadable)

group: where a function begins
case: arguments are where the caller has put them
run: taffrail record -o entry -e 'shop.c:42(a, f, real)' -e 'shop.c:31(n)' -- "$CASES/plain" 2 >out && taffrail view entry
stdout: line:shop\.c:42: .* \{ a = 1, f = 6, real = 0\.5 \}$
stdout: line:shop\.c:31: .* \{ n = 2 \}$

group: C++
case: functions of templates and namespaces, and lambdas
run: taffrail record -o spaces -e 'spaces.cc:9(value, result)' -e 'spaces.cc:16(cents, all)' -e 'spaces.cc:18(pears)' -- "$CASES/spaces" && taffrail view spaces
stdout: line:spaces\.cc:9: .* \{ value = 3, result = 6 \}$
stdout: line:spaces\.cc:9: .* \{ value = 1\.5, result = 3 \}$
stdout: line:spaces\.cc:16: .* \{ cents = 30, all = 90 \}$
stdout: line:spaces\.cc:18: .* \{ pears = 3 \}$

group: structures
case: each member is a field
run: taffrail record -o whole -e 'shop.c:36(*item, n)' -e 'shop.c:57(label)' -- "$CASES/plain" 1 >out && taffrail view whole
stdout: line:shop\.c:36: .* \{ name = "pear", price = 1\.5, stock = 100, flag = 5, level = -3, kind = FRUIT, code = "abcdef", label = 0x[0-9A-F]+, sizes = \[1, 2, 3\], n = 0, unread = 0x0 \}$
stdout: line:shop\.c:57: .* \{ text = "fresh" \}$

group: structures with more members than an event has fields, {OPTIONS}
for: OPTIONS gcc_-O0 clang_-O0
before:
	cat >wide.c <<-'END'
		#include <stdlib.h>
		enum kind { FRUIT, TOOL = 5 };
		struct wide {
			int a, b, c, d, e;
			union {
				int f, g;
			};
			struct {
				int h, i;
			};
			int n;
			enum kind k1, k2;
			int inner[2][2];
			char o[3];
			double p;
			enum kind k3, k4;
			int last;
		};
		__attribute__((noinline)) int add(struct wide *w, int n, enum kind more)
		{
			return w->a + n + more;
		}
		int main(int argc, char **argv)
		{
			struct wide w = { .a = 1, .f = 6, .h = 8, .n = 10, .k1 = TOOL, .o = "o",
					  .p = 0.5, .k3 = TOOL, .k4 = TOOL, .last = 12 };
			return add(&w, argc + 4, FRUIT) < 0 || add(&w, 3, TOOL) < 0 || !argv;
		}
	END
	words=({OPTIONS})
	${words//_/ } -g -Wl,--build-id -o wide wide.c 2>err || exit 77
case: those that an event lacks are named, and the event tells it
run: taffrail record -o trace -e 'wide.c:21(*w, n, more)' -- ./wide && taffrail view trace
stdout: \{ a = 1, b = 0, c = 0, d = 0, e = 0, f = 6, g = 6, h = 8, i = 0, n_2 = 10, k1 = TOOL, k2 = FRUIT, inner = \[0, 0, 0, 0\], n = 5, more = FRUIT, unread = 0x8000 \}$
stdout: \{ .*, n = 3, more = TOOL, unread = 0x8000 \}$
stderr: ^taffrail: record: rule '.*': at wide\.c:21, an event has no room for w->o, w->p, w->k3, w->k4, w->last: name those that you want$
case: a condition on a value behind it
run: taffrail record -o some -e 'wide.c:21(*w) if n > 3 && more == FRUIT' -- ./wide && taffrail view some
stdout: k2 = FRUIT, n = 5, more = FRUIT, unread = 0x8000 \}$
no stdout: n = 3

group: classes, {OPTIONS}
for: OPTIONS g++_-O0_-gdwarf-4 g++_-O0 clang++_-O0_-gdwarf-4_-fstandalone-debug clang++_-O0_-fstandalone-debug
before:
	words=({OPTIONS})
	${words//_/ } -g -o classes "$SOURCE/classes.cc" "$SOURCE/classes-other.cc" 2>err || exit 77
case: members of this, strings, vectors, pointers' classes, and what other units define
run:
	taffrail record -o own -e 'classes.cc:38 "%ld %s %lu %d %d %d %s %d %d %d %s %d", n, owner, sizes, sizes[1], p.x, q->y, name, shared->x, elsewhere, far->deep, far->word, total' -- ./classes >out &&
		taffrail export --format json own | sed 's/.*"message":"//; s/"}$//' | diff - out && wc -l <out
whole stdout: 3
case: a member of this that is mistyped
run: taffrail record -e 'classes.cc:38(ownr)' -- ./classes
status: 1
stderr: : at classes\.cc:38, ownr is no variable there; nearest: owner
case: functions by their names
run: taffrail record -o plus -e 'shop::inner::cart::add:+6(k, at.w) if owner == "pat"' -e 'one:+2(k)' -- ./classes >out && taffrail view plus
stdout: line:shop::inner::cart::add:\+6: .* \{ k = 2, w = 0\.5, owner = "pat", unread = 0x0 \}$
stdout: line:one:\+2: .* \{ k = 7 \}$

group: names of enumerators, {CC}
for: CC gcc gcc_-gdwarf-4 clang
need: words=({CC}); ${words//_/ } --version
before:
	words=({CC})
	${words//_/ } -g -O0 -Wl,--build-id -o enumerators "$SOURCE/enumerators.c"
case: are those of the values
run: taffrail record -o names -e 'enumerators.c:13' -- ./enumerators >out; taffrail view names | sed 's/.*{ s/{ s/'
whole stdout:
	{ s = OK, e = CODE, f = TOP }
	{ s = BIG, e = LOW, f = BIT }
	{ s = SIX, e = LOST, f = TOP }
	{ s = FEW, e = NONE, f = BIT }
case: conditions know them
run: taffrail record -o some -e 'enumerators.c:13 if s == OK && e == CODE && f == TOP || e == LOW' -- ./enumerators >out; taffrail view some | wc -l
stdout: ^2$

group: the C++ library, {OPTIONS}
for: OPTIONS g++_-O0 g++_-O2 g++_-O0_-gdwarf-4 clang++_-O0_-fstandalone-debug clang++_-O0_-fstandalone-debug_-stdlib=libc++
need: words=({OPTIONS}); echo '#include <optional>' | ${words//_/ } -std=c++17 -x c++ -E - >/dev/null
before:
	words=({OPTIONS})
	${words//_/ } -std=c++17 -g -Wl,--build-id -o library "$SOURCE/library.cc" 2>err || exit 77
case: values are those that the program prints
run:
	line=$(sed -n '/printf("%d %d %zu/=' "$SOURCE/library.cc")
	for rule in '"%d %d %d %d %s %d [%s]", h->own->x, h->many[i].x, h->shared->x, h->number, h->maybe->name, h->three[i], h->view' '"%d %d %lu %lu %lu %lu %lu %d", h->three[1], (*h->own).x, h->map, h->hash, h->set, h->list, h->sizes, h->sizes[i]'; do
		rm -rf told && taffrail record --int3 -o told -e "library.cc:$line $rule" -- ./library >out && taffrail export --format json told | sed 's/.*"message":"//; s/"}$//'
	done >said && awk 'NR % 2' out >want && awk 'NR % 2 == 0' out >>want && diff want said && wc -l <said
whole stdout: 4
case: fields
run: taffrail record --int3 -o seen -e "library.cc:$(sed -n '/printf("%d %d %zu/=' "$SOURCE/library.cc")(h->three, h->own, *h->own, h->number, *h->maybe, h->view)" -- ./library >out && taffrail view seen
stdout: \{ three = \[4, 5, 6\], own = 0x[0-9A-F]+, x = 5, name = "five", number = 7, x_2 = 3, name_2 = "three", view = "view", unread = 0x0 \}$
stdout: \{ .* number = 0, x_2 = 0, name_2 = "\(unreadable\)", view = "view", unread = 0x70 \}$
case: an optional that is empty, alone, is one that cannot be read
run: printf '#include <optional>\n__attribute__((noinline)) int f(std::optional<int> c)\n{\n\treturn c ? *c : -1;\n}\nint main()\n{\n\tstd::optional<int> five = 5;\n\treturn f({}) + f(five) != 4;\n}\n' >alone.cc && words=({OPTIONS}) && ${words//_/ } -std=c++17 -g -O0 -Wl,--build-id -o alone alone.cc && taffrail record --int3 -o one -e 'alone.cc:4(c)' -- ./alone && taffrail view one
stdout: \{ c = 0, unread = 0x1 \}$
stdout: \{ c = 5, unread = 0x0 \}$

group: several rules at once, {OPTIONS}
for: OPTIONS gcc_-gdwarf-2 gcc_-gdwarf-4_-gz gcc_-gdwarf-5 clang_-gdwarf-4 clang_-gdwarf-5_-gz
before:
	words=({OPTIONS})
	make() { ${words//_/ } -c -O0 -g "$@" 2>err; }
	make -o shop.o -Dmain=shop_main "$SOURCE/shop.c" &&
		make -o one.o "$SOURCE/classes.cc" &&
		make -o two.o "$SOURCE/classes-other.cc" &&
		g++ -o units shop.o one.o two.o || exit 77
case: of several units, each has its own values
run: taffrail record -o trace -e 'classes.cc:38(k)' -e 'shop.c:36' -e 'classes-other.cc:16(elsewhere)' -e 'one:+2(k)' -e 'taffrail.lines/classes.cc:39(k)' -- ./units >out && taffrail view trace | sed 's/.* line:/line:/' | sort | uniq -c
stdout: ^ +1 line:classes\.cc:38: .* \{ k = 0 \}$
stdout: ^ +1 line:classes\.cc:38: .* \{ k = 2 \}$
stdout: ^ +3 line:classes-other\.cc:16: .* \{ elsewhere = 55 \}$
stdout: ^ +1 line:one:\+2: .* \{ k = 7 \}$
stdout: ^ +1 line:taffrail\.lines/classes\.cc:39: .* \{ k = 1 \}$
no stdout: shop
case: the one that cannot be had is named
run: taffrail record -o bad -e 'classes.cc:38(k)' -e 'shop.c:36(none)' -e 'one:+2(k)' -- ./units
status: 1
stderr: rule 'shop\.c:36\(none\)': at shop\.c:36, none is no variable there; nearest: n, 

group: lists
case: of a program
run: taffrail list --lines shop.c "$CASES/plain"
stdout: ^shop\.c:34 +sell\(pointer item, int32 n, int32 left\)$
stdout: ^shop\.c:57 +main\(int32 i, int32 argc, pointer argv, struct label, struct pear, struct saw, int32 n\)
case: of optimised code, with what it lacks
run: taffrail list --lines shop.c "$CASES/fast"
stdout: ^shop\.c:37 +sell\(.*\) without .*
case: of one line
run: taffrail list --lines shop.c:34 "$CASES/plain"; taffrail list --json --lines ./shop.c:34 "$CASES/plain" | grep -c '"rule"'
whole stdout:
	shop.c:34            sell(pointer item, int32 n, int32 left)
	1
case: as JSON
run: taffrail list --json --lines shop.c "$CASES/plain" | python3 -c 'import json, sys; print([r["fields"] for r in json.load(sys.stdin) if r["rule"] == "shop.c:34"])'
whole stdout: [['pointer item', 'int32 n', 'int32 left']]

case: of a large file
run: awk 'BEGIN { for (; i < 5000; i++) printf "int f%d(int a)\n{\n\tint c = a + 1;\n\tif (c > 9) {\n\t\tint d = c * a;\n\t\tc += d;\n\t}\n\treturn c;\n}\n", i; print "int main(void) { return f7(0) - 1; }" }' >large.c && gcc -O0 -g -o large large.c && taffrail list --lines large.c large | awk '{ n += /f4999\(int32 d, int32 a, int32 c\)/ } END { print NR, n }'
whole stdout: 35001 1
case: each as if it were alone: bytes that look like branches into the lines are told from branches, however many there are
run: awk 'BEGIN { line = "\tif (a & 4)\n\t\tc = 0x37100;\n\tc ^= 5;\n"; for (; i < 2000; i++) printf "int f%d(int a)\n{\n\tint c = a + 1;\n%s%s%s%s\treturn c;\n}\n", i, line, line, line, line; print "int main(void) { return f7(0) - 1; }" }' >narrow.c && gcc -O0 -g -o narrow narrow.c && taffrail list --lines narrow.c narrow | awk '/\[/ { other++ } END { print NR, other + 0 }'
whole stdout: 32001 0

group: running
before:
	snapshot_has() { rm -rf $1.trace; taffrail snapshot $1 -o $1.trace 2>/dev/null; taffrail view $1.trace | grep -q "$2"; }
	start shop "$CASES/fast" 1 on
	wait_for taffrail attach $pid 2>attach.err
case: a list of a process
run: taffrail list --lines shop.c -p $pid
stdout: ^shop\.c:36 +sell\(
case: a list of one that handles SIGSEGV, and of its file
file handles.c:
	#include <signal.h>
	#include <stdio.h>
	static void handle(int n) { (void)n; }
	__attribute__((noinline, noclone)) void add(long *to, long n)
	{
		asm volatile("nop; nop; nop; nop; nop");
		*to += n;
		asm volatile("nop; nop; nop; nop; nop");
	}
	int main(int argc, char **argv)
	{
		long n = argc;
		if (argv[1])
			signal(SIGSEGV, handle);
		puts("ready");
		fflush(stdout);
		add(&n, getchar());
		return n < 0;
	}
run:
	gcc -O1 -g -o handles handles.c && taffrail list --lines handles.c ./handles | grep '^handles.c:7 '
	for with in no on; do
		start $with ./handles $(echo $with | grep on)
		wait_for grep -q ready $with.out
		taffrail list --lines handles.c -p $pid | grep '^handles.c:7 '
		kill $pid
	done
stdout: ^handles.c:7 +add\([^\]]*\)\nhandles.c:7 +add\([^\]]*\)\nhandles.c:7 .* \[not: an instruction there may fault, and the program handles SIGSEGV or SIGBUS\]$
case: not of the agent's files
run: taffrail list --lines object.c -p $pid
status: 1
no stdout: .
case: sessions record each its own
run: taffrail start one -p $pid -e 'shop.c:36(n)' && taffrail start two -p $pid -e 'shop.c:36(left, item->name) if n == 1000' && taffrail enable two -p $pid 'shop.c:59(i)' && wait_for snapshot_has one 'n = 1000 ' && wait_for snapshot_has two 'left = .*n = 1000' && wait_for snapshot_has two 'i = ' && taffrail view one.trace && taffrail view two.trace
stdout: line:shop\.c:36: .* \{ n = 1000 \}$
stdout: line:shop\.c:36: .* \{ left = -?\d+, name = "pear", n = 1000, unread = 0x0 \}$
stdout: line:shop\.c:59: .* \{ i = \d+ \}$
no stdout: left = -?\d+, name = "\w+", n = (?!1000,)
case: hits for which a condition cannot be decided are in the status
run: taffrail enable two -p $pid 'shop.c:36(left) if item->label->text[0] != 102' && status_has() { taffrail status | grep 'hits left out'; } && wait_for status_has && taffrail status --json | grep -o 'undecided":[1-9]'
stdout: ^ +\d+ hits left out: a value of the condition could not be read, or it divided by 0$
stdout: undecided":[1-9]
case: a rule is replaced by one with other values
run: taffrail enable two -p $pid 'shop.c:36(item->price)' && wait_for snapshot_has two 'price = '
case: the list of markers
run: taffrail list -p $pid
stdout: ^line/shop\.c:36 +0x[0-9a-f]+ +line +on +\(int32 n\) \[jump\]$
case: rules by a recorder
run: taffrail record -o rec -p $pid -e 'shop.c:59(i)' --for 0.3 && taffrail view rec
stdout: line:shop\.c:59: .* \{ i = \d+ \}$
case: a process without the line is told, two that have it are not
run: shop=$pid; start none sleep 600 && none=$pid && start fast "$CASES/fast" 1 on && taffrail start few -p $shop -p $none -p $pid -e 'shop.c:36(n)' 2>few.err; echo $?; kill $none $pid; taffrail destroy few && grep -o 'process.* has none.*' few.err | sed "s/$none/PID/"
whole stdout:
	1
	process PID has none of the lines that the rules name

group: a line with some 2000 places
case: a request of more than 64 KiB reaches the process
run: awk 'BEGIN { print "#include <unistd.h>\nvolatile int sink;\nstatic inline __attribute__((always_inline)) void many(int v)\n{\n\tsink = v;\n}"; for (; i < 2000; i++) printf "void f%d(int v) { many(v * %d); }\n", i, i + 3; print "int main(void) { f7(1); pause(); }" }' >many.c && gcc -O1 -g -o many many.c && start many ./many && taffrail start many -p $pid -e 'many.c:5 "hit"' 2>many.err && taffrail list -p $pid | grep -c '^line.many.c:5 .* on '; cat many.err; taffrail destroy many; kill $pid
stdout: ^2001$
no stdout: connection broke

group: in all processes
before:
	all_has() { rm -rf all.trace; taffrail snapshot all -o all.trace 2>/dev/null; taffrail view all.trace | grep -q "$1"; }
case: a program that begins later
run: taffrail start all --all --overwrite -e 'shop.c:36(n, item->name) if n == 1000' --program "$CASES/linked" && start later "$CASES/linked" 1 on && wait_for all_has 'line:shop.c:36: .* n = 1000, name = "pear"'
case: a further rule for it
run: taffrail enable all 'shop.c:59(i)' && wait_for all_has 'line:shop.c:59: .* i = '
case: processes that run have the file
run: taffrail destroy all && taffrail start all --all --overwrite -e 'shop.c:59(i)' && wait_for all_has 'line:shop.c:59: .* i = '

group: rules as traces and lists show them
case: a line by the name of its event, and behind a blank
run: taffrail record -o named -e 'line:shop.c:36 (n) if n > 1' -e 'line:sell:+4 (left)' -- "$CASES/plain" 2 >out && taffrail view named
stdout: line:shop\.c:36: .* \{ n = 2 \}$
stdout: line:sell:\+4: .* \{ left = 100 \}$

group: the last line of a function, {COMPILER}
for: COMPILER g++_-O0 g++_-O2 clang++_-O2
before:
	cat >ends.cc <<-'END'
		#include <stdio.h>
		static inline int after(int n);
		__attribute__((noinline)) int first(int n)
		{
			auto add = [n](int more) {
				printf("%d\n", more);
				return n + more;
			};

			return add(after(n));
		}

		static inline int after(int n)
		{
			puts("after");
			return n + 1;
		}
		__attribute__((noinline)) int one(int n) { return n + 1; }
		int main(void) { return first(2) - one(4); }
	END
	words=({COMPILER})
	${words//_/ } -g -Wl,--build-id -o ends ends.cc 2>err || exit 77
case: code of a lambda is the function's, that of a function behind it is not
run: taffrail record -o lambda -e 'first:+3 "in"' -- ./ends; for plus in 6 9 13 50; do taffrail record -e "first:+$plus" -- ./ends; done
status: 1
stderr: 1 event \(
stderr: 'first:\+6': there is no code at that line; the next one with code is \+7, the one before \+[45]$
stderr: 'first:\+9': the last line of first with code is \+[78]$
stderr: 'first:\+13': the last line of first with code is \+[78]$
stderr: 'first:\+50': the last line of first with code is \+[78]$
case: a function of one line has that one
run: taffrail record -e 'one:+1' -- ./ends
status: 1
stderr: 'one:\+1': the last line of one with code is \+0$

group: conditions that no event can meet, before the program runs
cases:
	1 taffrail record -e 'shop.c:36(n) if nn > 2' -- "$CASES/plain"
		^rule .*: condition 'nn > 2', column 1: no field "nn"; there are n; nn is no variable there; nearest: n, item or left$
	2 taffrail record -e 'shop.c:36(n) if n + == 2' -- "$CASES/plain"
		^rule .*: column 21: a value is missing here$
	2 taffrail record -e 'shop.c:36 "%d", n if item->price == 1 && n ==' -- "$CASES/plain"
		^rule .*: with a text, its condition can only name values of the text$
	2 taffrail record -e 'shop.c:36(n, left) if item->price == 1 && n == == 2' -- "$CASES/plain"
		^rule .*: column 48: a value is missing here$
	1 taffrail record -e 'shop.c:36 "%d", n if m > 2' -- "$CASES/plain"
		: condition 'm > 2', column 1: no field "m"; there are arg1$
	1 taffrail record -e 'shop.c:36(n) if item->name > 2' -- "$CASES/plain"
		: condition 'item->name > 2', column 12: strings have no order: use ==, != or ~$
	1 taffrail record -e 'shop.c:36((unsigned char)n, left) if left > 1 && (unsigned char)n > 255' -- "$CASES/plain"
		: condition 'left > 1 && \(unsigned char\)n > 255', column 12: no value of this type meets it$
	1 taffrail record -e 'shop.c:36(item->flag) if flag > 3' -- "$CASES/plain"
		: in its condition, flag is no variable there; nearest: 
	1 taffrail record -e 'shop.c:36(item->flag) if item->flag < 0' -- "$CASES/plain"
		: condition 'item->flag < 0', column 1: no value of this type meets it$
	1 taffrail env -e 'shop.c:36(n) if n == 3000000000' "$CASES/plain"
		condition 'n == 3000000000', column 1: no value of this type meets it$
	0 taffrail env -e 'shop.c:36(n) if n == 3000000000 || item->level >= -128 || item->price < 0' "$CASES/plain"
	0 taffrail env -e 'shop.c:36(n) if n <= 2147483647 && item->flag >= 0 && item->flag < 256 && item->level > -2' "$CASES/plain"
	1 taffrail env -e 'shop.c:36(n) if item->kind == TOOOL' "$CASES/plain"
		no field "TOOOL"; .*; kind has FRUIT, TOOL; 

group: the names of lines that list prints
case: are those of rules, too
run: taffrail record -o slash -e 'line/shop.c:36(n)' -- "$CASES/plain" 1 >out; taffrail view --short --where 'line/shop.c:36' slash
stdout: line:shop\.c:36 n = 

group: parameters without a value
case: they are named
run: taffrail record -o bare -e 'shop.c:37' -- "$CASES/fast" 1 >out; taffrail record -o whole -e 'shop.c:36' -- "$CASES/plain" 1 >out
stderr: ^taffrail: record: rule 'shop\.c:37': at shop\.c:37, parameters have no value or no type of a field: item, n$
no stderr: 'shop\.c:36'

group: what cannot be had
cases:
	2 taffrail record -e 'shop.c:36-40(n)' -- "$CASES/plain"
		lines are counted from 1 to 999999999, and a rule names one$
	2 taffrail record -e 'sell:+2x' -- "$CASES/plain"
		a rule names one$
	2 taffrail record -e 'sell:+9999999999' -- "$CASES/plain"
		a rule names one$
	2 taffrail record -e 'shop.c:36("%d", n)' -- "$CASES/plain"
		a text and the values behind it stand without \( \), as in FILE\.c:LINE "%d", A$
	1 taffrail record -e 'shop.c:36(sell(n))' -- "$CASES/plain"
		sell\(n\) is no expression that is known here: a rule calls no functions$
	2 taffrail record -e 'sell:2(n)' -- "$CASES/plain"
		^rule 'sell:2\(n\)': a line is FILE\.c:LINE or FUNCTION:\+LINES, a function fn:NAME$
	0/1 taffrail record -e 'sell:36' -- "$CASES/plain" 0
		names: .*; a line is FILE\.c:LINE or FUNCTION:\+LINES, a function fn:NAME$
	0/1 taffrail record -e sell -- "$CASES/plain" 0
		names: .*; a line is FILE\.c:LINE or FUNCTION:\+LINES, a function fn:NAME$
	1 taffrail record -e 'shop.c:33' -- "$CASES/plain"
		^rule 'shop\.c:33': there is no code at that line; the next one with code is 34, the one before 32$
	1 taffrail record -e 'src/shp.c:3' -- "$CASES/plain"
		: no source with code is called src/shp\.c; nearest: shop\.c
	1 taffrail record -e 'sell:+10(n)' -- "$CASES/plain"
		^rule 'sell:\+10\(n\)': the last line of sell with code is \+8$
	1 taffrail record -e 'shop.c:36(n)' -- "$CASES/stripped"
		no file has debug information for that line, as -g makes it: \S+/stripped has none, and there is no /usr/lib/debug/\.build-id/../\w+\.debug; a package of debug symbols \(-dbgsym\) may have it, or a server that DEBUGINFOD_URLS names$
	1 taffrail record -e 'sell:+2(n)' -- "$CASES/stripped"
		no file has debug information for that function, as -g makes it: \S+/stripped has none, and there is no /usr/
	1 taffrail record -e 'shop.c:36(item->pric)' -- "$CASES/plain"
		: at shop\.c:36, item->pric has no such member; nearest: price, name or stock$
	1 taffrail record -e './shop.c:36(itm->price)' -- "$CASES/plain"
		: at \./shop\.c:36, itm->price is no variable there; nearest: item, n or left$
	1 taffrail record -e 'shop.c:36(n, argc)' -- "$CASES/plain"
		: at shop\.c:36, argc is no variable there; nearest: 
	1 taffrail record -e 'shop.c:32(left)' -- "$CASES/plain"
		: at shop\.c:32, left is declared later$
	1 taffrail record -e 'shop.c:36(item->none)' -- "$CASES/plain"
		item->none has no such member; nearest: 
	1 taffrail record -e 'shop.c:36(n->none)' -- "$CASES/plain"
		n->none is no pointer$
	1 taffrail record -e 'shop.c:36 "%d", item->sizes' -- "$CASES/plain"
		item->sizes is an array: name an element$
	1 taffrail record -e 'shop.c:36(item->sizes[0]@none)' -- "$CASES/plain"
		none is no variable there; nearest: n, 
	1 taffrail record -e 'shop.c:36(item[0]@n)' -- "$CASES/plain"
		item\[0\]@n is an array: name an element$
	2 taffrail record -e 'shop.c:36(item->sizes[0]@n@3)' -- "$CASES/plain"
		behind @ stands a variable, or a number from 1 to 65535
	2 taffrail record -e 'shop.c:36(item->sizes[0]@70000)' -- "$CASES/plain"
		behind @ stands a variable, or a number from 1 to 65535
	2 taffrail record -e 'shop.c:36(item->sizes[0]@-2)' -- "$CASES/plain"
		behind @ stands a variable, or a number from 1 to 65535
	1 taffrail record -e 'shop.c:36 "%d", *item' -- "$CASES/plain"
		\*item is a structure: name a member$
	1 taffrail record -e 'shop.c:9999' -- "$CASES/plain"
		^rule 'shop\.c:9999': the last line of shop\.c with code is \d+$
	1 taffrail record -e 'sel:+2' -- "$CASES/plain"
		^rule 'sel:\+2': there is no function sel; nearest: sell
	1 taffrail record -e 'shop.c:37(n)' -- "$CASES/fast"
		: at shop\.c:37, n has been optimised out$
	1 taffrail start s -p 1 -e 'none.c:3'
	1 taffrail start s --all -e 'shop.c:36'
		none of yours runs: 'start --all' and 'enable' take --program FILE
	1 taffrail start s --all -e 'shop.c:33' --program "$CASES/plain"
		there is no code at that line; the next one with code is 34, the one before 32$
	1 taffrail start s --all -e 'shop.c:36' --program "$CASES/nowhere"
		nowhere: No such file
	2 taffrail start s --all --program "$CASES/plain" --program "$CASES/fast" -e 'shop.c:36'
		--program '.*/plain' and '.*/fast': give one, and the others' rules by enable --program$
	2 taffrail start s -p 1 --program "$CASES/plain" -e 'shop.c:36'
		--program is for --all
	2 taffrail record -e 'shop.c:36(n' -- "$CASES/plain"
		it has no '\)'
	2 taffrail record -e "shop.c:36($(printf %01717d 0 | tr 0 n)) if n > 3" -- "$CASES/plain"
		its values have no names
	2 taffrail record -e 'shop.c:0' -- "$CASES/plain"
		rule 'shop\.c:0': lines are counted from 1
	2 taffrail record -e 'shop.c:36( )' -- "$CASES/plain"
		it has no value between \( and \)
	2 taffrail record -e 'shop.c:36(n, )' -- "$CASES/plain"
		it has an empty value$
	2 taffrail record -e "shop.c:36(n$(printf ', %s' n n n n n n n n n n n n n n n))" -- "$CASES/plain"
		it has more than 15 values$
	127 taffrail record -e 'shop.c:36(n)' -- "$CASES/nowhere"
		nowhere: No such file
	2 taffrail record -e 'shop.c:36 "%d"' -- "$CASES/plain"
		its text has not as many conversions as there are values
	2 taffrail record -e 'shop.c:36 "%d %n", n, n' -- "$CASES/plain"
		its text has '%n', which prints no value$
	2 taffrail record -e 'shop.c:36 "%d%", n' -- "$CASES/plain"
		its text ends in a conversion: %% is a '%'$
	1 taffrail list --lines shop.c -p $(sh -c 'echo $$')
		no such process: \d+$
	2 taffrail record -e 'shop.c:36(n) -e' -- "$CASES/plain"
		behind a line stand values
	2 taffrail record -e 'shop.c:36(n)' -e 'shop.c:36(left)' -- "$CASES/plain"
		another rule names the line
	2 taffrail record -e 'shop.c:36(n)' -e 'shop.c:36' -- "$CASES/plain"
		another rule names the line
	2 taffrail view -e 'shop.c:36(n)' --where 'line:shop.c:36'
		-e makes a session in a process
	1 taffrail list --lines shp.c "$CASES/plain"
		^no source with code is called shp\.c; nearest: shop\.c
	1 taffrail list --lines none.c "$CASES/stripped"
		no file has debug information for lines of none\.c, as -g makes it: \S+/stripped has none, and there is no /usr/lib/debug/
	1 taffrail list --lines shop.c:33 "$CASES/plain"
		^shop\.c:33: there is no code at that line; the next one with code is 34$
	1 taffrail list --lines shop.c:9999 "$CASES/plain"
		^shop\.c:9999: the last line with code is \d+$
	1 taffrail list --lines shp.c:33 "$CASES/plain"
		^no source with code is called shp\.c; nearest: shop\.c
	2 taffrail list --lines shop.c:33x "$CASES/plain"
		^--lines 'shop\.c:33x': give the name of a source file, as FILE\.c or FILE\.c:LINE$
	2 taffrail record -e 'shop.c:36,shop.c:37' -- "$CASES/plain"
		^rule 'shop\.c:36,shop\.c:37': each rule has an -e of its own: -e 'shop\.c:36' -e 'shop\.c:37'$
	2 taffrail record -e 'sell:+2(n), shop.c:37(left) if n' -- "$CASES/plain"
		each rule has an -e of its own: -e 'sell:\+2\(n\)' -e 'shop\.c:37\(left\) if n'$
	2 taffrail record -e 'fn:sell:+2(n)' -- "$CASES/plain"
		^rule 'fn:sell:\+2\(n\)': a line has no 'fn:' before it: 'sell:\+2\(n\)'$
	1 taffrail list --lines shop.c "$CASES/empty" <>"$CASES/empty"
		/empty: not an ELF file
	2 taffrail list --lines shop.c
		^--lines: give programs or libraries, or -p PID
	2 taffrail connect 1 shop.c:36 lib:f
		lines have no callbacks

# SPDX-License-Identifier: LGPL-2.1-or-later
# Arguments and results in all places of the calling convention, by the program's
# debug information. Each value is one that the program prints.

group: {COMPILER}
for: COMPILER gcc clang
need: command -v {COMPILER}
before:
	rules='-e fn:many -e fn:reals -e fn:parts -e fn:stack -e fn:odd'
	for o in '-O0 -gdwarf-4' '-O0 -no-pie' -O1 -O2 -O3; do
		{COMPILER} -g $o -w -Wl,--build-id -o passed"${o// /}" "$SOURCE/passed.c"
		{COMPILER} -g $o -w -Wl,--build-id -DOWN=static -o static"${o// /}" "$SOURCE/passed.c"
	done
	library=$(dirname "$(command -v taffrail)")/../lib/libtaffrail.so
	# "FUNCTION NAME = VALUE", without addresses
	values() {
		sed -n 's/.* fn:\([a-z]*\).*{ \([^{}]*\) }$/\1, \2/p' |
			awk -F ', ' '{ for (i = 2; i <= NF; i++) print $1, $i }' | grep -v ' = 0x\| duration\| depth\| to = '
	}
	# Prints values that the program did not have, and those that are not told.
	compare() {
		p=$1 && shift && rm -rf trace && taffrail record -o trace "$@" -- ./$p >out 2>err
		taffrail view trace | values >told
		grep -vxFf out told | sed "s/^/$p: wrong: /"
		sort -u out | grep -vxFf told | awk '{ print $1 "." $2 }' | uniq | sort -u >missing
	}
case: of functions that other files may call, all are told for which there is room
run: for p in passed*; do compare $p $rules; grep -vx 'parts.f\|reals.[ij]' missing; grep -c '^stack z' told; done | sort | uniq -c
whole stdout:
	      5 40
case: what has no field is said
run:
	compare passed-O0-no-pie $rules; sed -n "s/.*'fn:\(.*\)': limits of /\1: /p" err
	compare passed-O0-no-pie -e fn:stack%entry; grep -c limits err
	compare passed-O0-no-pie -e fn:parts%return; grep -c limits err
	compare passed-O0-no-pie -e 'fn:*' >all; grep -c 'and 3 other functions' err
whole stdout:
	reals: reals: i has no room; j has no room
	parts: parts: t.g has no room
	stack: stack: value is a structure
	odd: odd: x has a type that no field has; y has a type that no field has
	0
	0
	1
case: of static functions none is wrong
run: for p in static*; do compare $p $rules; done | grep -v 'static-O[123]: wrong: many value' || echo none
whole stdout: none
case: without optimisation, of frames that are aligned
run:
	cat >wide.c <<'EOF'
	#include <stdio.h>
	volatile int sum;
	struct wide { long n; } __attribute__((aligned(32)));
	int handle(int id, const char *url, int len) { _Alignas(64) char b[64]; snprintf(b, sizeof(b), "%s", url); sum += *b; return id; }
	int grows(int id, const char *url, int len) { _Alignas(64) char b[64]; char more[id]; snprintf(b, sizeof(b), "%s", url); *more = *b; sum += *more; return id; }
	int takes(int id, struct wide w, const char *url) { sum += (int)w.n; return id; }
	int above(int a, int b, int c, int d, int e, int f, int g) { _Alignas(64) char t[64]; *t = (char)g; sum += *t; return a; }
	int main(void) { handle(7, "/index", 101); grows(8, "/more", 102); takes(9, (struct wide){ 5 }, "/wide"); above(1, 2, 3, 4, 5, 6, 7); return 0; }
	EOF
	{COMPILER} -g -O0 -w -Wno-psabi -Wl,--build-id -o wide wide.c && rm -rf wide.d
	taffrail record -o wide.d -e fn:handle%entry -e fn:grows%entry -e fn:takes%entry -e fn:above%entry -- ./wide && taffrail view wide.d | sed 's/.* fn:\([^:]*\).*{ /\1 /; s/, cfa.*//'
whole stdout:
	handle id = 7, url = "/index", len = 101
	grows id = 8, url = "/more", len = 102
	takes id = 9, n = 5, url = "/wide"
	above a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7
case: arguments that a function does not use, which callers may not set
run:
	cat >unused.c <<'EOF'
	volatile int sum;
	struct request { int kind, id, rank; };
	__attribute__((noinline)) int on_event(int fd, int op, const char *who, struct request r) { sum += fd; return fd + r.id; }
	int (*event)(int, int, const char *, struct request) = on_event;
	int main(void) { return on_event(3, 2, "alice", (struct request){ 1, 70, 9 }) == 0; }
	EOF
	for o in -O1 -O2; do
		{COMPILER} -g $o -Wl,--build-id -o unused unused.c && rm -rf unused.d
		taffrail record -o unused.d -e fn:on_event%entry -- ./unused 2>err && taffrail view unused.d | sed 's/.*{ //; s/, cfa.*//' | tee told
		grep -q ', ' told || grep -c 'op has been optimised out; who has been' err
	done | sort -u | grep -v '^fd = 3, op = 2, who = "alice", kind = 1, id = 70, rank = 9$\|^fd = 3$\|^1$' || echo none
whole stdout: none
case: members by the same name with each compiler; an array is told as one
run:
	cat >named.c <<'EOF'
	volatile int sum;
	struct big { int a, b; };
	struct text { int n; char t[12]; };
	int pair(struct big b, int a, struct big c, struct text t) { sum += b.a + a + c.b + t.t[0] + t.n; return a; }
	int main(void) { return pair((struct big){ 11, 22 }, 3, (struct big){ 44, 55 }, (struct text){ 6, "xyz" }) == 0; }
	EOF
	{COMPILER} -g -O0 -Wl,--build-id -o named named.c && rm -rf named.d
	taffrail record -o named.d -e 'fn:pair%entry if b == 22' -- ./named 2>err; taffrail view named.d | sed 's/.*{ //; s/, cfa.*//'
	grep -o 'limits.*' err
whole stdout:
	a_2 = 11, b = 22, a = 3, a_3 = 44, b_2 = 55, n = 6
	limits of pair: t.t is an array
case: report --by has all names of a number
run:
	cat >several.c <<-'EOF'
		enum level { LOW = 1, LOWEST = 1, HIGH = 2 };
		static volatile int seen;
		__attribute__((noinline)) enum level pick(int n) { seen = n; return n % 3 ? LOW : HIGH; }
		int main(void) { for (int i = 0; i < 9; i++) pick(i); return 0; }
	EOF
	{COMPILER} -g -O1 -o several several.c && rm -rf several.d
	taffrail record -o several.d -e fn:pick%return -- ./several && taffrail report --by value several.d | grep -o '[A-Z|]*$' | grep .
whole stdout:
	LOW|LOWEST
	HIGH
case: whole calls, conditions by names of enumerations
run:
	compare passed-O2 --functions many --functions parts --functions stack; grep -vx 'parts.f\|reals.*\|odd.*' missing
	rm -rf trace && taffrail record -o trace -e 'fn:many%return if value == BLUE' -e 'fn:stack%entry if c == GREEN && z > 0' -e 'fn:parts%entry if high < -15 && tint == RED' -- ./passed-O2 2>err >out
	taffrail view trace | values | sort | uniq -c | grep 'BLUE\|GREEN\|high'
whole stdout:
	     40 many value = BLUE
	      1 parts high = -16
	      1 parts high = -18
	      1 parts high = -20
	      3 parts tone = BLUE
	     26 stack c = GREEN
case: without a command
run:
	TAFFRAIL_ENABLE="$(taffrail env -e fn:many -e fn:parts -e fn:stack ./passed-O2)" LD_PRELOAD=$library ./passed-O2 >out 2>err && taffrail snapshot env -o trace.env 2>err; taffrail view trace.env | values >told
	grep -vxFf out told; grep -c '^many text = "pear"' told; grep -c 'parts tint = GREEN' told
whole stdout:
	20
	20

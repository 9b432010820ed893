# SPDX-License-Identifier: LGPL-2.1-or-later
# Variables that units, or files, share: which one a name means at a line.

group: extern variables, {OPTIONS}
for: OPTIONS gcc_-O0 gcc_-O2 gcc_-O0_-gsplit-dwarf clang_-O0
before:
	cat >show.c <<-'END'
		extern int level, tab[], inner;
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
	printf 'int level = 1, tab[] = { 32, 33 };\nint inner __attribute__((visibility("hidden"))) = 93;\n' >own.c
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
run: ${words//_/ } -c own.c -o own.o && seen other.c show.c own.o 2>&1; true
stdout: \{ level = 1, tab = 33, inner = 93, n = 1 \}|, level is no variable there

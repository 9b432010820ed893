# SPDX-License-Identifier: LGPL-2.1-or-later
# Names of functions and of their arguments.

compile: known known.c -O2 -fno-builtin

# Prototypes of libc's functions
case: arguments have the names and types of the manual
run: taffrail record -o trace -e 'fn:libc/open' -e 'fn:libc/read' -e 'fn:libc/mkdir' -e 'fn:libc/realloc' -e 'fn:libc/munmap' -- "$CASES/known" && taffrail view trace
stdout: fn:open: .* \{ path = "/dev/zero", flags = 0x80002, cfa = 0x[0-9A-F]+ \}$
stdout: fn:open: .* \{ path = "/nonexistent", flags = 0x0, cfa = 
stdout: fn:open: .* \{ path = "\(null\)", flags = 0x0, cfa = 
stdout: fn:open: .* \{ path = "\(unreadable\)", flags = 0x0, cfa = 
stdout: fn:read: .* \{ fd = [0-9]+, buf = 0x[0-9A-F]+, count = 8, cfa = 
stdout: fn:mkdir: .* \{ path = "/nonexistent/a", mode = 0750, cfa = 
stdout: fn:realloc: .* \{ ptr = 0x[0-9A-F]+, size = 234567, cfa = 
stdout: fn:munmap: .* \{ addr = 0x[0-9A-F]+, length = 12345, cfa = 
case: results are of the function's type
run: taffrail view trace
stdout: fn:open%return: .* \{ value = -1, cfa = 
stdout: fn:read%return: .* \{ value = 8, cfa = 
stdout: fn:realloc%return: .* \{ value = 0x[0-9A-F]+, cfa = 
no stdout: value = 4294967295
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
stdout: depth = 1, path = "/nonexistent", flags = 0x0, value = -1 \}$
stdout: depth = 1, path = "\(null\)", flags = 0x0, value = -1 \}$
stdout: depth = 1, path = "/nonexistent/a", mode = 0750, value = -1 \}$
stdout: depth = 1, ptr = 0x[0-9A-F]+ \}$
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
run: gcc-12 -O0 -fno-builtin -o opens opens.c && taffrail record -o opens-own -e fn:opens/open -- ./opens && taffrail view opens-own
stdout: fn:open: .* \{ arg1 = 1, arg2 = 6, arg3 = 
case: the list has them
run: taffrail list --functions /lib/x86_64-linux-gnu/libc.so.6 fn:libc/mkdir fn:libc/free && taffrail attach $$ 2>/dev/null; taffrail list --functions -p $$ fn:libc/rename
stdout: ^fn/mkdir +0x[0-9a-f]+ +function off \(string path, uint32 mode\{oct\}, pointer cfa\) \[jump\]$
stdout: ^fn/rename +0x[0-9a-f]+ +function off \(string oldpath, string newpath, pointer cfa\) \[jump\]$

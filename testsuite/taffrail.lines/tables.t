# SPDX-License-Identifier: LGPL-2.1-or-later
# Lines before places that only tables of jumps lead to (tables.c). A jump at such
# a line has a beginning at the place, too, or there is none, so no thread comes to
# a trap, of which one that blocks SIGTRAP would die.

compile: tables tables.c -O2 -g
compile: fixed tables.c -O2 -g -fno-pie -no-pie -DWORD=short

before:
	# records each line of the functions alone; prints those with which the
	# program ends otherwise than alone, and how many there were
	lines_try() {
		"$CASES/$1" >alone
		local n=0
		for line in $(taffrail list --lines tables.c "$CASES/$1" | grep -oE '^tables.c:[1-8][0-9]\b' | sort -u); do
			taffrail record -o one -e "$line" -- "$CASES/$1" >out 2>told
			cmp -s alone out || echo "$1: $line"
			rm -rf one
			n=$((n + 1))
		done
		echo "$1: $([ $n -ge 20 ] && echo enough || echo $n) lines"
	}

group: each line alone
case: a program that is loaded anywhere
run: lines_try tables
whole stdout: tables: enough lines
case: a program at a fixed address, and words of two bytes
run: lines_try fixed
whole stdout: fixed: enough lines

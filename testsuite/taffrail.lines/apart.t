# SPDX-License-Identifier: LGPL-2.1-or-later
# A line in the part of a function that compilers put apart. The function's other
# part leads behind the line: a jump there has a beginning at that place, too, so
# no thread comes to a trap, of which one that blocks SIGTRAP would die.

compile: apart apart.c -O2 -g

group: a line before the place
case: the program ends as alone, and each time has an event
run: taffrail record -o seen -e 'apart.c:29' -- "$CASES/apart" >out && "$CASES/apart" | diff - out
stderr: record: 1081 events \(0 lost

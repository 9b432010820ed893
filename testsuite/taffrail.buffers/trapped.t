# SPDX-License-Identifier: LGPL-2.1-or-later
# A program that steps itself by the trap flag, and its children, have each event
# recorded, and none is ended by SIGTRAP.

compile: trapped trapped.c -O2

group: {BUFFERS}
for: BUFFERS shared process
case: each event is there, of three processes
run: taffrail record --buffers {BUFFERS} -e app/hit -o out -- $CASES/trapped 2>&1
stdout: ^bare 0$
stdout: ^child 0$
stdout: ^stepped 1$
stdout: record: 7 events \(0 lost, .* of 3 processes in out$
case: and whole
run: taffrail verify out; taffrail view out | sed 's/.*{ n = \(.*\) }/\1/' | sort -n | tr '\n' ' '
stdout: ^7 emitted = 7 kept
stdout: ^0 1 2 10 11 12 20 

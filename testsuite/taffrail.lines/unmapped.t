# SPDX-License-Identifier: LGPL-2.1-or-later
# A program may unmap memory of its own file, or map something else there. A rule
# that reads values there does not end the program, also where the program's own
# munmap() and the like come before the agent's.

compile: unmapped unmapped.c -O1 -g
compile: unmapped-own unmapped.c -O1 -g -DOWN

group: {HOW}
for: HOW unmap map move file
case: the program ends as alone, and its values cannot be read any more
run: taffrail record -o seen -e 'unmapped.c:25(item->n, item->name, k) if k > 0' -- "$CASES/unmapped" {HOW} >out && "$CASES/unmapped" {HOW} | diff - out && taffrail view seen
stdout: { n = 42, name = "pear", k = 1, unread = 0x0 }$
stdout: { n = 0, name = "\(unreadable\)", k = 2, unread = 0x3 }$

group: past the agent, {HOW}
for: HOW unmap map move file
case: the program ends as alone, and its values cannot be read any more
run: taffrail record -o seen -e 'unmapped.c:25(item->n, item->name, k) if k > 0' -- "$CASES/unmapped-own" {HOW} >out && "$CASES/unmapped-own" {HOW} | diff - out && taffrail view seen
stdout: { n = 42, name = "pear", k = 1, unread = 0x0 }$
stdout: { n = 0, name = "\(unreadable\)", k = 2, unread = 0x3 }$

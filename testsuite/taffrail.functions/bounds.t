# SPDX-License-Identifier: LGPL-2.1-or-later
# Functions whose bounds .eh_frame_hdr does not tell: of programs that were made
# without frames, where symbols tell them, and of those whose linker has made no
# .eh_frame_hdr.

compile: framed calls.c -O2 -pthread
compile: bare calls.c -O2 -pthread -fno-asynchronous-unwind-tables
compile: bare-fixed calls.c -O2 -pthread -fno-asynchronous-unwind-tables -no-pie
compile: headless calls.c -O2 -pthread -Wl,--no-eh-frame-hdr
compile: local calls.c -O2 -pthread -fno-asynchronous-unwind-tables -Wl,--discard-all
compile: static calls.c -O2 -pthread -static -no-pie

group: {BUILD}
for: BUILD bare bare-fixed headless
before:
	counts() { taffrail record -o $1.trace -e "fn:$1/*" -- "$CASES/$1" 300 >$1.out && taffrail view $1.trace | grep -o ' fn:[a-z_]*\(%return\)\?: ' | sort | uniq -c >$1.counts; }
	start load "$CASES/{BUILD}" load 3
	wait_for grep -q ready load.out
case: the same calls and returns as with frames, and the same output
run: counts framed && counts {BUILD} && "$CASES/framed" 300 | cmp - {BUILD}.out && diff framed.counts {BUILD}.counts && wc -l <{BUILD}.counts
stdout: ^1[0-9]$
case: threads run while they are switched
run: for i in 1 2 3 4 5 6; do taffrail start s$i -p $pid -e 'fn:{BUILD}/*' --overwrite && taffrail destroy s$i || exit; done; say load end . && ended load && cat load.out
stdout: ^0 wrong$

group: lists
case: without frames
run: taffrail list --functions "$CASES/bare"
stdout: ^fn/recurses .* \[jump\]$
stdout: ^fn/switches .* \[jump\]$
case: where symbols may be missing, the code that leads to a function is not known
run: taffrail list --functions "$CASES/local" | grep fn/main
stdout: \[not: its function's bounds are not known\]$
case: a static program at a fixed address
run: test $(taffrail list --functions "$CASES/static" | grep -c '\[jump') -gt 700 && taffrail list --functions "$CASES/static" 'fn:outer'
stdout: ^fn/outer .* \[jump\]$

# SPDX-License-Identifier: LGPL-2.1-or-later
# Functions at which a jump would harm the program: they are left alone, and named
# where a rule names them.

compile: dangers dangers.c -O2
compile: rseq dangers.c -O2 -DSECTION="__rseq_cs"
compile: go dangers.c -O2 -DSECTION=".gopclntab"

before:
	start faulting "$CASES/dangers" faults
	wait_for grep -q ready faulting.out
	faulting=$pid
	start changed "$CASES/dangers" changed
	wait_for grep -q ready changed.out

# The program's output with all functions on, in each way, is that without.
case: a handler that knows the instruction which faults
run: echo | "$CASES/dangers" faults >plain && echo | taffrail record -o trace1 -e 'fn:dangers/*' -- "$CASES/dangers" faults >traced; status=$?; cmp plain traced && exit $status
status: 1
stderr: fn/fetch at 0x[0-9a-f]+ is not traced: an instruction there may fault, and the program handles SIGSEGV or SIGBUS
case: list and doctor say the same of a process, not of its file
run:
	taffrail list --functions -p $faulting 'fn:dangers/*' | grep 'not:\|int3:' | tee listed
	taffrail doctor -p $faulting | tr -s ' \n' ' ' | grep -o ' not [0-9]*: .* SIGBUS'
	taffrail list --functions "$CASES/dangers" fn:fetch
	taffrail start faulting -p $faulting -e 'fn:dangers/*' 2>told
	diff <(grep -o '^fn/[^ ]*' listed | sort) <(sed -n 's,.* \(fn/[^ ]*\) at .*,\1,p' told | sort)
stdout: ^fn/fetch .* \[not: an instruction there may fault, and the program handles SIGSEGV or SIGBUS\]$
stdout: ^ not [0-9]+: .*an instruction there may fault, and the program handles SIGSEGV or SIGBUS$
stdout: ^fn/fetch .* \[jump\]$
case: the list knows code that the program has changed, and the agent's own
run:
	start changes "$CASES/dangers" changed
	wait_for grep -q ready changes.out
	list() { taffrail list --functions -p $pid 'fn:dangers/changed' fn:before_nops | sed -n 's/^\(fn[^ ]*\) .*\[/\1 [/p'; }
	list
	taffrail attach $pid >&2; taffrail start own -p $pid -e fn:changed; echo $?
	taffrail start nops -p $pid -e fn:before_nops && taffrail list -p $pid | grep -c 'before_nops .* on '; list
	taffrail destroy nops; list
whole stdout:
	fn/before_nops [jump]
	fn/changed [not: another program's code is there]
	1
	1
	fn/before_nops [jump]
	fn/changed [not: another program's code is there]
	fn/before_nops [jump]
	fn/changed [not: another program's code is there]
stderr: fn/changed at 0x[0-9a-f]+ is not traced: another program's code is there
case: a handler that comes later
run: echo | "$CASES/dangers" late >plain && echo | taffrail record -o trace2 -e 'fn:dangers/fetch' -- "$CASES/dangers" late >traced; status=$?; cmp plain traced && taffrail view trace2 | grep -c 'fn:fetch:' && exit $status
status: 1
stdout: ^10$
stderr: fn/fetch at 0x[0-9a-f]+ is not traced: an instruction there may fault, and the program handles SIGSEGV or SIGBUS
case: data that looks like padding, and a function that begins with nops
run: echo | "$CASES/dangers" data >plain && echo | taffrail record -o trace3 -e 'fn:before_*' -- "$CASES/dangers" data >traced; status=$?; cmp plain traced && taffrail view trace3 | grep -o 'fn:[^:]*' | sort | uniq -c; exit $status
status: 1
stdout: ^ +10 fn:before_aligned$
stdout: ^ +10 fn:before_aligned%return$
stderr: fn/before_data at 0x[0-9a-f]+ is not traced: it needs a trap for each hit: its code ends within five bytes
stderr: places that need a trap are traced with --int3
no stdout: fn:before_data
case: it has a trap, where the session allows that
run: echo | taffrail record --int3 -o trace8 -e 'fn:before_*' -- "$CASES/dangers" data >traced && cmp plain traced && taffrail view trace8 | grep -o 'fn:[^:]*' | sort | uniq -c
stdout: ^ +10 fn:before_aligned%return$
stdout: ^ +10 fn:before_data$
stdout: ^ +10 fn:before_data%return$
case: whole calls, too
run: echo | taffrail record --int3 -o trace9 --functions 'before_data' -- "$CASES/dangers" data >traced && cmp plain traced && taffrail view trace9 | grep -c 'fn:before_data: .*duration = '
stdout: ^10$
case: the list of a file says so
run: taffrail list --functions "$CASES/dangers" 'fn:before_data'
stdout: ^fn/before_data .* function off .* \[int3: its code ends within five bytes\]$
case: padding before a boundary, and nops behind it
run: taffrail view trace3 | grep -c 'fn:before_nops:'
stdout: ^10$
case: a function to which the kernel returns from a signal
run: echo | taffrail record -o trace4 -e 'fn:signal_framed' -- "$CASES/dangers" frame
status: 1
stderr: fn/signal_framed at 0x[0-9a-f]+ is not traced: unwinders know its function by its bytes
case: code that is not that of the file
run: taffrail attach $pid && taffrail start changed -p $pid -e 'fn:changed'
status: 1
stderr: fn/changed at 0x[0-9a-f]+ is not traced: 
case: it computes what it did
run: say changed . && ended changed && echo | "$CASES/dangers" changed | cmp - changed.out
case: a file with restartable sequences
run: echo | taffrail record -o trace5 -e 'fn:rseq/*' -- "$CASES/rseq" data
status: 1
stderr: 0 events
case: a file of Go
run: echo | taffrail record -o trace6 -e 'fn:go/*' -- "$CASES/go" data
status: 1
stderr: 0 events
case: the agent's own libraries
run: echo | "$CASES/dangers" data >plain && echo | taffrail record -o trace7 -e 'fn:libtaffrail*/*' -e 'fn:libZydis*/*' -- "$CASES/dangers" data >traced; status=$?; cmp plain traced && exit $status
status: 1
stderr: 0 events

# A command stops a thread for a moment, most often behind a trap that the kernel
# has not told the program yet
group: commands beside traps
before:
	start hits env TAFFRAIL_IDLE=10 "$CASES/dangers" hits
	wait_for grep -q ready hits.out
case: no trap is lost, and none ends the program
run:
	taffrail attach $pid && taffrail start traps -p $pid --int3 -e fn:before_data --overwrite || exit
	for i in {1..400}; do
		taffrail list -p $pid >listed || exit
	done
	taffrail destroy traps && say hits . && ended hits && cat hits.out
stdout: ^0 wrong$
case: large buffers do not lie where jumps in libraries have to lead
run:
	for owner in shared process; do
		taffrail record -o "far-$owner" --buffers $owner --buffer-size 8M -e fn:libc/open -- cat /proc/self/maps >far.maps
		ring=$(grep -m 1 -F /ring.0.0 far.maps | cut -d - -f 1)
		libc=$(grep -m 1 libc.so far.maps | cut -d - -f 1)
		echo "$owner: $(((0x$libc - 0x$ring) >> 32)) times 4 GiB"
	done
stdout: ^shared: [1-9][0-9]* times
stdout: ^process: [1-9][0-9]* times

group: a debugger that stops where a hit is
need: gdb -nx -batch -ex 'python print(1)'
before:
	echo >input
	cat >script.gdb <<-'END'
		set confirm off
		break main
		run data <input
		break *before_nops
		continue
		delete
		stepi
		echo gate\n
		backtrace
		tbreak usdt_hit
		continue
		finish
		echo stub\n
		backtrace
		python
		for i in range(200):
		    gdb.execute("stepi", to_string=True)
		    if int(gdb.parse_and_eval("(long)$pc")) >> 44 != 7:
		        break
		end
		echo moved\n
		backtrace
		continue
	END
# outside of the stubs, the function has no name there (N4.22)
case: it has the function in a stub, its caller in moved code, and the result
run:
	"$CASES/dangers" data <input
	taffrail record -o stopped -e fn:dangers/before_nops -- gdb -nx -batch -x script.gdb "$CASES/dangers" | awk '/^(gate|stub|moved)$/ { part = $0 } part && /^#.* in (\?\?|before_nops|main) \(|^[0-9]+$/ { print part ": " (/^#/ ? $4 : $0) }' >frames
	cat frames
whole stdout:
	ready
	3752300
	gate: ??
	gate: main
	stub: before_nops
	stub: main
	moved: ??
	moved: main
	moved: 3752300

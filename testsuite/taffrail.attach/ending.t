# SPDX-License-Identifier: LGPL-2.1-or-later
# The end of a process that `record -p` follows, by a signal or by itself.

compile: worker ../shared/worker.c -O2 -pthread
before:
	cat >held.py <<-'END'
		# Ends the program by a signal, and does not wait for it before a line comes.
		import subprocess, sys
		program = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE)
		program.stdout.readline()
		print(program.pid, flush=True)
		sys.stdin.readline()
		program.send_signal(int(sys.argv[1]))
		sys.stdin.readline()
	END
	# Records while a program ends by a signal: FILE SIGNAL
	ending() {
		mkfifo $1.go
		python3 held.py $2 "$CASES/worker" 0 $1.counts <$1.go >$1.pid &
		exec 9>$1.go
		wait_for grep -q . $1.pid
		taffrail record -o $1 -p $(cat $1.pid) -e fn:main >$1.out 2>$1.err 9>&- & recorder=$!
		wait_for test -d $1
		wait_for sh -c "taffrail list -p $(cat $1.pid) | grep -q '^fn/main '"
		echo >&9
		wait $recorder; echo $?; sed "s/process $(cat $1.pid)/process PID/" $1.err
		exec 9>&-; wait
	}
case: a signal that kills
run: ending segv 11
stdout: ^taffrail: record: signal 11 killed process PID: Segmentation fault$
case: a signal of the user
run: ending term 15
stdout: ^taffrail: record: signal 15 killed process PID: Terminated$

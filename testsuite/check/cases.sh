# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# What the commands of a file of cases (testsuite/README) can call. $CASES is
# the file's work directory, where the programs are that it compiles.

PATH=$CASES:$PATH

# COMMAND...: waits until the command succeeds, for a minute.
wait_for()
{
	local end=$((SECONDS + 60)) pause=
	until "$@"; do
		test $SECONDS -lt $end || {
			echo "gave up waiting for: $*" >&2
			return 1
		}
		# a pause that starts no process
		test -n "$pause" || exec {pause}<> <(:)
		read -rt 0.02 -u "$pause" || :
	done
}

# NAME COMMAND...: starts a program beside the cases, which ends with the group,
# and sets `pid`. What `say` tells it is its input; NAME.out and NAME.err have
# what it prints.
start()
{
	local name=$1
	shift
	rm -f "$name.in" "$name.pid" "$name.status"
	mkfifo "$name.in" || return
	{
		# one of the same name may just have ended
		local new=$name.$BASHPID
		env --default-signal "$@" <>"$name.in" >"$name.out" 2>"$name.err" &
		echo $! >"$new"
		mv "$new" "$name.pid"
		wait $!
		echo $? >"$new"
		mv "$new" "$name.status"
	} >/dev/null 2>&1 &
	wait_for test -f "$name.pid" && read -r pid <"$name.pid" &&
		wait_for begun
}

# Has the program of start() begun, or ended? Before, it is a shell, then env.
begun()
{
	test ! -e "/proc/$pid/exe" ||
		! test "/proc/$pid/exe" -ef "$BASH" -o \
			"/proc/$pid/exe" -ef /usr/bin/env
}

# NAME LINE PATTERN: tells the program a line, and waits until it has printed a
# line that matches.
say()
{
	echo "$2" 1<>"$1.in" && wait_for grep -q "$3" "$1.out"
}

# NAME: waits until the program has ended; returns its exit status.
ended()
{
	wait_for test -f "$1.status" && return "$(cat "$1.status")"
}

# Starts shared/worker.c as `worker`, which has no session. The
# arguments are variables, as of env(1).
worker()
{
	start worker env "$@" "$CASES/worker" 0 worker.counts &&
		wait_for grep -q ^ready worker.out
}

# Ends the worker; returns its exit status.
worker_ends()
{
	say worker end '' && ended worker
}

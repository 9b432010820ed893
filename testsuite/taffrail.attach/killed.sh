#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# killed.sh WAITS LIBRARY TAFFRAIL: kills a look at some steps of its work, each
# at a program without an agent, in the PID namespace of the caller. Prints each
# step after which the next command leaves a thread of the agent, and the last
# step.
waits=$1 library=$2 taffrail=$3
for ((n = 4; n < 1000; n += 9)); do
	rm -f input output
	mkfifo input
	"$waits" read <input >output &
	pid=$!
	exec 3>input
	until grep -q '^ready' output; do
		kill -0 $pid || exit 1
	done
	LD_PRELOAD=$library DIES_AT=$n "$taffrail" view --follow --for 0.01 \
		-p $pid -e 'app/*' >/dev/null 2>&1
	status=$?
	"$taffrail" list >/dev/null 2>&1
	test "$(cat /proc/$pid/task/*/comm | uniq)" = waits ||
		echo "step $n: a thread is left"
	echo "hit 1" >&3
	exec 3>&-
	wait $pid
	test $status -eq 137 || break
done 2>/dev/null
echo "steps to $n"

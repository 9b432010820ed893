# SPDX-License-Identifier: LGPL-2.1-or-later
# The bytes of an event that record prints are those that report counts, also
# after record has dropped the oldest files: where there are no writer records,
# which report does not count.

compile: worker ../shared/worker.c -O2 -pthread agent

before:
	# ROUNDS OPTIONS...: records, and prints both tools' bytes of all events
	both()
	{
		printf 'go %s\nend\n' "$1" | taffrail record --context none -o "trace$1" \
			"${@:2}" -- worker "${delay-0}" counts >/dev/null 2>said ||
			return
		sed -n 's/.* \([0-9]*\) events (.* lost, \([0-9.]*\) bytes per.*/\1 \2/p' said >a
		taffrail report "trace$1" |
			sed -n '1s/^\([0-9]*\) events (\([0-9]*\) bytes.*/\1 \2/p' >b
		paste -d ' ' a b | awk '{ d = $2 * $1 - $4
			if (NF == 4 && $1 == $3 && d * d <= (0.051 * $1) ^ 2)
				print "same" }'
	}
case: few events
run: both 3
stdout: ^same$
case: many
run: both 20000
stdout: ^same$
# with pauses, so the recorder keeps up, and drops what others would lose
case: the newest of many
run: delay=1 both 30000 --max-size 1M && grep 'were dropped$' said
stdout: ^same$
stdout: were dropped$

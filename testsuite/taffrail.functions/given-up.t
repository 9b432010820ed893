# SPDX-License-Identifier: LGPL-2.1-or-later
# A session that begins when its command has gone does not stay: nobody knows it.

before:
	start python3 python3 -c 'input()'
	taffrail attach $pid 2>attach.err

case: commands that have gone before the answer
run: "$SOURCE/given-up.py" "$TAFFRAIL_DIR"/$pid.*/control.sock 'fn:*'
stdout: ^[1-9][0-9]* answers were not waited for$
case: no session is there
run: taffrail status
stdout: ^No sessions
case: nor any function on
run: taffrail list -p $pid | grep -c ' function on '
status: 1
stdout: ^0$

# SPDX-License-Identifier: LGPL-2.1-or-later
# Rules that enable refuses leave nothing in the session.

compile: calls calls.c -O2 -g0 -pthread

before:
	start rest "$CASES/calls" load 0
	wait_for grep -q ready rest.out
	taffrail start s -p $pid -e fn:outer
case: a rule with a condition, whose function no module has
run: taffrail enable s 'fn:nope if n > 1'; echo $?; taffrail status s | head -n 1
whole stdout:
	1
	s: active, discard; rules fn:outer
stderr: no function matches 'fn:nope if n > 1'
case: more mistyped names than a session has room for rules
run:
	for i in $(seq 66); do taffrail enable s fn:nope$i 2>/dev/null && echo bad; done
	taffrail status s | head -n 1; taffrail enable s fn:recurses && taffrail status s | head -n 1
whole stdout:
	s: active, discard; rules fn:outer
	s: active, discard; rules fn:outer, fn:recurses
case: nor for programs that the process executes
run: cat "$TAFFRAIL_DIR"/sessions/s@* | grep -c '^rule=fn:\(outer\|recurses\)$'; cat "$TAFFRAIL_DIR"/sessions/s@* | grep nope; taffrail destroy s
stdout: ^2$
case: where only others have taken it, which lack the function, they have the rules of before
run:
	LD_PRELOAD=$(dirname "$(command -v taffrail)")/../lib/libtaffrail.so sleep 60 & other=$!
	wait_for taffrail start both -p $pid -p $other -e fn:outer -e fn:libc/usleep --yes
	for rule in outer recurses; do taffrail enable both "fn:$rule if bogus > 1"; echo $?; done
	taffrail status --json both | grep -c bogus
	taffrail status both | head -n 1; cat "$TAFFRAIL_DIR"/sessions/both@* | grep -c '^rule=fn:outer$'; cat "$TAFFRAIL_DIR"/sessions/both@* | grep -c bogus
	taffrail enable both fn:outer; taffrail destroy both; kill $other
whole stdout:
	1
	1
	0
	both: active, discard; rules fn:outer, fn:libc/usleep
	2
	0
stderr: no field "bogus"

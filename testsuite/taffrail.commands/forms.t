# SPDX-License-Identifier: LGPL-2.1-or-later
# Traces show "channel:name", and list "channel/name": each place that takes the
# name of a marker takes both. Where rules for functions and lines cannot be had,
# a sentence says so. A rule in a list ends outside quotes and parentheses.

compile: worker ../shared/worker.c -O2 -pthread agent
compile: loaded.so ../shared/loaded.c -O2 -shared -fPIC probe
compile: fn fn.c agent

before:
	worker
	hits()
	{
		printf 'go 5\nend\n' | "$@" "$CASES/worker" 0 counts >/dev/null
	}
	taffrail start s -p $pid -e app:hit -e 'other:tick if n < 2'
	say worker 'go 10' '^done 10$'
	taffrail snapshot s -o trace

# Every place
case: a session's rules have one form
run: taffrail status s
stdout: rules app/hit, other/tick if n < 2$
case: both rules hold
run: taffrail view trace | grep -c other:tick
stdout: ^4$
case: a recording
run: hits taffrail record -o rec -e app:hit -- && taffrail view rec | wc -l
stdout: ^10$
case: --where
run: taffrail view --where 'app:hit if n == 3' trace | wc -l
stdout: ^2$
case: --where with a glob
run: taffrail view --where '*:tick' trace | wc -l
stdout: ^4$
case: --where that nothing matches
run: taffrail view --where app:hot trace
status: 1
says: ^no event matches 'app/hot'; nearest: app/hit
case: --pair
run: taffrail report --pair app:hit,other:tick,n trace >a && taffrail report --pair app/hit,other/tick,n trace >b && sed s,/,:,g a | cmp - <(sed s,/,:,g b) && grep -c app:hit a
stdout: ^[1-9]
case: disable and enable
run: taffrail disable s app:hit && taffrail list -p $pid >off && taffrail enable s app:hit && taffrail list -p $pid >on && grep app/hit off on
stdout: ^off:app/hit .* off
stdout: ^on:app/hit .* on
case: the other form finds the rule
run: taffrail disable s app/hit && taffrail enable s app:hit && taffrail enable s app/hit && taffrail status s | grep -o app/hit | wc -l
stdout: ^1$
case: a rule for all
run: taffrail start every --all -e app:hit && taffrail enable every other:tick && taffrail disable every other/tick && cat $TAFFRAIL_DIR/sessions/every && taffrail destroy every
stdout: ^rule=app/hit$
stdout: ^unrule=other/tick$
no stdout: :|^rule=other
case: files of sessions, of all lengths
run:
	name=s
	for i in $(seq 16); do
		name=${name}s
		taffrail start $name --all -e app:hit &&
			taffrail enable $name other:tick &&
			grep -c ^rule= $TAFFRAIL_DIR/sessions/$name &&
			taffrail destroy $name || break
	done | sort | uniq -c
stdout: ^ *16 2$
case: a callback
run: taffrail load $pid loaded.so && taffrail connect $pid app:hit loaded:count && taffrail enable callbacks app/hit -p $pid && taffrail disable callbacks app:hit -p $pid && taffrail disconnect $pid app/hit loaded:count
case: a callback of a recording
run: hits taffrail record -o con --probe $CASES/loaded.so --connect 'app:hit if (n > 3) loaded:count' --
case: TAFFRAIL_ENABLE
run: hits env TAFFRAIL_ENABLE='app:hit' && taffrail snapshot env -o env && taffrail view env | grep -c app:hit
stdout: ^10$

# Lists
case: a semicolon in a text
run: hits env TAFFRAIL_ENABLE='app/hit if who == "a;b"; other/tick' && taffrail snapshot env -o list && taffrail view list | grep -c other:tick
stdout: ^10$
case: blanks and line ends around rules
run: hits env TAFFRAIL_ENABLE=$'\napp/hit ;\n\tother/tick if n < 2 \n; ' && taffrail snapshot env -o blanks && taffrail view blanks | grep -c other:tick
stdout: ^4$
case: a text that nothing ends spoils one rule
run: hits env TAFFRAIL_ENABLE='app/hit if who == "a;other/tick' && taffrail snapshot env -o open
status: 1
stderr: TAFFRAIL_ENABLE: rule 'app/hit if who == "a': condition 'who == "a', column 8: 
stderr: 10 events \(0 lost

# Lines of a program without debug information, and what has no callbacks
cases:
	1 taffrail record -o no -e 'worker.c:50(n)' -- true
		^rule 'worker\.c:50\(n\)': no file has debug information for that line, as -g makes it: \S+/true has none, and there is no 
	1 taffrail enable s src/worker.c:50
		^rule 'src/worker\.c:50': no source with code is called src/worker\.c; nearest: worker\.c
	2 taffrail connect $pid worker.c:50 loaded:count
		^rule 'worker\.c:50': lines have no callbacks$
	2 taffrail connect $pid fn:work loaded:count
		^rule 'fn:work': functions have no callbacks$
	2 taffrail record -o no --connect 'fn:work loaded:count' -- true
		^rule 'fn:work': functions have no callbacks$
case: TAFFRAIL_ENABLE of a line
run: hits env TAFFRAIL_ENABLE='worker.c:5;app/hit' && taffrail snapshot env -o known
status: 1
stderr: TAFFRAIL_ENABLE: rule 'worker\.c:5': a command reads debug information for it: TAFFRAIL_ENABLE="\$\(taffrail env -e RULE PROGRAM\)"
case: a channel named fn
run: taffrail record -o fn.trace -e fn/work -- $CASES/fn && taffrail view fn.trace
stdout: fn:work: .* n = 1 

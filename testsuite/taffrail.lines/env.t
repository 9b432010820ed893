# SPDX-License-Identifier: LGPL-2.1-or-later
# TAFFRAIL_ENABLE with rules for source lines, which `taffrail env` compiles.

compile: plain shop.c -O0 -g
compile: fast shop.c -O2 -g
compile: linked shop.c -O2 -g agent
before:
	library=$(dirname "$(command -v taffrail)")/../lib/libtaffrail.so
	test -f "$library" || exit 77

group: {BUILD}
for: BUILD plain fast
case: events are those that the program prints
run: TAFFRAIL_ENABLE="$(taffrail env -e 'shop.c:36 "%d %d %s %g", n, left, item->name, item->price' -e 'sell:+4(item->code[0]@2, n) if item->stock < 50' "$CASES/{BUILD}")" LD_PRELOAD=$library "$CASES/{BUILD}" 20 >out && taffrail snapshot env -o own && taffrail export --format json own | sed -n 's/.*"message":"//; s/"}$//p' >told && grep -v twice out | diff - told && wc -l <told && taffrail view own | grep -c 'sell:+4: .*code = "xy", n'
whole stdout:
	40
	20

group: the value
case: is the lines that the agent reads
run: taffrail env -e 'shop.c:36(n, item->name) if left > 5' -e 'app/*' "$CASES/fast" | sed 's/ [0-9a-f]* 1 / AT 1 /; s/=[0-9a-f]\{40\}/=ID/'
stdout: ^spot=ID AT 1 shop\.c:36\tn, name, left, unread$
stdout: ^rule=shop\.c:36 if left > 5$
stdout: ^rule=app/\*$
case: goes on in children, and in programs that the program executes
run: export TAFFRAIL_ENABLE="$(taffrail env -e 'shop.c:36(n) if n == 2' "$CASES/fast")" LD_PRELOAD=$library; (sh -c "$CASES/fast 3; $CASES/plain 3; true"; "$CASES/fast" 3) >out; unset TAFFRAIL_ENABLE LD_PRELOAD; taffrail snapshot env -o many && taffrail view many | grep -c 'fast:.* line:shop.c:36: .*{ n = 2'
stdout: ^4$
case: types of functions
run: TAFFRAIL_ENABLE="$(taffrail env -e fn:sell "$CASES/linked")" "$CASES/linked" 1 >out && taffrail snapshot env -o typed && taffrail view typed
stdout: fn:sell: .* \{ item = 0x[0-9A-F]+, n = 0, cfa = 
case: a program is found as a shell finds it
run: PATH=$CASES:$PATH taffrail env -e shop.c:36 fast | grep -c ^rule=shop.c:36
stdout: ^1$
case: one that is no such value has no events, and does no harm
run: for value in $'spot=00\nfield=zz\nrule=shop.c:36' $'rule=\nspot=\nfield==\nrule=app/x' "$(taffrail env -e 'shop.c:36(item->name)' "$CASES/linked" | sed 's/ x.*/ x0000ffff/')" "$(taffrail env -e 'shop.c:36(item->name)' "$CASES/linked" | tr 0-7 1-8)"; do TAFFRAIL_ENABLE=$value "$CASES/linked" 2 | grep -c pear; done; taffrail snapshot env -o none
status: 1
stdout: ^2$
no stdout: ^[013-9]
stderr: had no event
case: a rule without a description says what makes one
run: TAFFRAIL_ENABLE='shop.c:36(n);app/x' "$CASES/linked" 1 >out; taffrail status; TAFFRAIL_ENABLE='rule=shop.c:36' "$CASES/linked" 1 >out; taffrail status
stderr: ^taffrail: status: process \d+ \(linked\): TAFFRAIL_ENABLE: rule 'shop\.c:36\(n\)': a command reads debug information for it: TAFFRAIL_ENABLE="\$\(taffrail env -e RULE PROGRAM\)"$
stderr: rule 'shop\.c:36': a command reads

group: a value for another program, {STATE}
for: STATE living ended
before:
	gcc -g -O0 -o shop "$SOURCE/shop.c" && taffrail env -e 'shop.c:36(n)' -e 'app/*' ./shop >rules && cp rules old && gcc -g -O1 -o shop "$SOURCE/shop.c"
	# what a command says beside a process that runs, or has run
	told() {
		export TAFFRAIL_ENABLE="$(cat rules)" LD_PRELOAD=$library
		case {STATE} in
		living) start it "$@" on ;;
		ended) "$@" >out ;;
		esac
		unset TAFFRAIL_ENABLE LD_PRELOAD
		wait_for sh -c 'taffrail status 2>/dev/null | grep -q shop' && taffrail status
		[ {STATE} = ended ] || kill $pid
	}
case: another build of it
run: told ./shop 1
stderr: ^taffrail: status: process \d+ \(shop\): TAFFRAIL_ENABLE: rule 'shop\.c:36': the value is for another build of the program: taffrail env makes one for this$
no stderr: app
case: another build of a library
run: printf 'int f(int n)\n{\n\treturn n + 1;\n}\n' >f.c && printf '#include <unistd.h>\nint f(int);\nint main(int c, char **v) { if (c > 2) pause(); return f(1) - 2; }\n' >m.c && make_f() { gcc -g -O0 -shared -fPIC -Wl,--build-id $1 -o libf.so f.c; }; make_f && gcc -g -o shoplib m.c -L. -lf -Wl,-rpath,"$PWD" && taffrail env -e f.c:3 ./shoplib >rules && make_f -O2 && told ./shoplib 1
stderr: ^taffrail: status: process \d+ \(shoplib\): TAFFRAIL_ENABLE: rule 'f\.c:3': the value is for another build of libf\.so: taffrail env makes one for this$
case: other programs have it by right
run: cp shop shopping && taffrail env -e 'shop.c:36(n)' ./shop >rules && told ./shopping 1; sed s/=shop/=other/ old >rules && told ./shop 1
no stderr: .
case: one that was cut off, also behind a rule
run: for lines in 2 3 4 5; do taffrail env -e 'shop.c:36(n)' -e 'app/*' ./shop | head -n $lines >rules; taffrail stop env 2>/dev/null; told ./shop 1; done 2>&1 | grep -c 'shop): TAFFRAIL_ENABLE: the value was cut off: it needs all lines that taffrail env prints'
stdout: ^4$

group: mistakes
cases:
	2 taffrail env "$CASES/fast"
		^give a rule \(-e\)$
	2 taffrail env -e shop.c:36
		^give one program$
	2 taffrail env -e shop.c:36 "$CASES/fast" 3
		^give one program$
	2 taffrail env -e 'shop.c:36(' "$CASES/fast"
		^rule 'shop\.c:36\(': it has no value between \( and \)$
	1 taffrail env -e 'shop.c:36(nobody)' "$CASES/fast"
		^rule 'shop\.c:36\(nobody\)': at shop\.c:36, 
	1 taffrail env -e shop.c:36 /bin/true
		^rule 'shop\.c:36': no file has debug information for that line, as -g makes it: /\S*bin/\S+ has none, and there is no /usr/lib/debug
	1 taffrail env -e shop.c:36 ./nothing
		^\./nothing: No such file or directory$
	1 taffrail env -e shop.c:36 /
		^rule 'shop\.c:36': / is no program in an ELF file$

group: with traps
case: none is set in the middle of an instruction
run: taffrail env -e 'shop.c:36(n)' "$CASES/plain" >rules; at=$(sed -n '1s/^spot=[^ ]* \([^ ]*\) .*/\1/p' rules); "$CASES/plain" 5 >out; for far in 0 1 2 4 5 7 8; do TAFFRAIL_INT3=on TAFFRAIL_ENABLE="$(sed "1s/ $at / $(printf %x $((0x$at + far))) /" rules)" LD_PRELOAD=$library "$CASES/plain" 5 | diff - out || echo wrong at $far; done
no stdout: .

group: a session of all programs, of which none runs
case: enable takes one that begins later
run: taffrail start later --all --overwrite -e 'shop.c:36(n)' --program "$CASES/linked" && taffrail enable later 'shop.c:31' --program "$CASES/linked" && "$CASES/linked" 1 >out && taffrail snapshot later -o later.trace && taffrail view later.trace; taffrail destroy later
stdout: line:shop\.c:31: 
case: without it, a line is refused
run: taffrail start later --all -e 'shop.c:36(n)' --program "$CASES/linked"; taffrail enable later 'shop.c:31' || taffrail enable later 'shop.c:31' --program "$CASES/linked" -p 1; echo $?; taffrail destroy later
whole stdout: 2
stderr: none of yours runs: 'start --all' and 'enable' take --program FILE
stderr: --program is for later processes, and -p names one

# SPDX-License-Identifier: LGPL-2.1-or-later
# Files of buffers that processes share have little memory until a process
# switches a site on. Where there is no room then, events are lost, and no process
# ends.

compile: worker ../shared/worker.c -O2 -pthread agent

group: memory
before:
	taffrail start late --all --buffers shared --buffer-size 1M -e app/hit
	kib() { du -sk $TAFFRAIL_DIR/sessions/.shared.late | cut -f1; }
	kib >kib
	echo end | $CASES/worker 0 counts >all
	kib >>kib
case: a program without a site that is switched on takes none
run:
	taffrail stop late
	taffrail start none --all --buffers shared --buffer-size 1M -e no/such
	echo end | $CASES/worker 0 counts >all
	test $(du -sk $TAFFRAIL_DIR/sessions/.shared.none | cut -f1) -lt 400
case: before the first site, and behind it
run:
	{ read first; read then; } <kib
	test $first -lt 400
	test $then -gt $((1024 * $(getconf _NPROCESSORS_CONF)))
case: a quota has them allocated at once
run:
	taffrail start quota --all --buffers shared --buffer-size 1M --quota 64M
	test $(du -sk $TAFFRAIL_DIR/sessions/.shared.quota | cut -f1) -gt \
		$((1024 * $(getconf _NPROCESSORS_CONF)))

group: no room when the first site is switched on
need: unshare -m true
before:
	mkdir small
	unshare -m sh -c 'mount -t tmpfs -o size=64m,mode=700 none small || exit 77
		export TAFFRAIL_DIR=$PWD/small
		taffrail start full --all --buffers shared --buffer-size 1M -e app/hit
		dd if=/dev/zero of=small/other bs=4096 2>/dev/null
		printf "go 10\nend\n" | $CASES/worker 0 counts; echo status $?
		rm small/other
		printf "go 10\nend\n" | $CASES/worker 0 counts; echo status $?
		taffrail stop full
		taffrail snapshot full -o out' >all 2>err
case: no program ends by it, and a later one has events
run: cat all err; taffrail view out | grep -c app:hit
stdout: ^20$
no stdout: ^status [^0]|SIGBUS|[Bb]us error

# How often a recorder wakes up, while a shell waits that has no site. Each
# number is of the whole time, so a busy machine has less in a second.
group: the recorder rests while no event can come
before:
	cat >wait.sh <<'END'
	wakes() {
		while read key number; do
			test $key != voluntary_ctxt_switches: || echo $number
		done </proc/$PPID/status
	}
	now() { read up idle </proc/uptime; echo ${up%.*}; }
	begin=$(now) first=$(wakes)
	eval "$1"
	echo $(($(wakes) - first)) in $(($(now) - begin)) s
	END
case: it wakes up less than thirty times a second
run:
	taffrail record -e no/such -o none -- sh wait.sh 'sleep 4' >said 2>/dev/null
	cat said
	read wakes in seconds s <said
	test $wakes -lt $((30 * seconds))
stdout: ^\d+ in \d+ s$
case: then an event is taken before the program ends
run:
	taffrail record -e 'app/*' --buffer-size 256K -o some -- sh wait.sh '
		sleep 1
		{ echo go 5000; n=0
		  until cat some/*/stream_* 2>/dev/null | grep -q . || test $n = 100; do
			n=$((n + 1)); sleep 0.1
		  done
		  echo $n >tries; echo end; } | $CASES/worker 0 counts >all'
	test $(cat tries) -lt 100 && taffrail view some | grep -c app:hit
stdout: ^10000$

# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs one program alone, recorded, with pthread, and attached; compares.
#
# A case is cases/NAME.sh:
#	packages	of Debian's; the first one's version is the table's
#	command		array; runs in a folder of its own, $work is the case's
#	rules		array; markers to be on (default: all)
#	attach_rules	array; those of a session after attach (default: rules)
#	variants	words; a row each, $variant is the word
#	as		the user (default: root)
#	target		the name of the process to attach to and to look at, where
#			it is not the command's first one; in the file it is what
#			/proc/PID/comm has
#	refused		what `taffrail attach` must say, where it must refuse
#	misses		a regular expression: what record says that it misses, and
#			then ends with 1
#	varies		descriptors, threads: what of it varies from run to run
#	ours		not empty: a thread of ours is there though nobody calls
#	remark		for the table
#	prepare		function; once, in $work
#	ready, client	functions of a server: is it there? asks it, prints
#	stop		function; ends a server (default: SIGTERM to $pid)
#	version		function (default: the first package's)
#	filter		function; takes out of output what varies
# A command without `client` should take a second or two.
#
# What must stay true: a difference counts only where the runs alone agree.
# Of output that varies, what all of them have must be there.
limit=150	# seconds; a run that takes longer hangs
times=2		# runs alone, and recorded
rounds=20	# of attach and detach

# tree PID: sets pids to it and its descendants.
tree()
{
	local queue=("$1") file children pid
	pids=()
	while test ${#queue[@]} -gt 0; do
		pid=${queue[0]}
		pids+=("$pid")
		queue=("${queue[@]:1}")
		for file in /proc/"$pid"/task/*/children; do
			children=
			{ read -r children <"$file"; } 2>/dev/null
			# shellcheck disable=SC2206  # words
			queue+=($children)
		done
	done
}

# Sets target_pid: the process that is named $target (all that there are belong
# to the case), or the command's first one.
find_target()
{
	local name file
	target_pid=$pid_program
	test -n "$target" || return 0
	target_pid=
	for file in /proc/[0-9]*/comm; do
		name=
		{ read -r name <"$file"; } 2>/dev/null
		if test "$name" = "$target"; then
			target_pid=${file#/proc/}
			target_pid=${target_pid%/comm}
			return 0
		fi
	done
	return 1
}

# look DIR: notes descriptors and threads of the target, and threads of ours in
# any process that were there at the look before as well.
look()
{
	local pid file name seen=' ' descriptors threads
	find_target || return 0
	tree "$pid_program"
	for pid in "${pids[@]}"; do
		for file in /proc/"$pid"/task/*/comm; do
			name=
			{ read -r name <"$file"; } 2>/dev/null
			file=${file%/comm}
			test "$name" = taffrail &&
				test "${file##*/}" != "$pid" || continue
			[[ $last_seen != *" $file "* ]] || echo "$file" >>"$1/ours"
			seen+="$file "
		done
	done
	last_seen=$seen
	descriptors=(/proc/"$target_pid"/fd/[0-9]*)
	threads=(/proc/"$target_pid"/task/[0-9]*)
	test -e "${threads[0]}" || return 0
	test -e "${descriptors[0]}" || test -L "${descriptors[0]}" || descriptors=()
	echo "${#descriptors[@]} descriptors, ${#threads[@]} threads" \
		>>"$1/looks"
}

# begin DIR MODE: starts the command there; sets job and pid_program.
begin()
{
	local dir=$1 mode=$2 prefix=() user=() rule
	case $mode in
	record) prefix=(taffrail record -o "$dir/../trace.${dir##*/}") ;;
	pthread) prefix=(taffrail record -o "$dir/../trace.${dir##*/}"
			--provider pthread) ;;
	esac
	if test $mode = record; then
		for rule in ${rules[@]+"${rules[@]}"}; do
			prefix+=(-e "$rule")
		done
	fi
	test ${#prefix[@]} -eq 0 || prefix+=(--)
	test "$as" = root || user=("${become[@]}")
	mkdir -p "$dir" && rm -rf "$dir/../trace.${dir##*/}"
	chown "$as" "$dir" "$dir/.."
	cd "$dir" || return
	exec 8<"$input"
	${user[@]+"${user[@]}"} ${prefix[@]+"${prefix[@]}"} "${command[@]}" \
		<&8 8<&- >../"${dir##*/}.out" 2>../"${dir##*/}.err" &
	job=$!
	exec 8<&-
	cd "$work" || return
	pid_program=$job
	last_seen=' '
	test $mode != alone || return 0
	pid_program=
	until test -n "$pid_program"; do
		kill -0 $job 2>/dev/null || return 1
		{ read -r pid_program _ <"/proc/$job/task/$job/children"; } \
			2>/dev/null
		sleep 0.02
	done
}

# lives PID: it is there, and no zombie.
lives()
{
	local stat
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
	[[ ${stat##*) } != [ZX]* ]]
}

# finish DIR: waits until the command has ended; sets status.
finish()
{
	local begin=$SECONDS watch=${2-look}
	while lives $job; do
		if test $((SECONDS - begin)) -gt $limit; then
			tree $job
			ps -o pid,stat,wchan:20,args -p "$(IFS=,; echo "${pids[*]}")" \
				>"$1.hung"
			kill -KILL "${pids[@]}" 2>/dev/null
		fi
		$watch "$1"
		sleep 0.1
	done
	wait $job
	status=$?
	test ! -e "$1.hung" || status=hung
	echo "exit status $status" >"$1.status"
}

# once DIR MODE: a whole run; sets took.
once()
{
	local dir=$1 mode=$2 start=${EPOCHREALTIME/./} i
	begin "$dir" "$mode"
	if declare -F client >/dev/null; then
		wait_ready "$dir"
		start=${EPOCHREALTIME/./}
		timeout_client "$dir.client"
		took=$((${EPOCHREALTIME/./} - start))
		sleep 1.5
		for i in 1 2 3; do
			look "$dir"
			sleep 0.1
		done
		stop
		finish "$dir" :
	else
		finish "$dir"
		took=$((${EPOCHREALTIME/./} - start))
	fi
}

wait_ready()
{
	local begin=$SECONDS
	until ready >/dev/null 2>&1; do
		kill -0 $job 2>/dev/null || return 1
		test $((SECONDS - begin)) -lt 60 || return 1
		sleep 0.1
	done
}

timeout_client()
{
	(client) >"$1" 2>&1 &
	local asks=$! begin=$SECONDS
	while kill -0 $asks 2>/dev/null; do
		if test $((SECONDS - begin)) -gt $limit; then
			echo "client hangs" >>"$1"
			tree $asks
			kill -KILL "${pids[@]}"
		fi
		sleep 0.05
	done
	wait $asks
	echo "client: exit status $?" >>"$1"
}

stop()
{
	kill -TERM "$pid_program"
}

filter()
{
	cat
}

version()
{
	dpkg-query -W -f '${Version}\n' "${packages%% *}" |
		sed 's/^[0-9]*://; s/[-+~].*//'
}

# cleaned DIR KIND: its output without what cannot be the same.
cleaned()
{
	test -f "$1.$2" || return 0
	grep -av '^taffrail: record: ' "$1.$2" | sed "s|$1|DIR|g" | filter
}

# differs DIR: prints what is not as in the runs alone.
differs()
{
	local dir=$1 kind i same others
	for kind in status out err client; do
		cleaned "$dir" $kind >"$dir.$kind.clean"
		same=1
		for ((i = 2; i <= times; i++)); do
			cmp -s "$work/alone1.$kind.clean" \
				"$work/alone$i.$kind.clean" || same=
		done
		if test -n "$same"; then
			cmp -s "$work/alone1.$kind.clean" "$dir.$kind.clean" &&
				continue
		else
			varying $kind >"$work/$kind.stable"
			sort -u "$dir.$kind.clean" |
				comm -13 - "$work/$kind.stable" |
				grep -q . || ! suspect $kind "$dir" || continue
			touch "$work/varies"
		fi
		case $kind in
		status)
			test -z "$misses" || ! grep -q \
				"^taffrail: record: .*$misses" "$dir.err" ||
				continue
			echo "$(cat "$dir.status")," \
				"not $(sed 's/exit status //' "$work/alone1.status")" ;;
		out) echo 'other output' ;;
		err) echo 'other messages' ;;
		client) echo 'other answers' ;;
		esac
	done
	looks_differ "$dir"
	test -n "$ours" || test ! -s "$dir/ours" || echo 'a thread of ours, though nobody calls'
}

# The lines that all runs alone have.
varying()
{
	local i
	sort -u "$work/alone1.$1.clean" >"$work/common"
	for ((i = 2; i <= times; i++)); do
		sort -u "$work/alone$i.$1.clean" | comm -12 - "$work/common" \
			>"$work/common.new"
		mv "$work/common.new" "$work/common"
	done
	cat "$work/common"
}

# Lines that no run alone has and that speak of us, or of a crash.
suspect()
{
	! grep -aiE 'taffrail|preload|segmentation|stack smash' \
		"$2.$1.clean" | grep -q .
}

# What a target showed most of the time. A server is looked at after a request
# and must match its run alone. A command must have no more descriptors than the
# most that it had alone.
looks_differ()
{
	local word usual alone
	for word in descriptors threads; do
		[[ " $varies " != *" $word "* ]] || continue
		test $word = descriptors || declare -F client >/dev/null ||
			continue
		usual=$(sed "s/ *\\([0-9]*\\) $word.*/ \\1/; s/.* //" "$1/looks" \
			2>/dev/null | sort | uniq -c | sort -rn |
			awk 'NR == 1 { print $2 }')
		alone=$(sed "s/ *\\([0-9]*\\) $word.*/ \\1/; s/.* //" \
			"$work"/alone?/looks 2>/dev/null | sort -n | uniq)
		test -n "$usual" && test -n "$alone" || continue
		if declare -F client >/dev/null; then
			grep -qx "$usual" <<<"$alone" && continue
		else
			test "$usual" -gt "${alone##*$'\n'}" || continue
		fi
		echo "$usual $word, not ${alone//$'\n'/ or }"
	done
}

# What is in /dev/shm, but for the runtime directories themselves.
shared()
{
	find /dev/shm -mindepth 1 ! -path '/dev/shm/taffrail-*/sessions' |
		grep -vE '^/dev/shm/taffrail-[0-9]+$' | sort
}

# Sets spent: what the processes that this shell has waited for took of CPUs, microseconds.
cpu_spent()
{
	local user_min user system_min system
	times >"$work/times"
	{ read -r user; IFS='ms ' read -r user_min user system_min system _
	} <"$work/times"
	spent=$(((10#$user_min + 10#$system_min) * 60000000 +
		10#${user/./}000 + 10#${system/./}000))
}

# Buffers and sessions; of a process that ended by a signal or a bare system call
# a page stays. What the program itself leaves is not ours.
ours_left()
{
	grep -E '^/dev/shm/taffrail.*/(ring|session)\.' "$1"
}

# compared NAME MODE: a run; prints what differs.
compared()
{
	local dir=$work/$1 before spent
	shared >"$work/shm.before"
	cpu_spent
	before=$spent
	once "$dir" "$2"
	echo $took >"$dir.took"
	cpu_spent
	echo $((spent - before + 1)) >"$dir.cpu"
	test "$2" = alone && { for kind in status out err client; do
		cleaned "$dir" $kind >"$dir.$kind.clean"; done; return; }
	differs "$dir"
	shared | comm -13 "$work/shm.before" - >"$dir.left"
	if test -s "$dir.left"; then
		sleep 2
		shared | comm -13 "$work/shm.before" - >"$dir.left"
	fi
	ours_left "$dir.left" >"$dir.left.ours" &&
		echo "left: $(sed -n 1p "$dir.left.ours")"
	tail -n 20 "$dir.err" | grep -a '^taffrail: record: ' >"$dir.said"
}

# Some rounds of attach and detach in the target, until it has ended.
attach_rounds()
{
	local dir=$1 begin=$SECONDS
	while test $done_rounds -lt $rounds &&
	      test $((SECONDS - begin)) -lt $limit &&
	      lives $job; do
		find_target || { sleep 0.02; continue; }
		if attach_round "$target_pid" >>"$dir.attach" 2>&1; then
			done_rounds=$((done_rounds + 1)) complaints=0
		elif test -n "$refused" && grep -q "$refused" "$dir.attach"; then
			done_rounds=$rounds
			was_refused=1
		else
			sleep 0.1
			lives "$target_pid" || break
			complaints=$((complaints + 1))
			test $complaints -lt 5 || {
				tail -n 1 "$dir.attach" |
					sed 's/process [0-9]*/process N/' \
					>>"$work/complaints"
				return
			}
		fi
		sleep 0.02
	done
}

as_user()
{
	if test "$as" = root; then
		"$@"
	else
		"${become[@]}" "$@"
	fi
}

attach_round()
{
	local rule args=()
	timeout -k 3 20 taffrail attach "$1" || return
	if test $((done_rounds % 4)) -eq 1 && test ${#rules[@]} -gt 0; then
		for rule in "${attach_rules[@]:-${rules[@]}}"; do
			args+=(-e "$rule")
		done
		timeout -k 3 20 taffrail start programs -p "$1" "${args[@]}"
		sleep 0.05
	fi
	# first: detach keeps a process whose events nobody has saved
	test ${#args[@]} -eq 0 ||
		as_user timeout -k 3 20 taffrail destroy programs
	timeout -k 3 20 taffrail detach "$1"
}

# attached: runs until there were enough rounds; prints what differs.
attached()
{
	local dir run=0 asked begin=$SECONDS
	done_rounds=0 complaints=0 was_refused=
	: >"$work/complaints"
	: >"$work/differences"
	shared >"$work/shm.before"
	while test $done_rounds -lt $rounds && test $run -lt 40 &&
	      test $complaints -lt 5 &&
	      test $((SECONDS - begin)) -lt $((2 * limit)); do
		run=$((run + 1))
		dir=$work/attach$run
		begin "$dir" alone
		if declare -F client >/dev/null; then
			wait_ready
			(while ! test -e "$dir.enough"; do
				timeout_client "$dir.client"
			done) &
			asked=$!
			attach_rounds "$dir"
			: >"$dir.enough"
			wait $asked
			sleep 1.5
			for _ in 1 2 3; do
				look "$dir"
			done
			stop
			finish "$dir" :
		else
			attach_rounds "$dir"
			finish "$dir"
		fi
		differs "$dir" >>"$work/differences"
	done
	shared | comm -13 "$work/shm.before" - | ours_left - \
		>"$work/attach.left" && sed -n '1s/^/left: /p' "$work/attach.left"
	sort "$work/differences" | uniq -c |
		sed "s/^ *\\([0-9]*\\) \\(.*\\)/\\2 (\\1 of $run)/"
	sort -u "$work/complaints" | sed -n 1p
	test $done_rounds -ge $rounds || echo "$done_rounds rounds in $run runs"
	test -z "$refused" || test -n "$was_refused" ||
		echo "not refused: $refused"
}

# The shortest of some runs, in microseconds.
shortest()
{
	sort -n "$@" | sed -n 1p
}

# said DIR: what `record` said of events, or else.
said()
{
	sed -n 's/^taffrail: record: //; s/ (.*//; s/, so there is no trace//
		/^no marker/d; $p' "$1.said" 2>/dev/null
}

verdict()
{
	if test -s "$1"; then
		# shellcheck disable=SC2094
		sed ':a; N; $!ba; s/\n/; /g' "$1"
	else
		echo ok
	fi
}

# cost MODE: of wall time and, in brackets, of CPU time.
cost()
{
	awk -v wall="$(shortest "$work"/alone?.took)" \
		-v cpu="$(shortest "$work"/alone?.cpu)" \
		-v with="$(shortest "$work/$1"*.took)" \
		-v cpu_with="$(shortest "$work/$1"*.cpu)" 'BEGIN {
		printf "%.2f (%.2f)", with / wall, cpu_with / cpu }'
}

# row NAME: all runs of a program; prints its line. 1: it was hurt.
row()
{
	local i name=$1 attach kept=$results/$1
	rm -rf "$kept" && mkdir -p "$kept"
	for ((i = 1; i <= times; i++)); do
		compared "alone$i" alone
	done
	: >"$work/verdict.record"
	for ((i = 1; i <= times; i++)); do
		compared "record$i" record >>"$work/verdict.record"
	done
	sort -u -o "$work/verdict.record" "$work/verdict.record"
	compared pthread pthread >"$work/verdict.pthread"
	attached >"$work/verdict.attach"
	attach=$(verdict "$work/verdict.attach")
	test "$attach" != ok || test -z "$refused" || attach="refused: $refused"
	{
		cost record; echo -n ', '; cost pthread
	} >"$work/cost"
	events="$(said "$work/record1"); pthread: $(said "$work/pthread")"
	printf '| %s | %s | %s | %s | %s | %s | %s |\n' "$name" "$(version)" \
		"$(verdict "$work/verdict.record")" "$(verdict "$work/verdict.pthread")" \
		"$attach" "$(cat "$work/cost")" \
		"$events${remark:+. $remark}" | tee "$kept/row"
	rm -rf "$work"/trace.*
	(cd "$work" && cp -- *.out *.err *.client *.status *.hung *.attach \
		*.said *.left *.ours looks* differences "$kept" 2>/dev/null)
	for i in "$work"/*/looks; do
		cp "$i" "$kept/$(basename "$(dirname "$i")").looks" 2>/dev/null
	done
	! test -s "$work/verdict.record" && ! test -s "$work/verdict.pthread" &&
		! test -s "$work/verdict.attach"
}

# rows NAME: a case, and each variant of it.
rows()
{
	local case=$1 failed=0 words word
	words=$(work='' variant='' variants=''
		. "/mnt/source/cases/$case.sh" >/dev/null && echo "$variants")
	for word in ${words:-''}; do
		(
			variant=$word packages='' rules=() attach_rules=() as=root target=''
			refused='' remark='' varies='' ours='' misses='' input=/dev/null
			command=()
			work=/mnt/work/$case${word:+-$word}
			mkdir -p "$work/home" && cd "$work" || exit 1
			. "/mnt/source/cases/$case.sh"
			become=(setpriv "--reuid=$as" "--regid=$(id -g "$as")"
				--clear-groups env "HOME=$work/home" "USER=$as"
				"LOGNAME=$as")
			chown -R "$as" "$work"
			if declare -F prepare >/dev/null &&
			   ! (prepare) >"$work/prepare.log" 2>&1; then
				mkdir -p "$results/$case"
				cp "$work/prepare.log" "$results/$case/"
				echo "| $case${word:+ $word} | - | not prepared:" \
					"$(tail -n 1 "$work/prepare.log") | | | | |"
				exit 1
			fi
			row "$case${word:+-$word}"
		) || failed=1
		rm -rf "/mnt/work/$case${word:+-$word}"
	done
	return $failed
}

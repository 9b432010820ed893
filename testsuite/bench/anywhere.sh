# SPDX-License-Identifier: LGPL-2.1-or-later
# Part of `run`: functions of programs that were not prepared
# (docs/functions.md).
#
# What must stay true: what is compared lies in one process, or is the same
# server, in turn.

anywhere_rules='bench/anywhere;fn:entered%entry;fn:both;fn:whole if duration >= 0;fn:brief if duration > 1000s'
anywhere_hot='processCommand call readQueryFromClient processInputBuffer lookupCommand setCommand getCommand addReply writeToClient lookupKeyWriteWithFlags'
anywhere_requests=20000
anywhere_rounds=15
anywhere_turns=5

step_anywhere()
{
	say 'any function'
	anywhere_turns | anywhere_medians | results
	"$taffrail" snapshot env -o "$work/anywhere.trace" >&2
	"$taffrail" view "$work/anywhere.trace" >"$work/anywhere.events"
	# the others were written
	grep -q ' fn:both: ' "$work/anywhere.events" &&
		grep -c ' fn:brief: ' "$work/anywhere.events" |
		sed 's/^/value anywhere.on.written /' | results
	rm -rf "$work/anywhere.trace" "$work/anywhere.events"
	anywhere_lines
	anywhere_debug
	anywhere_back
	anywhere_entries
	anywhere_all
	anywhere_redis
}

# With rules, and under uftrace: entry and return alone, then with the values
# that an event has; in turn, because other work comes and goes.
anywhere_turns()
{
	local turn
	for turn in $(seq $anywhere_turns); do
		timeout 100 env LD_PRELOAD="$library" \
			TAFFRAIL_ENABLE="$anywhere_rules" "$work/anywhere" on
		anywhere_uftrace
	done
}

# The median of the values of each name.
anywhere_medians()
{
	sort -k2,2 -k3,3g | awk '
	function out() { if (n) print "value", name, v[int((n + 1) / 2)] }
	$2 != name { out(); name = $2; n = 0 }
	{ v[++n] = $3 }
	END { out() }'
}

# Lines with three locals, the condition true or not; with a member through a
# pointer; and with a string of 20 characters.
anywhere_lines()
{
	"$taffrail" start lines --all --overwrite --program "$work/lines" \
		-e 'bench/*' -e 'met:+5(x, y, z) if x > 0' \
		-e 'unmet:+5(x, y, z) if x < 0' -e 'member:+5(x, item->price)' \
		-e 'string:+5(item->name)' >&2 || return
	timeout 100 env LD_PRELOAD="$library" "$work/lines" | results
	"$taffrail" destroy lines >&2
}

# A C++ unit under 60 names, and a program with all of them: some 100 MB of debug
# information. The seconds from a command with one rule, and with ten, until it
# shows the first event of the running program.
anywhere_debug()
{
	local debug=$work/debug one ten='' begin
	command -v objcopy >/dev/null || { say 'without objcopy'; return; }
	mkdir "$debug" && cat >"$debug/unit.cc" <<-'END' &&
	#include <filesystem>
	#include <future>
	#include <iostream>
	#include <map>
	#include <random>
	#include <regex>
	#include <set>
	#include <sstream>
	#include <unordered_map>
	extern "C" int unit(int n)
	{
		std::map<int, std::string> names{ { n, "one" } };
		std::unordered_map<std::string, std::vector<int>> lists;
		std::set<std::string> words{ "word" };
		std::mt19937 random(n);
		std::stringstream text;
		lists["a"].push_back(random());
		text << n << names.size() << words.size();
		auto later = std::async([&] { return n + 1; });
		return later.get() + std::regex_match(text.str(), std::regex("a.b"));
	}
	END
	cat >"$debug/first.c" <<-'END' || return
	#include <unistd.h>
	int total, unit(int n);
	__attribute__((noinline)) void step(int n)
	{
		total += n;
		total ^= n;
		total -= n;
		usleep(1000);
	}
	int main(int argc, char **argv)
	{
		(void)argv;
		alarm(200);
		for (int n = argc > 1 ? unit(1) : 0;; n++)
			step(n);
	}
	END
	${CXX:-c++} -g -O1 -c -o "$debug/unit.o" "$debug/unit.cc" || return
	for one in $(seq 60); do
		objcopy --redefine-sym unit=unit$one "$debug/unit.o" \
			"$debug/unit$one.o"
	done
	$CC -g -O0 -Dunit=unit1 -c -o "$debug/first.o" "$debug/first.c" &&
	${CXX:-c++} -o "$debug/first" "$debug/first.o" "$debug"/unit[0-9]*.o \
		-pthread || return
	size -A "$debug/first" | awk '/^\.debug/ { n += $2 }
		END { print "value anywhere.debug.bytes", n / 1e6 }' | results
	for one in 4 5 6 7 8; do
		ten="$ten -e first.c:$one(n,total) -e unit.cc:$((one + 8))"
	done
	env LD_PRELOAD="$library" "$debug/first" &
	peer=$!
	anywhere_first one -e 'first.c:6(n,total)'
	anywhere_first ten $ten
	kill $peer
	wait $peer
	peer=
	rm -rf "$debug"
}

# NAME OPTION...: the seconds until a command shows an event of `peer`.
anywhere_first()
{
	local name=$1 begin
	shift
	begin=$(date +%s%N)
	timeout 100 "$taffrail" view --follow -p $peer "$@" >"$debug/events" &
	anywhere_view=$!
	until grep -q ' line:' "$debug/events"; do
		kill -0 $anywhere_view || break
		sleep 0.01
	done
	echo $(($(date +%s%N) - begin)) |
		awk -v n=$name '{ print "value anywhere.debug." n, $1 / 1e9 }' |
		results
	kill $anywhere_view
	wait $anywhere_view
}

# The functions were recorded, and the agent has given them back.
anywhere_back()
{
	local before=$TAFFRAIL_DIR/anywhere.in
	mkfifo "$before" || return
	timeout 100 env LD_PRELOAD="$library" "$work/anywhere" back wait \
		<>"$before" >"$work/back" &
	peer=$!
	wait_for "$work/back" ready 1 &&
		"$taffrail" start back -p "$(pgrep -P $peer)" -e 'fn:again' -e 'fn:both' \
			-e 'fn:brief if duration > 1000s' >&2 &&
		"$taffrail" destroy back >&2
	echo >"$before"
	wait $peer
	peer=
	rm -f "$before"
	grep ^value "$work/back" | results
}

anywhere_uftrace()
{
	command -v uftrace >/dev/null || { say 'without uftrace'; return; }
	anywhere_patched bare
	anywhere_patched uftrace -A '^both$@arg1,arg2,arg3' -R '^both$@retval'
}

anywhere_patched()
{
	local name=$1
	shift
	(cd "$work" && timeout 100 uftrace record --no-libcall --max-stack 64 \
		-d "$work/uftrace" -P '^both$' "$@" "$work/anywhere" $name) \
		2>/dev/null | grep ^value
	rm -rf "$work/uftrace"
}

# The share of functions of installed files that can be had, as the unit test
# prints it.
anywhere_entries()
{
	test -x "$work/functions" || { say 'without the unit test'; return; }
	"$work/functions" >"$work/entries"
	sed -n 's/^PASS: \(\/[^:]*\): .* entries.*/\1/p' "$work/entries" |
		xargs "$work/functions" | sed -n \
		's/^# all files: \([0-9.]*\) %.*/value anywhere.entries.faults \1/p' |
		results
	awk '
	/ entries/ {
		share = $0
		sub(/.*: /, "", share)
		if (/all files: /) {
			print "value anywhere.entries.all", share + 0
		} else if (least == "" || share + 0 < least) {
			least = share + 0
		}
	}
	END { if (least != "") print "value anywhere.entries.least", least }' \
		"$work/entries" | results
}

# KiB of private memory of a process, without rings and copies of the agent.
anywhere_memory()
{
	awk '/^[0-9a-f]+-[0-9a-f]+ / { counts = !/\/ring\.|libtaffrail/ }
	/^Private_Dirty:/ && counts { sum += $2 }
	END { print sum + 0 }' "/proc/$1/smaps"
}

# All functions of redis-server and their returns, in a running server: the
# seconds to switch them on and off. And the bytes that each takes, in a server
# that has had another one: what the first takes alone is not of a site.
anywhere_all()
{
	local before after begin on off sites
	command -v redis-server >/dev/null || { say 'without redis'; return; }
	anywhere_servers=
	anywhere_server all env LD_PRELOAD="$library" || return
	"$taffrail" start first -p $anywhere_servers -e 'fn:redis-*/main' >&2
	before=$(anywhere_memory $anywhere_servers)
	"$taffrail" start all -p $anywhere_servers -e 'fn:redis-*/*' --yes >&2
	after=$(anywhere_memory $anywhere_servers)
	kill $anywhere_servers
	wait $anywhere_servers
	anywhere_servers=
	anywhere_server all env LD_PRELOAD="$library" || return
	begin=$(date +%s%N)
	"$taffrail" start all -p $anywhere_servers -e 'fn:redis-*/*' --yes >&2
	on=$(($(date +%s%N) - begin))
	sites=$("$taffrail" list -p $anywhere_servers 2>/dev/null |
		grep -c '^fn/.* function ')
	begin=$(date +%s%N)
	"$taffrail" destroy all >&2
	off=$(($(date +%s%N) - begin))
	kill $anywhere_servers
	wait $anywhere_servers
	echo "$sites $on $off $((after - before))" | awk '$1 {
		print "value anywhere.all.sites", $1
		print "value anywhere.all.on", $2 / 1e9
		print "value anywhere.all.off", $3 / 1e9
		print "value anywhere.all.memory", $4 / $1 }' | results
}

# Only root may: entry and return under the kernel's probes.
peer_anywhere()
{
	case " $* " in
	"  " | *" anywhere "*) ;;
	*) return ;;
	esac
	command -v bpftrace >/dev/null ||
		{ say 'without bpftrace'; return; }
	timeout 100 bpftrace -q -e "uprobe:$work/anywhere:both { @b = count(); }
		uretprobe:$work/anywhere:both { @e = count(); }" \
		-c "$work/anywhere kernel" 2>/dev/null | grep '^value ' | results
}

# Requests in a second, and in one of processor time, of three servers in turn: without the
# agent, with ten hot functions recorded as whole calls (none of them is long
# enough), and with their entries and returns. No server has jemalloc's threads,
# which block SIGTRAP, nor a handler of SIGSEGV. The rates of the last two are
# the median of `plain` times the median of their ratios to it in each round.
anywhere_redis()
{
	local round one calls=
	command -v redis-server >/dev/null &&
		command -v redis-benchmark >/dev/null ||
		{ say 'without redis'; return; }
	for one in $anywhere_hot; do
		calls="$calls;fn:$one if duration > 1s"
	done
	anywhere_servers=
	anywhere_server plain env &&
	anywhere_server hot env LD_PRELOAD="$library" \
		TAFFRAIL_ENABLE="${calls#;}" &&
	anywhere_server events env LD_PRELOAD="$library" \
		TAFFRAIL_ENABLE="fn:${anywhere_hot// /;fn:}" &&
	set -- $anywhere_servers &&
	for round in $(seq $anywhere_rounds); do
		anywhere_requests plain $1
		anywhere_requests hot $2
		anywhere_requests events $3
	done >"$work/requests"
	kill $anywhere_servers
	wait $anywhere_servers
	for one in redis busy; do
		grep " anywhere.$one." "$work/requests" |
			awk '/plain/ { plain = $3 }
			!/plain/ { $3 /= plain }
			{ print }' | anywhere_medians | sort -k2,2r |
			awk '/plain/ { plain = $3 }
			!/plain/ { $3 *= plain }
			{ print }' | results
	done
}

# NAME COMMAND...: starts a server.
anywhere_server()
{
	local name=$1
	shift
	"$@" redis-server --port 0 --unixsocket "$TAFFRAIL_DIR/$name.sock" \
		--save '' --dir "$work" --jemalloc-bg-thread no \
		--crash-log-enabled no >"$work/redis.$name" 2>&1 &
	anywhere_servers="$anywhere_servers $!"
	wait_for "$work/redis.$name" '.*eady to accept' 1
}

# NAME PID: the rate of SET and GET of a server, and how many it serves in a
# second of processor time, as values.
anywhere_requests()
{
	local before after
	before=$(cut -d ' ' -f 1 "/proc/$2/schedstat")
	redis-benchmark -s "$TAFFRAIL_DIR/$1.sock" -n $anywhere_requests -c 20 \
		-t set,get --csv 2>/dev/null | tr -d '"' | awk -F, -v n="$1" '
		$1 == "SET" || $1 == "GET" { sum += $2 }
		END { print "value anywhere.redis." n, sum / 2 }'
	after=$(cut -d ' ' -f 1 "/proc/$2/schedstat")
	echo $anywhere_requests $before $after | awk -v n="$1" '
		{ print "value anywhere.busy." n, 2e9 * $1 / ($3 - $2) }'
}

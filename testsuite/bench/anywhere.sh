# SPDX-License-Identifier: LGPL-2.1-or-later
# Part of `run`: functions of programs that were not prepared
# (docs/functions.md).
#
# What must stay true: what is compared lies in one process, or is the same
# server, in turn.

anywhere_rules='bench/anywhere;fn:entered%entry;fn:both;fn:whole if duration >= 0;fn:brief if duration > 1000s'
anywhere_hot='processCommand call readQueryFromClient processInputBuffer lookupCommand setCommand getCommand addReply writeToClient lookupKeyWriteWithFlags'
anywhere_requests=40000
anywhere_rounds=7

step_anywhere()
{
	say 'any function'
	timeout 100 env LD_PRELOAD="$library" TAFFRAIL_ENABLE="$anywhere_rules" \
		"$work/anywhere" on | results
	"$taffrail" snapshot env --dead -o "$work/anywhere.trace" >/dev/null 2>&1
	"$taffrail" view "$work/anywhere.trace" 2>/dev/null | grep -c fn:brief |
		sed 's/^/value anywhere.on.written /' | results
	rm -rf "$work/anywhere.trace"
	anywhere_back
	anywhere_uftrace
	anywhere_redis
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
	(cd "$work" && timeout 100 uftrace record --no-libcall --max-stack 64 \
		-d "$work/uftrace" -P '^both$' "$work/anywhere" uftrace) \
		2>/dev/null | grep ^value | results
	rm -rf "$work/uftrace"
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

# Requests a second of three servers in turn: without the agent, with ten hot
# functions recorded as whole calls (none of them is long enough), and with their
# entries and returns. They are recorded from the start, as a thread of redis
# blocks SIGTRAP later.
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
	for round in $(seq $anywhere_rounds); do
		for one in plain hot events; do
			anywhere_requests $one
		done
	done >"$work/requests"
	kill $anywhere_servers
	wait $anywhere_servers
	sort -k2,2 -k3,3g "$work/requests" |
		awk -v n=$anywhere_rounds 'NR % n == int(n / 2) + 1' | results
}

# NAME COMMAND...: starts a server.
anywhere_server()
{
	local name=$1
	shift
	"$@" redis-server --port 0 --unixsocket "$TAFFRAIL_DIR/$name.sock" \
		--save '' --dir "$work" >"$work/redis.$name" 2>&1 &
	anywhere_servers="$anywhere_servers $!"
	wait_for "$work/redis.$name" '.*eady to accept' 1
}

# NAME: the rate of SET and GET of a server, as a value.
anywhere_requests()
{
	redis-benchmark -s "$TAFFRAIL_DIR/$1.sock" -n $anywhere_requests -c 20 \
		-t set,get --csv 2>/dev/null | tr -d '"' | awk -F, -v n="$1" '
		$1 == "SET" || $1 == "GET" { sum += $2 }
		END { print "value anywhere.redis." n, sum / 2 }'
}

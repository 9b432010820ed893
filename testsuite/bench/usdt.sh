# SPDX-License-Identifier: LGPL-2.1-or-later
# Part of `run`: USDT probes of programs that are not ours (docs/usdt.md).
#
# What must stay true: what is compared is the same program doing the same, by
# the processor time of all that it takes, the agent's threads included.

# the newest that the release has
usdt_newest()
{
	ls -d "$@" 2>/dev/null | sort -V | tail -n 1
}

usdt_postgres=$(dirname "$(usdt_newest /usr/lib/postgresql/*/bin/postgres)")
usdt_java=$(usdt_newest /usr/lib/jvm/java-[1-9][0-9]-*/bin/java)
usdt_selects=20000
usdt_rounds=3
# PostgreSQL does not run as root, nor as a user without a name.
usdt_as='unshare --user --map-user=postgres --map-group=postgres'

step_usdt()
{
	say 'USDT probes'
	"$work/usdt" off | results
	with_agent "$work/usdt" on | results
	with_agent "$work/moved" moved | results
	usdt_jvm
	usdt_postgres "$work/data"
}

# Only root may: the same under the kernel's probes. Before the rest, so that
# the rest is a user's.
peer_usdt()
{
	case " $* " in
	"  " | *" usdt "*) ;;
	*) return ;;
	esac
	"$work/usdt" uprobe | results
	command -v bpftrace >/dev/null ||
		{ say 'without bpftrace'; return; }
	timeout 100 bpftrace -q \
		-e "usdt:$work/usdt:bench:usdt { @hits = count(); }" \
		-c "$work/usdt peer" 2>/dev/null | grep '^value ' | results
	usdt_postgres_made "$work/peerdata" || return
	bpftrace -e "usdt:$usdt_postgres/postgres:postgresql:*
		{ @hits = count(); } BEGIN { printf(\"ready\\n\"); }" \
		>"$work/counts" 2>&1 &
	peer=$!
	wait_for "$work/counts" ready 1 &&
		usdt_select peer "$work/peerdata"
	kill -INT $peer
	wait $peer
	peer=
	rm -rf "$work/peerdata"
}

# All of libjvm's probes on in a JVM that runs, by the clock of who asks; and
# what the same request takes when nothing is new. A single request is all that
# is measured: the median of three JVMs.
usdt_jvm()
{
	local round
	test -x "$usdt_java" || { say "without $usdt_java"; return; }
	for round in 1 2 3; do
		usdt_jvm_once || return
	done >"$work/jvm"
	sort -k2,2 -k3,3g "$work/jvm" | awk 'NR % 3 == 2' | results
}

usdt_jvm_once()
{
	local session=probes socket
	cat >"$work/Wait.java" <<-'END'
	public class Wait {
		public static void main(String[] args) throws Exception {
			System.out.println("ready");
			System.in.read();
		}
	}
	END
	# "switch" speaks to the socket by itself
	TAFFRAIL_SERVICE=thread gdb_start "$usdt_java" -XX:+UseSerialGC \
		-Xmx64m "$work/Wait.java" || return
	wait_for_agent "$traced" control.sock
	set -- "$TAFFRAIL_DIR/$traced".*/control.sock
	socket=$1
	"$taffrail" start --context none $session -p "$traced" -e 'libstdcxx/throw' \
		--overwrite >&2 &&
	"$work/switch" "$socket" $session 'libstdcxx/throw' 10 |
		awk '/^switched/ { print "value usdt.jvm.control", $3 }'
	"$work/switch" "$socket" $session 'hotspot*/*' 10 |
		awk '/^enabled/ { print "value usdt.jvm.probes", $2
				  print "value usdt.jvm", $3 }
		     /^switched/ { print "value usdt.jvm.again", $3 }'
	gdb_end
}

usdt_postgres_made()
{
	local n
	test -x $usdt_postgres/postgres || { say 'without PostgreSQL'; return 1; }
	$usdt_as $usdt_postgres/initdb -A trust -N -D "$1" >"$work/initdb" ||
		return
	for n in $(seq $usdt_selects); do
		echo "select $n;"
	done >"$work/single.sql"
}

# usdt_select NAME DATA VARIABLE=VALUE...: the processor time of the server
# alone with these in its environment, the least of some rounds.
usdt_select()
{
	local name=$1 data=$2 round
	shift 2
	cat >"$work/single" <<-END
	TIMEFORMAT='%U %S'
	time $usdt_as $usdt_postgres/postgres --single -D $data postgres \
		<$work/single.sql >/dev/null 2>&1
	END
	for _ in $(seq $usdt_rounds); do
		env "$@" bash "$work/single" 2>&1 >/dev/null |
			awk 'NF == 2 && $1 + $2 > 0 { print $1 + $2 }'
	done | sort -n | head -n 1 |
		sed "s/^/value usdt.postgres.$name /" | results
}

usdt_postgres()
{
	usdt_postgres_made "$1" || return
	usdt_select plain "$1"
	usdt_select traced "$1" LD_PRELOAD="$library" \
		TAFFRAIL_ENABLE='postgresql/*'
}

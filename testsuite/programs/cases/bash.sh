# SPDX-License-Identifier: LGPL-2.1-or-later
packages='bash'
# shellcheck disable=SC2016
command=(bash -c '
	trap "echo trapped" USR1
	for ((i = 0; i < 100; i++)); do
		x=$(echo $i | sed s/1/x/)
		echo "$x" && (exit 3) || echo $?
	done
	kill -USR1 $$
	coproc cat
	echo hello >&${COPROC[1]}
	read -r line <&${COPROC[0]}
	echo "$line"
	for ((i = 0; i < 100000; i++)); do :; done
	ulimit -n
	kill -TERM $$')

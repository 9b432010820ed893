# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
# LTTng's session daemon for a script, which sources this file. The daemon has
# folders and a network of its own, so that it meets no other. Where that is
# impossible, the script exits with 77 and a reason.

# DIR SCRIPT ARGS...: begins the script again, in a mount namespace and a network
# of its own, unless it is in them.
sessiond_enter()
{
	test "${SESSIOND_INSIDE-}" = '' || return 0
	test "$(id -u)" = 0 ||
		{ echo 'needs root for a mount namespace'; exit 77; }
	mkdir -p /run/lttng "$1" || exit 77
	shift
	SESSIOND_INSIDE=1 exec unshare -mn --propagation private sh "$@"
}

# DIR FOLDER...: mounts the folders, and starts the daemon, with its files in DIR.
sessiond_start()
{
	LTTNG_HOME=$1 HOME=$1 LTTNG_UST_REGISTER_TIMEOUT=5000
	export LTTNG_HOME HOME LTTNG_UST_REGISTER_TIMEOUT
	shift
	for folder; do
		mount -t tmpfs tmpfs "$folder" ||
			{ echo 'cannot mount'; exit 77; }
	done
	lttng-sessiond --no-kernel >"$HOME/daemon.log" 2>&1 &
	sessiond=$!
	tries=0
	until lttng -n list >/dev/null 2>&1; do
		tries=$((tries + 1))
		if test $tries -gt 100; then
			echo 'lttng-sessiond does not start'
			kill "$sessiond"
			exit 77
		fi
		sleep .1
	done
}

# Ends the daemon.
sessiond_end()
{
	kill "$sessiond"
	wait "$sessiond"
}

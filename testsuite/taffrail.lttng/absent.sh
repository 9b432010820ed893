#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# absent.sh DIR COMMAND...: runs the command where LTTng-UST's libraries cannot be
# found: their folder has links to all other files. Exits with 77 and a reason
# where that is impossible.
set -u
if test "${ABSENT_INSIDE-}" = ''; then
	test "$(id -u)" = 0 ||
		{ echo 'needs root for a mount namespace'; exit 77; }
	mkdir -p "$1/folder" "$1/links" || exit 77
	ABSENT_INSIDE=1 exec unshare -m --propagation private sh "$0" "$@"
fi
dir=$1
shift
unset ABSENT_INSIDE
library=$(/sbin/ldconfig -p | sed -n 's/.*liblttng-ust\.so\.1 .*x86-64.* => //p')
folder=$(realpath "$(dirname "$library")")
test -n "$library" || { echo 'LTTng is not installed here'; exit 77; }
mount --bind "$folder" "$dir/folder" || { echo 'cannot mount'; exit 77; }
# there are thousands of files, and a test comes here often
test -e "$dir/links/made" ||
	{ ln -sfn "$dir"/folder/* "$dir/links/" &&
	  rm -f "$dir"/links/liblttng-ust* && : >"$dir/links/made"; } || exit 77
mount --bind "$dir/links" "$folder" || { echo 'cannot mount'; exit 77; }
exec "$@"

# SPDX-License-Identifier: LGPL-2.1-or-later
# A program in namespaces of its own, as a container has them, for a section of
# docs/tasks.md.

# shellcheck disable=SC2046
cc -g -pthread $(pkg-config --cflags taffrail) "$SRC/examples/slow.c" -o shop
env -u TAFFRAIL_DIR unshare -m -p -f -i -u --mount-proc sh -c \
	'mount -t tmpfs none /dev/shm && echo ready >ready && exec ./shop 60' &
container_outer=$!
until test -s ready; do
	sleep 0.1
done
container_pid=$(cat "/proc/$container_outer/task/$container_outer/children")

# The page's.
pgrep()
{
	echo "$container_pid"
}

container_end()
{
	kill "$container_pid"
	wait "$container_outer"
	true
}

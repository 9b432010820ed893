# SPDX-License-Identifier: LGPL-2.1-or-later
# A PostgreSQL that is asked all the time, for a section of docs/tasks.md. Its
# directory is the user's who runs it: as root, that is postgres.

server_place=$(mktemp -d)
server_as=
test "$(id -u)" != 0 || {
	server_as='setpriv --reuid=postgres --regid=postgres --clear-groups'
	chown postgres "$server_place"
}
server_bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
(cd "$server_place" &&
	$server_as "$server_bin/initdb" -D data -U asker >log 2>&1)
# its agent uses the default directory of that user
(cd "$server_place" && unset TAFFRAIL_DIR &&
	exec $server_as "$server_bin/postgres" -D data \
	-k "$server_place" -c listen_addresses= >>log 2>&1) &
server_pid=$!
until $server_as "$server_bin/pg_isready" -q -h "$server_place"; do
	kill -0 "$server_pid" || break
	sleep 0.1
done
(while kill -0 "$server_pid" 2>/dev/null; do
	"$server_bin/psql" -q -h "$server_place" -U asker -c 'SELECT 1' \
		postgres
done) >/dev/null 2>&1 &
server_asker=$!

# The page's; another PostgreSQL may run here.
pgrep()
{
	echo "$server_pid"
}

server_end()
{
	kill "$server_asker" "$server_pid"
	wait "$server_asker" "$server_pid"
	rm -rf "$server_place"
	# what programs keep of files that they have read stays for their user
	$server_as sh -c 'cd "/dev/shm/taffrail-$(id -u)" && {
		rm sessions/.known; rmdir ./* "$PWD"; }' 2>/dev/null || true
}

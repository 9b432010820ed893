# SPDX-License-Identifier: LGPL-2.1-or-later
# A service of systemd with the page's drop-ins, for a section of docs/tasks.md.

# shellcheck disable=SC2046
cc -g -pthread $(pkg-config --cflags taffrail) "$SRC/examples/slow.c" -o shop
service_library=$(pkg-config --variable=libdir taffrail)/libtaffrail.so
service_command=$(command -v taffrail)
mkdir -p /run/systemd/system/shop.service.d
# A drop-in is for the filter. `systemctl restart` would return before the program
# is executed; it waits for ExecStartPost=, which waits for an event.
cat >/run/systemd/system/shop.service <<END
[Service]
ExecStart=$PWD/shop 600
ExecStartPost=sh -c 'until $service_command view -s env | grep -q shop:; do \\
	sleep 0.1; done'
SystemCallFilter=@system-service
END
for service_file in shop.service.d/*.conf; do
	sed "s,=libtaffrail.so,=$service_library,
		s,=taffrail ,=$service_command ," "$service_file" \
		>"/run/systemd/system/$service_file"
done

service_end()
{
	systemctl stop shop
	rm -r /run/systemd/system/shop.service* /var/log/shop
	systemctl daemon-reload
}

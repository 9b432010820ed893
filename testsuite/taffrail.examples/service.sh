# SPDX-License-Identifier: LGPL-2.1-or-later
# A service of systemd with the page's drop-in, for a section of docs/tasks.md.

# shellcheck disable=SC2046
cc -g -pthread $(pkg-config --cflags taffrail) "$SRC/examples/slow.c" -o shop
service_library=$(dirname "$(command -v taffrail)")/../lib/libtaffrail.so
mkdir -p /run/systemd/system/shop.service.d
printf '[Service]\nExecStart=%s/shop 600\n' "$PWD" \
	>/run/systemd/system/shop.service
sed "s,=libtaffrail.so,=$service_library," shop.service.d/taffrail.conf \
	>/run/systemd/system/shop.service.d/taffrail.conf

service_end()
{
	systemctl stop shop
	rm -r /run/systemd/system/shop.service*
	systemctl daemon-reload
}

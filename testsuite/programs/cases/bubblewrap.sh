# SPDX-License-Identifier: LGPL-2.1-or-later
packages='bubblewrap'
variants='root user tmpfs'
test "$variant" = root || as=nobody
places=(--ro-bind / /)
test "$variant" != tmpfs ||
	places=(--ro-bind /usr /usr --symlink usr/lib /lib --symlink usr/lib64 /lib64
		--symlink usr/bin /bin --tmpfs /tmp --ro-bind /etc /etc)
# shellcheck disable=SC2016
command=(bwrap "${places[@]}" --unshare-all --proc /proc --dev /dev
	--bind /dev/shm /dev/shm --die-with-parent
	bash -c 'id -u; ls /proc/$$/task | wc -l
	for i in {1..20}; do echo $i | sed s/1/x/; done; sleep 1; exit 3')

# SPDX-License-Identifier: LGPL-2.1-or-later
packages='systemd-container'
variants='root user'
options=()
test "$variant" = root || options=(--private-users=65536:65536)
# It makes folders in /run, which is the machine's. The runtime directory must be
# the recorder's in there, or `record` ends with 1.
# shellcheck disable=SC2016
command=(unshare --mount sh -c 'mount -t tmpfs run /run; exec "$@"' sh
	systemd-nspawn -q -D "$work/root" --register=no --keep-unit --as-pid2
	--bind-ro=/usr --bind=/dev/shm --resolv-conf=off --timezone=off --pipe
	${options[@]+"${options[@]}"}
	bash -c 'id -u; ls /proc/$$/task | wc -l
	for i in {1..20}; do echo $i | sed s/1/x/; done; sleep 1; exit 3')

prepare()
{
	mkdir -p root/{usr,etc,dev,proc,sys,run,tmp,var}
	ln -s usr/bin usr/sbin usr/lib usr/lib64 root/
	echo 'ID=none' >root/etc/os-release
	echo 'root:x:0:0::/root:/bin/sh' >root/etc/passwd
	echo 'root:x:0:' >root/etc/group
}

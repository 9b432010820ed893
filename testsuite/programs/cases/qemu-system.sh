# SPDX-License-Identifier: LGPL-2.1-or-later
packages='qemu-system-x86 linux-image-cloud-amd64 busybox-static cpio'
remark='boots Linux, without KVM'
kernel=$(find /boot -name 'vmlinuz-*-cloud-amd64' | sort -V | tail -n 1)
command=(qemu-system-x86_64 -accel "tcg,thread=multi" -smp 2 -m 256
	-nodefaults -display none -no-reboot -serial stdio
	-kernel "$kernel" -initrd "$work/initrd"
	-append "console=ttyS0 quiet panic=-1")

prepare()
{
	mkdir -p root/bin root/proc root/dev
	cp /bin/busybox root/bin/
	ln -s busybox root/bin/sh
	cat >root/init <<-'END'
	#!/bin/sh
	busybox mount -t proc proc /proc
	busybox mount -t devtmpfs dev /dev
	echo "booted $(busybox grep -c ^processor /proc/cpuinfo)"
	for i in 1 2; do
		busybox seq 20000 | busybox sha256sum &
	done
	wait
	busybox poweroff -f
	END
	chmod 755 root/init
	(cd root && find . | cpio -o -H newc --quiet) >initrd
}

# The firmware and the kernel print what varies before that.
filter()
{
	tr -d '\r' | sed -n '/booted\|  -$\|qemu\|taffrail\|preload\|panic\|^exit/p'
}

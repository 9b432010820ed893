# SPDX-License-Identifier: LGPL-2.1-or-later
packages='xz-utils'
command=(bash -c "xz -T2 -2 --block-size=4MiB -c $work/data | tee >(sha256sum >&2) |
	xz -dc | sha256sum")
target=xz

prepare()
{
	seq 2500000 >data
}

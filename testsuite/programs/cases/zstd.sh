# SPDX-License-Identifier: LGPL-2.1-or-later
packages='zstd'
command=(bash -c "zstd -q -T2 -10 -c $work/data | tee out | sha256sum
	zstd -q -d -c out | sha256sum; zstd -q -t $work/data")
target=zstd

prepare()
{
	seq 6000000 >data
}

# SPDX-License-Identifier: LGPL-2.1-or-later
packages='busybox-static'
refused='static'
command=(busybox sh -c '
	i=0
	while test $i -lt 60; do
		echo "$i" | busybox sed s/1/x/
		/bin/echo outside
		i=$((i + 1))
	done
	seq 200000 | busybox sha256sum
	exit 3')
remark='static; the programs that it runs are recorded'

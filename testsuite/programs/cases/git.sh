# SPDX-License-Identifier: LGPL-2.1-or-later
packages='git'
# in a folder of its own: the driver writes beside it
command=(bash -c 'set -e
	mkdir repository; cd repository
	export GIT_AUTHOR_DATE="2001-01-01 00:00:00Z" HOME=$PWD
	export GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE GIT_PAGER=cat
	git init -q -b main .
	git config user.name n; git config user.email e@example.org
	for i in $(seq 10); do
		for j in $(seq 40); do seq $((i * j)) >$j; done
		git add -A; git commit -q -m "$i"
	done
	git log --stat | sha256sum
	git gc -q --aggressive; git fsck; git rev-parse HEAD
	git clone -q . copy; git -C copy log --oneline
	git grep -c 77; git checkout nothing')

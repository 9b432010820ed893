# SPDX-License-Identifier: LGPL-2.1-or-later
packages='rsync'
target=rsync
limit=300
remark='100,000 files'
# Copies all, then what has changed since; the copy goes, memory is needed.
command=(bash -c 'stats="^Number of|^Total (file size|transferred)"
	rsync -a --stats "$1/source/" copy/ | grep -E "$stats"
	rsync -anic --delete "$1/source/" copy/
	for i in {0..99}; do
		echo changed >copy/$i/changed; rm copy/$i/f007
	done
	rsync -a --stats --delete --checksum "$1/source/" copy/ | grep -E "$stats"
	cd copy; find . -type f | wc -l
	find . -type f -print0 | sort -z | xargs -0 cat | sha256sum
	cd ..; rm -rf copy' sh "$work")

prepare()
{
	local i
	for i in {0..99}; do
		mkdir -p "source/$i"
		(cd "source/$i" && seq -f "file $i %.0f" 1000 |
			split -l 1 -a 3 -d - f) || return
	done
}

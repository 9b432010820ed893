# SPDX-License-Identifier: LGPL-2.1-or-later
# Functions that are switched off and on so often that there is no room for new
# descriptions, in buffers that programs share.

compile: terms-a terms.c -O1 -DLETTER=a
compile: terms-b terms.c -O1 -DLETTER=b
compile: terms-c terms.c -O1 -DLETTER=c

before:
	library=$(dirname "$(command -v taffrail)")/../lib/libtaffrail.so
	start a LD_PRELOAD=$library "$CASES/terms-a"; pids=$pid
	start b LD_PRELOAD=$library "$CASES/terms-b"; pids="$pids $pid"
	taffrail start s --all --yes --overwrite -e 'fn:*_has_a_long_name*' || echo bad
	for i in {1..36}; do
		taffrail disable s 'fn:*' && taffrail enable s 'fn:*_has_a_long_name*' || echo bad
	done
case: they are recorded, and those of a program that comes
run:
	start c LD_PRELOAD=$library "$CASES/terms-c"; pids="$pids $pid"
	on()
	{
		taffrail view -s s >told 2>/dev/null && grep -q fn:c_ told
	}
	wait_for on; taffrail status s | grep 'no room'; taffrail destroy s; kill $pids
	tail -n 20000 told | grep -o 'fn:[abc]_' | sort -u
whole stdout:
	fn:a_
	fn:b_
	fn:c_

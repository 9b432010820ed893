# SPDX-License-Identifier: LGPL-2.1-or-later
packages='strace'
target=strace
ours=1
remark='what it runs has a service thread from the start'
command=(bash -c 'strace -f -qq -o log -e trace=write sh -c "
	for i in 1 2 3 4 5 6 7 8 9 10; do echo \$i; /bin/echo \$i; done; sleep 1; exit 3"
	echo $?; grep -c "write(1, " log')

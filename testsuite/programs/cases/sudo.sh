# SPDX-License-Identifier: LGPL-2.1-or-later
packages='sudo'
command=(sudo -n -u nobody bash -c 'id; ulimit -n; for i in {1..200000}; do :; done
	sleep 1; exit 3')

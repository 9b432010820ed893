# SPDX-License-Identifier: LGPL-2.1-or-later
packages='vim'
command=(vim -N -u NONE -i NONE -n -es -c 'call setline(1, range(1, 60000))'
	-c 'g/7/s/\d/x/g' -c '%!sort' -c 'norm ggJJJ'
	-c 'let s = 0 | for i in range(400000) | let s += i % 7 | endfor'
	-c 'call append(0, s)' -c '%print' -c 'cquit 4')

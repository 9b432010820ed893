# SPDX-License-Identifier: LGPL-2.1-or-later
packages='gcc'
target=cc1
command=(bash -c "gcc -O2 -c -o big.o $work/big.c && sha256sum big.o
	gcc -O2 -pipe -x c -c -o small.o - <<<'int x = y;'")

prepare()
{
	local i
	for i in $(seq 500); do
		echo "int f$i(int *a, int n) { int s = 0; for (int i = 0; i < n;
			i++) s += a[i] * $i ^ (s >> 3); switch (s) { case 1:
			return a[$i]; case 5: return n; } return s; }"
	done >big.c
}

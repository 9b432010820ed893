/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a generated program (values.py) as often as a line of input says, and
 * lives until the input ends.
 */
#include <stdio.h>

int generated(void);

int main(void)
{
	int times;

	puts("ready");
	fflush(stdout);
	if (scanf("%d", &times) != 1)
		return 1;
	while (times--)
		generated();
	puts("done");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}

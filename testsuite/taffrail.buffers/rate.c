/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the rate of the trace clock. */
#include <stdio.h>
#include <taffrail/clock.h>
#include <taffrail/marker.h>

int main(void)
{
	TAFFRAIL_EVENT(app, rate, 1);
	printf("%llu\n", (unsigned long long)taffrail_clock_hz());
	return 0;
}

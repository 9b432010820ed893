/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program with one marker, and one event.
 */
#include <taffrail/marker.h>

int main(void)
{
	TAFFRAIL_EVENT(bench, one, 1);
	return 0;
}

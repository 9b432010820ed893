/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Markers that a program without markers opens later. */
#include <taffrail/marker.h>

void hit(int n);

void hit(int n)
{
	for (int i = 0; i < n; i++)
		TAFFRAIL_EVENT(app, late, i);
}

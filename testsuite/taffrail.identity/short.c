/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One event. */
#include <taffrail/marker.h>

int main(void)
{
	TAFFRAIL_EVENT(app, short, 1);
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An empty string in an event whose predecessors had longer ones. */
#include <taffrail/marker.h>

int main(void)
{
	static const char *const texts[] = { "first", "second one", "", "z" };
	int i;

	/* babeltrace2 takes fifteen messages at once: the third text below is
	 * the first for which it uses an older event's memory again. */
	for (i = 0; i < 11; i++)
		TAFFRAIL_EVENT(app, before, i);
	for (i = 0; i < 4; i++)
		TAFFRAIL_EVENT(app, text, i, texts[i],
			       TAFFRAIL_FIELD(end, 0x5a5a5a5a));
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pairs, fields and names that make tables wide. With an argument, it does not
 * end.
 */
#include <unistd.h>

#include <taffrail/marker.h>

int main(int argc, char **argv)
{
	unsigned long long wide = 1;

	(void)argv;
	for (int i = 0; i < 100 || argc > 1; i++) {
		if (argc > 1)
			usleep(1000);
		TAFFRAIL_EVENT(app, short_begin, i);
		TAFFRAIL_EVENT(app, short_end, i);
		TAFFRAIL_EVENT(application,
			       of_a_name_that_no_table_has_room_for_begin, i);
		TAFFRAIL_EVENT(application,
			       of_a_name_that_no_table_has_room_for_end, i,
			       wide);
		wide = wide * 3 + 1;
	}
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A server that writes a title over its environment, as /proc shows it, emits
 * an event, forks a child and ends. The child emits an event later.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <taffrail/marker.h>

extern char **environ;

int main(void)
{
	char **variable = environ;

	while (*variable) {
		memset(*variable, '-', strlen(*variable));
		variable++;
	}
	TAFFRAIL_EVENT(app, title, 1);
	if (!fork()) {
		sleep(2);
		TAFFRAIL_EVENT(app, title, 2);
	}
	return 0;
}

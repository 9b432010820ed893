/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A few events of each kind, in a program that does not depend on how it gets
 * the agent.
 */
#include <stdio.h>
#include <taffrail/marker.h>

int main(void)
{
	const char *url = "/index";
	int n;

	for (n = 0; n < 100; n++) {
		const char *who = "main";

		TAFFRAIL_EVENT(app, hit, TAFFRAIL_STR(who), n);
	}
	TAFFRAIL_MARK(app, request, "id %d url %s", 7, url);
	TAFFRAIL_EVENT(other, silent, n);
	puts("done");
	return 3;
}

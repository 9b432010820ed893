/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Callbacks at events of LTTng-UST: also one that changes the callbacks, while
 * LTTng is in the event. */
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "every.h"

#include <stdio.h>
#include <string.h>
#include <taffrail/probe.h>

static int ones, others, nothings;

static void at_nothing(const struct taffrail_event *event, void *unused)
{
	(void)event;
	(void)unused;
	nothings++;
}

static void at_other(const struct taffrail_event *event, void *text)
{
	(void)event;
	(void)text;
	others++;
}

static void on_event_one(const struct taffrail_event *event, void *unused)
{
	(void)event;
	(void)unused;
	ones++;
	taffrail_probe_detach("every/one", on_event_one, NULL);
	taffrail_probe_attach("every/nothing", at_nothing, NULL);
}

int main(void)
{
	int i;

	if (taffrail_probe_attach("every/one", on_event_one, NULL) < 0 ||
	    taffrail_probe_attach("every/other", at_other, NULL) < 0)
		return 1;
	for (i = 0; i < 3; i++) {
		lttng_ust_tracepoint(every, one, i, "one");
		lttng_ust_tracepoint(every, other, i, "other");
		lttng_ust_tracepoint(every, nothing);
	}
	taffrail_probe_detach("every/other", at_other, NULL);
	lttng_ust_tracepoint(every, other, i, "other");
	lttng_ust_tracepoint(every, nothing);
	printf("one %d other %d nothing %d\n", ones, others, nothings);
	return 0;
}

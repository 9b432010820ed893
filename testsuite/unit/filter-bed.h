/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A filter (gdbstub/filter/filter.h) between a gdb and a gdbserver that are the
 * test.
 */
#ifndef UNIT_FILTER_BED_H
#define UNIT_FILTER_BED_H

#include "unit.h"

#include "gdbstub/filter/filter.h"

static struct filter filter;

/* What it promises in the server's place. */
#define OFFERED ";StaticTracepoints+;qXfer:statictrace:read+"

/* $text#sum */
static const char *framed(const char *text)
{
	static char packet[8192];
	uint8_t sum = 0;

	for (const char *p = text; *p; p++)
		sum += (uint8_t)*p;
	snprintf(packet, sizeof(packet), "$%s#%02x", text, sum);
	return packet;
}

/* What waits for a side, which is then sent. */
static const char *sent(enum filter_side to)
{
	static char text[2][FILTER_QUEUE_BYTES + 1];
	const struct filter_queue *q = filter_queue(&filter, to);

	memcpy(text[to], q->bytes, q->used);
	text[to][q->used] = '\0';
	filter_sent(&filter, to, q->used);
	return text[to];
}

static void give(enum filter_side from, const char *bytes)
{
	size_t n = strlen(bytes);

	unit_equal(filter_take(&filter, from, bytes, n), n, "all is taken");
}

/* A host's functions for a program with one marker. */
static inline uint32_t one_read(void *arg, const struct filter_thread *thread)
{
	(void)arg;
	(void)thread;
	return 1;
}

static inline void one_get(void *arg, uint32_t i, struct filter_marker *marker)
{
	(void)arg;
	(void)i;
	*marker = (struct filter_marker){ 0x401000, "app/one", "id %d", 0 };
}

static void filter_begin(const struct filter_host *host, int no_ack)
{
	filter_open(&filter, host);
	filter.extension = 1;
	if (!no_ack)
		return;
	give(FILTER_GDB, framed("QStartNoAckMode"));
	give(FILTER_SERVER, "+");
	give(FILTER_SERVER, framed("OK"));
	give(FILTER_GDB, "+");
	sent(FILTER_GDB);
	sent(FILTER_SERVER);
}

/* A request and its answer; `to_server` NULL: it is answered here. */
static void exchange(const char *request, const char *to_server,
		     const char *answer, const char *to_gdb)
{
	give(FILTER_GDB, framed(request));
	unit_equal_string(sent(FILTER_SERVER), to_server ? framed(to_server) :
			  "", "%.40s: what the server gets", request);
	if (to_server)
		give(FILTER_SERVER, framed(answer));
	unit_equal_string(sent(FILTER_GDB), framed(to_gdb),
			  "%.40s: what gdb gets", request);
}

#endif

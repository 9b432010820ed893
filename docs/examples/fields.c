/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Typed events: what may be a field, and how it gets its name.
 *
 *	cc $(pkg-config --cflags taffrail) fields.c -o fields
 *	taffrail record -o trace -- ./fields
 */
#include <stdbool.h>
#include <stdint.h>

#include <taffrail/marker.h>

enum color { RED, GREEN };

struct request {
	int id;
	const char *url;
	uint8_t body[4];
	double seconds[2];
};

/* Called only while an event asks for it. */
static int costly(void)
{
	static int calls;

	return ++calls;
}

static void numbers(void)
{
	signed char small = -1;
	uint16_t port = 8080;
	int64_t big = -5000000000;
	enum color color = GREEN;
	bool ready = true;
	float ratio = 0.5f;
	const void *nowhere = 0;

	TAFFRAIL_EVENT(app, numbers, small, port, big, color, ready, ratio,
		       nowhere);
}

/* A member is named after itself; an expression by TAFFRAIL_FIELD. */
static void request(const struct request *r, const struct request *next)
{
	TAFFRAIL_EVENT(app, request, r->id, r->url, next->id,
		       TAFFRAIL_FIELD(total, r->id + next->id),
		       TAFFRAIL_BYTES(r->body, sizeof(r->body)),
		       TAFFRAIL_ARRAY(r->seconds, 2));
	if (TAFFRAIL_ENABLED(app, detail)) {
		int cost = costly();

		TAFFRAIL_EVENT(app, detail, cost);
	}
}

/* Bytes that are text but not of type char * want TAFFRAIL_STR. */
static void texts(void)
{
	const unsigned char raw[] = "raw";
	const char *missing = 0;

	TAFFRAIL_EVENT(app, texts, "literal", TAFFRAIL_STR(raw), missing);
	TAFFRAIL_EVENT(app, nothing);
}

int main(void)
{
	struct request a = { 7, "/index", { 1, 2, 3, 4 }, { 0.25, 1.5 } };
	struct request b = { 8, "/next", { 0 }, { 0 } };

	numbers();
	request(&a, &b);
	texts();
	return 0;
}

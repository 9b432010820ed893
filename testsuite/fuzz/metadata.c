/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: what a process says of itself and of its events.
 *
 * An input is a process page and a session page with some records of events,
 * whose names, formats, types and descriptions of fields are of any kind, and
 * then some bytes changed.
 * Whatever comes: either it is refused, or the metadata is text in which each
 * quote and brace is closed, with an event for each record; and random bytes
 * are stepped over, or refused, within their end.
 */
#include "testsuite/fuzz/fuzz.h"

#include "testsuite/unit/rings.h"
#include "traces/metadata.h"

#define TEXT_BYTES	(1u << 20)
#define RECORDS_MAX	6
#define STRINGS		4

static struct fake fake;
static char text[TEXT_BYTES];

static const char *const words[] = {
	"app", "hit", "id", "%d", "%s", " ", "\"", "\\", "{", "}", ";", ":=",
	"%5.3f", "%*s", "%p", "\n", "\t", "int", "_", "9", "struct", "event",
	"\xc3\xa9", "\xff", "%%", "%lld", "url=%s", "a->b", "x[3]", "()", ",",
	"//", "/*", "*/", "stream", "?\?/",
};

static size_t add_string(struct fuzz *fuzz, char *to)
{
	uint64_t n = fuzz_less(fuzz, 6);
	char *p = to;

	while (n--) {
		const char *word = words[fuzz_less(
			fuzz, sizeof(words) / sizeof(*words))];

		strcpy(p, word);
		p += strlen(word);
	}
	*p++ = '\0';
	return (size_t)(p - to);
}

/* Adds how a field is shown: in a way that there is, or none, with some values
 * and names. The sizes may be false. */
static size_t add_shown(struct fuzz *fuzz, char *to)
{
	struct taffrail_shown head = {
		.field_ = (uint8_t)fuzz_less(fuzz, 6),
		.how_ = (uint8_t)fuzz_less(fuzz, TAFFRAIL_HOW_TIME_S + 2),
		.count_ = (uint16_t)fuzz_less(fuzz, 5),
	};
	char *p = to + sizeof(head);
	uint64_t value;
	int i;

	for (i = 0; i < head.count_; i++, p += sizeof(value)) {
		value = fuzz_less(fuzz, 2) ? fuzz_less(fuzz, 300) - 100 :
					     fuzz_less(fuzz, UINT64_MAX);
		memcpy(p, &value, sizeof(value));
	}
	for (i = (int)fuzz_less(fuzz, 4); i; i--)
		p += add_string(fuzz, p);
	head.bytes_ = (uint32_t)(p - to - sizeof(head));
	if (!fuzz_less(fuzz, 20))
		head.bytes_ -= (uint32_t)fuzz_less(fuzz, 4);
	memcpy(to, &head, sizeof(head));
	return (size_t)(p - to);
}

static void add_record(struct fuzz *fuzz, uint32_t id)
{
	uint8_t types[EVENT_FIELDS_MAX + 1] = "";
	char strings[2048];
	size_t bytes = 0;
	uint64_t n = fuzz_less(fuzz, 5);
	int i;

	for (i = 0; i < STRINGS; i++)
		bytes += add_string(fuzz, strings + bytes);
	while (n--) {
		uint64_t scalar = 1 + fuzz_less(fuzz, TAFFRAIL_T_BOOL);

		switch (fuzz_less(fuzz, 16)) {
		case 0:
			scalar = 1 + fuzz_less(fuzz, 255);
			break;
		case 1 ... 4:
			scalar = TAFFRAIL_T_STRING;
			break;
		case 5 ... 7:
			scalar |= TAFFRAIL_T_SEQUENCE;
			break;
		case 8 ... 9:
			scalar |= TAFFRAIL_T_ARRAY;
		}
		types[n] = (uint8_t)scalar;
	}
	for (i = (int)fuzz_less(fuzz, 6); i; i--)
		bytes += add_shown(fuzz, strings + bytes);
	fake_event(&fake, id, (int)fuzz_less(fuzz, 3), strings, bytes, types);
}

static void input_make(struct fuzz *fuzz)
{
	uint64_t n = fuzz_less(fuzz, RECORDS_MAX);
	char *records = (char *)fake.session + EVENT_RECORDS_OFFSET;
	uint32_t id = 0;

	fake.session->record_bytes = 0;
	fake.session->contexts = (uint32_t)fuzz_less(fuzz, 32);
	fake.session->flags = (uint32_t)fuzz_less(fuzz, 8);
	fake.session->magic = SESSION_MAGIC;
	fake.session->version = LAYOUT_VERSION;
	memset(records, 0, 16384);
	while (n--)
		add_record(fuzz, id += (uint32_t)fuzz_less(fuzz, 30));
	if (!fuzz_less(fuzz, 3))
		fuzz_mutate(fuzz, (uint8_t *)records,
			    fake.session->record_bytes + 1);
	if (!fuzz_less(fuzz, 8))
		fuzz_mutate(fuzz, (uint8_t *)fake.session,
			    sizeof(*fake.session));
}

/* Quotes, braces and comments; returns how many events there are, -1 when it is
 * no such text. */
static int text_judge(const char *p)
{
	int quoted = 0;
	int depth = 0;
	int events = 0;

	/* it begins with a comment, so that there is something before */
	for (; *p; p++) {
		if ((unsigned char)*p < 0x20 && *p != '\n' && *p != '\t')
			return -1;
		if (quoted) {
			quoted = *p != '"';
			if (*p == '\n' || (*p == '\\' && !*++p))
				return -1;
		} else if (*p == '/' && p[1] == '*') {
			p = strstr(p + 2, "*/");
			if (!p++)
				return -1;
		} else if (*p == '"') {
			quoted = 1;
		} else if (*p == '{') {
			events += !depth++ && !strncmp(p - 6, "event ", 6);
		} else if (*p == '}' && --depth < 0) {
			return -1;
		}
	}
	return quoted || depth ? -1 : events;
}

/* Random bytes in place of events. */
static void walk_bytes(struct fuzz *fuzz, const struct packet_format *format)
{
	uint8_t bytes[64];
	size_t n = fuzz_less(fuzz, sizeof(bytes));
	struct packet_walk walk;
	uint8_t *exact;
	size_t i;

	for (i = 0; i < n; i++)
		bytes[i] = (uint8_t)fuzz_less(fuzz, fuzz_less(fuzz, 2) ? 32 :
								       256);
	exact = fuzz_copy(bytes, n);
	packet_walk(format, 0, exact, n, &walk);
	if (walk.bytes > n)
		fuzz_fail(fuzz, "a walk beyond the end", bytes, n);
	free(exact);
}

static void describe(struct fuzz *fuzz, FILE *out,
		     const struct session_view *session,
		     const struct process_page *process)
{
	struct metadata metadata = {
		.process = process, .session = session, .uuid = process->uuid,
		.clock = { .hz = 1000000000 },
	};
	struct event_shape *shapes = NULL;
	struct packet_format format;
	int events;

	if (!metadata_format(&format, &shapes, session))
		walk_bytes(fuzz, &format);
	free(shapes);
	rewind(out);
	if (metadata_write(out, &metadata))
		return;
	fputc('\0', out);
	fflush(out);
	events = text_judge(text);
	if (events != (int)session->nevents)
		fuzz_fail(fuzz, "the text is not closed, or has another number "
			  "of events", text, strlen(text));
	fuzz->accepted++;
}

static void try(struct fuzz *fuzz, FILE *out)
{
	struct clock_anchor anchors[1 + PROCESS_ANCHORS];
	struct process_page saved = *fake.process;
	struct session_view session;
	struct process_page process;
	uint64_t lost;

	if (!fuzz_less(fuzz, 8))
		fuzz_mutate(fuzz, (uint8_t *)fake.process,
			    sizeof(*fake.process));
	if (!process_read(&process, fake.image)) {
		if (process_anchors(&process, anchors) > 1 + PROCESS_ANCHORS)
			fuzz_fail(fuzz, "too many anchors", &process, 64);
		if (!session_view_open(&session, fake.image, "session.0")) {
			session_view_oversize(&session, &lost);
			describe(fuzz, out, &session, &process);
			session_view_close(&session);
		}
	}
	*fake.process = saved;
}

int main(int argc, char **argv)
{
	struct session_page saved;
	struct fuzz fuzz;
	FILE *out;

	fuzz_open(&fuzz, "metadata", argc, argv);
	map_guard();
	fake_open(&fake, 0, 0);
	saved = *fake.session;
	out = fmemopen(text, sizeof(text), "w");
	if (!out)
		abort();
	for (; fuzz.done < fuzz.inputs; fuzz.done++) {
		*fake.session = saved;
		input_make(&fuzz);
		try(&fuzz, out);
	}
	fclose(out);
	fake_close(&fake);
	return fuzz_end(&fuzz, 300);
}

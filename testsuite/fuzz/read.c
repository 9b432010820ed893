/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: reading traces.
 *
 * Metadata as Taffrail writes it, with events of all types, and packets of such
 * events, both mutated; some metadata is whole, so that packets are read to
 * their end. Whatever comes: what the parser takes describes fields of possible
 * sizes; each event lies in its packet, behind the one before; its text is
 * written; the reader ends. A trace that may share its schema with another one
 * describes what it describes alone.
 */
#include "testsuite/fuzz/fuzz.h"

#include <fcntl.h>

#include "base/base.h"
#include "traces/read/private.h"
#include "traces/text/event-text.h"

#define PACKETS		3
#define PACKET_BYTES	600
#define METADATA_BYTES	8192
#define EVENTS_MAX	(PACKETS * PACKET_BYTES)

static const char head[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; signed = 0; } := uint8_t;\n"
	"typealias integer { size = 32; align = 8; signed = 0; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; signed = 0; } := uint64_t;\n"
	"trace { major = 1; minor = 8; uuid = "
	"\"01020304-0506-0708-090a-0b0c0d0e0f10\"; byte_order = le;\n"
	"packet.header := struct { uint32_t magic; uint8_t uuid[16]; "
	"uint32_t stream_id; uint64_t stream_instance_id; }; };\n"
	"env { hostname = \"h\\\"\\033\"; tracer_name = \"taffrail\"; "
	"procname = \"p\"; vpid = 12; vpid_starttime = 34; };\n"
	"clock { name = \"monotonic\"; freq = 2100000160; "
	"offset_s = 1795300111; offset = 2067588268; absolute = TRUE; };\n"
	"struct event_header { enum : integer { size = 5; align = 1; "
	"signed = 0; } { usual = 0 ... 30, extended = 31 } id; variant <id> { "
	"struct { integer { size = 27; align = 1; signed = 0; "
	"map = clock.monotonic.value; } timestamp; } usual; struct { uint32_t "
	"id; integer { size = 64; align = 8; signed = 0; "
	"map = clock.monotonic.value; } timestamp; } extended; } v; } "
	"align(8);\n"
	"stream { id = 0; event.header := struct event_header; "
	"packet.context := struct { uint64_t timestamp_begin; uint64_t "
	"timestamp_end; uint64_t content_size; uint64_t packet_size; uint64_t "
	"packet_seq_num; uint64_t events_discarded; uint32_t cpu_id; };\n";

static const char contexts[] =
	"event.context := struct { integer { size = 32; align = 8; signed = 1; "
	"} _vtid; integer { size = 8; align = 8; signed = 0; encoding = UTF8; }"
	" _procname[16]; };\n";

#define INTEGER(bits, sign, base)					\
	"integer { size = " #bits "; align = 8; signed = " #sign "; "	\
	"encoding = none; base = " #base "; }"

static const char *const fields[] = {
	INTEGER(8, 1, 10) " _a;\n", INTEGER(16, 0, 16) " _b;\n",
	INTEGER(32, 1, 8) " _c;\n", INTEGER(64, 0, 2) " _d;\n",
	"floating_point { exp_dig = 8; mant_dig = 24; align = 8; } _e;\n",
	"floating_point { exp_dig = 11; mant_dig = 53; align = 8; } _f;\n",
	"string { encoding = UTF8; } _g;\n",
	"enum : " INTEGER(16, 1, 10)
		" { \"x\" = -1, y = 0 ... 7, \"z\" = 5 } _h;\n",
	INTEGER(32, 0, 10) " __i_length;\n\t" INTEGER(32, 1, 10)
		" _i[ __i_length ];\n",
	"integer { size = 8; align = 8; signed = 1; encoding = UTF8; } _j[1];\n",
	INTEGER(16, 0, 10) " _k[3];\n",
	"struct { uint8_t _m; string { encoding = UTF8; } _n; } _l;\n",
	"struct { enum : " INTEGER(32, 0, 10) " { \"A\" = 0, \"_B\" = 1, "
		"\"C\" = 2, \"none\" = 3 } _tag; " INTEGER(32, 0, 10)
		" __value_length; variant <_tag> { " INTEGER(16, 1, 10) " A; "
		"integer { size = 8; align = 8; signed = 0; encoding = UTF8; } "
		"_B[ __value_length ]; floating_point { exp_dig = 11; "
		"mant_dig = 53; align = 8; } C; struct { } none; } _value; } "
		"_o;\n",
	"typealias " INTEGER(32, 1, 10) " := duration_ms_of_p; "
		"duration_ms_of_p _p;\n",
};

/* One input. */
struct input {
	char metadata[METADATA_BYTES];
	uint8_t *packet[PACKETS];	/* of exactly so many bytes */
	size_t bytes[PACKETS];
	int next;
};

struct memory_stream {
	struct read_stream stream;
	struct input *input;
};

static bool take_packet(struct read_stream *stream, uint64_t begin,
			struct read_packet *packet)
{
	struct input *in = ((struct memory_stream *)stream)->input;
	int n = in->next;

	if (n == PACKETS)
		return false;
	memset(packet, 0, sizeof(*packet));
	packet->head.packet_seq_num = (uint64_t)n;
	packet->head.timestamp_begin = (uint64_t)n << 30;
	packet->head.timestamp_end = (uint64_t)(n + 1) << 30;
	packet->events = in->packet[n];
	packet->bytes = in->bytes[n];
	in->next++;
	return true;
}

static bool take_last(struct read_stream *stream, uint64_t *reading)
{
	*reading = 0;
	return true;
}

static void take_rewind(struct read_stream *stream)
{
	((struct memory_stream *)stream)->input->next = 0;
}

static void take_close(struct read_stream *stream)
{
	free(stream);
}

static const struct read_source source = {
	.packet = take_packet, .last = take_last, .rewind = take_rewind,
	.close = take_close,
};

static void add(char *text, const char *more)
{
	size_t n = strlen(text);

	if (n + strlen(more) < METADATA_BYTES)
		strcpy(text + n, more);
}

static void make_metadata(struct fuzz *fuzz, struct input *in)
{
	char line[128];
	unsigned int id;

	strcpy(in->metadata, head);
	if (fuzz_less(fuzz, 2))
		add(in->metadata, contexts);
	add(in->metadata, "};\n");
	for (id = 0; id < 6; id++) {
		sprintf(line, "event { name = \"app:e%u\"; id = %u; "
			      "stream_id = 0; fields := struct {\n", id,
			fuzz_less(fuzz, 16) ? id : 31 + id);
		add(in->metadata, line);
		for (uint64_t n = fuzz_less(fuzz, 6); n; n--)
			add(in->metadata,
			    fields[fuzz_less(fuzz, ARRAY_SIZE(fields))]);
		add(in->metadata, "}; };\n");
	}
	if (fuzz_less(fuzz, 4) == 0)
		fuzz_mutate(fuzz, (uint8_t *)in->metadata,
			    strlen(in->metadata));
}

/* Headers of events, with bytes behind that are often zero. */
static void make_packet(struct fuzz *fuzz, struct input *in, int n)
{
	uint8_t packet[PACKET_BYTES];
	size_t at = 0;

	in->bytes[n] = fuzz_less(fuzz, PACKET_BYTES);
	while (at + 4 < in->bytes[n]) {
		uint32_t word = (uint32_t)fuzz_less(fuzz, 7) |
				(uint32_t)(at * 1000) << 5;
		uint64_t payload = fuzz_less(fuzz, 40);

		memcpy(packet + at, &word, sizeof(word));
		at += sizeof(word);
		for (; payload && at < in->bytes[n]; payload--)
			packet[at++] = (uint8_t)(fuzz_less(fuzz, 2) ? 0 :
					fuzz_less(fuzz, 256));
	}
	memset(packet + at, 0, sizeof(packet) - at);
	in->packet[n] = fuzz_copy(packet, in->bytes[n]);
}

static void problem(const char *where, const char *fact, void *priv)
{
}

static const struct reader_calls calls = { .problem = problem };

/* Checks an event, and writes it. */
static bool event_right(const struct trace_event *event,
			const struct input *in)
{
	const uint8_t *start = in->packet[in->next - 1];
	const uint8_t *end = start + in->bytes[in->next - 1];

	return event->context >= start && event->context <= event->fields &&
	       event->fields <= event->end && event->end <= end &&
	       field_bytes(event->class->fields, event->fields, event->end) ==
		       event->end - event->fields;
}

static void read_all(struct fuzz *fuzz, struct reader *reader,
		     struct input *in, struct event_text *text)
{
	const struct trace_event *event;
	int64_t first, last;
	unsigned int n = 0;

	if (fuzz_less(fuzz, 8) == 0 && reader_span(reader, &first, &last))
		reader_window(reader, first, last);
	while ((event = reader_next(reader))) {
		if (!event_right(event, in)) {
			fuzz_fail(fuzz, "an event is elsewhere", NULL, 0);
			return;
		}
		event_text_put(text, event);
		if (++n > EVENTS_MAX) {
			fuzz_fail(fuzz, "it does not end", NULL, 0);
			return;
		}
	}
	fuzz->accepted += n != 0;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_fields(const struct field_class *a,
			const struct field_class *b)
{
	if (a->kind != b->kind || a->bytes != b->bytes ||
	    a->is_signed != b->is_signed || a->base != b->base ||
	    a->unit != b->unit || a->is_length != b->is_length ||
	    a->counted != b->counted || a->count != b->count ||
	    a->nmembers != b->nmembers || a->nlabels != b->nlabels ||
	    !same_text(a->name, b->name))
		return false;
	for (size_t i = 0; i < a->nmembers; i++)
		if (!same_fields(&a->members[i], &b->members[i]))
			return false;
	return true;
}

static bool same_traces(const struct trace_class *a,
			const struct trace_class *b)
{
	if (a->nevents != b->nevents || a->nclasses != b->nclasses ||
	    a->kind != b->kind || a->context_bytes != b->context_bytes ||
	    a->vpid != b->vpid || a->clock.hz != b->clock.hz ||
	    memcmp(a->uuid, b->uuid, 16) || !a->context != !b->context ||
	    !same_text(a->hostname, b->hostname) ||
	    (a->context && !same_fields(a->context, b->context)))
		return false;
	for (size_t i = 0; i < a->nevents; i++) {
		const struct event_class *left = a->events[i];
		const struct event_class *right = b->events[i];

		if (!left != !right ||
		    (left && (left->number != right->number ||
			      left->bytes != right->bytes ||
			      !same_text(left->name, right->name) ||
			      !same_fields(left->fields, right->fields))))
			return false;
	}
	return true;
}

/* Parses the metadata, then the same text with some bytes changed. Traces may
 * share the rest, whether or not these bytes lie in blocks of their own. */
static void share(struct fuzz *fuzz, const struct input *in)
{
	struct trace_schemas schemas = { 0 };
	struct trace_class before = { 0 }, here = { 0 }, alone = { 0 };
	size_t bytes = strlen(in->metadata);
	char *text = fuzz_copy(in->metadata, bytes + 1);
	size_t from = (size_t)(strstr(head, "uuid =") - head);
	size_t own = (size_t)(strstr(head, "struct event_header") - head);
	unsigned int line, line_alone;
	int ret;

	if (fuzz_less(fuzz, 4) && bytes > own)
		fuzz_mutate(fuzz, (uint8_t *)text + from, own - from);
	else
		fuzz_mutate(fuzz, (uint8_t *)text, bytes);
	read_trace(&before, &schemas, in->metadata, &line);
	ret = read_trace(&here, &schemas, text, &line);
	if (fuzz_less(fuzz, 2)) {
		trace_class_free(&before);
		memset(&before, 0, sizeof(before));
	}
	if (read_trace(&alone, NULL, text, &line_alone) != ret ||
	    (!ret && !same_traces(&here, &alone)))
		fuzz_fail(fuzz, "it depends on the trace before", text, bytes);
	trace_class_free(&here);
	trace_class_free(&before);
	trace_class_free(&alone);
	free(text);
}

static void one(struct fuzz *fuzz, struct input *in, struct out *out)
{
	struct trace_class *trace = calloc(1, sizeof(*trace));
	struct memory_stream *stream = calloc(1, sizeof(*stream));
	struct reader *reader = reader_new(&calls);
	struct event_text text = {
		.out = out, .form = fuzz_less(fuzz, EVENT_SHORT + 1),
	};
	unsigned int line;

	make_metadata(fuzz, in);
	if (!fuzz_less(fuzz, 4))
		share(fuzz, in);
	for (int n = 0; n < PACKETS; n++)
		make_packet(fuzz, in, n);
	in->next = 0;
	event_text_open(&text);
	stream->stream.source = &source;
	stream->stream.event.trace = trace;
	stream->input = in;
	if (read_trace(trace, &reader->schemas, in->metadata, &line) ||
	    read_name(trace, "fuzz")) {
		trace_class_free(trace);
		free(trace);
		free(stream);
	} else {
		reader_add_trace(reader, trace);
		reader_add_stream(reader, &stream->stream);
		read_all(fuzz, reader, in, &text);
	}
	event_text_free(&text);
	reader_free(reader);
	for (int n = 0; n < PACKETS; n++)
		free(in->packet[n]);
}

int main(int argc, char **argv)
{
	static struct input in;
	struct fuzz fuzz;
	struct out out;

	fuzz_open(&fuzz, "read", argc, argv);
	if (out_open(&out, open("/dev/null", O_WRONLY)))
		return 1;
	for (; fuzz.done < fuzz.inputs && !fuzz.failures; fuzz.done++)
		one(&fuzz, &in, &out);
	out_close(&out);
	return fuzz_end(&fuzz, 500);
}

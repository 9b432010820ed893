/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptions of LTTng-UST events: our declarations against the headers that
 * are installed, markers made of them, values taken from the stack, and
 * descriptions that are newer, or wrong.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tracepoints/fields/fields.h"
#include "tracepoints/fields/scalar.h"
#include "tracepoints/fields/shown.h"
#include "tracepoints/lttng/describe.h"
#include "tracepoints/lttng/older.h"

#if __has_include(<lttng/ust-events.h>)
#include <lttng/tracepoint.h>
#include <lttng/ust-events.h>
#endif

#ifdef _LTTNG_UST_EVENTS_H
#define SAME(ours, theirs)						\
	unit_equal(sizeof(struct ours), sizeof(struct lttng_ust_##theirs), \
		   "bytes of " #ours)
#define AT(ours, member, theirs, name)					\
	unit_equal(offsetof(struct ours, member),			\
		   offsetof(struct lttng_ust_##theirs, name),		\
		   "place of " #ours "." #member)

static void check_headers(void)
{
	SAME(ust_integer, type_integer);
	AT(ust_integer, base, type_integer, base);
	SAME(ust_float, type_float);
	AT(ust_float, mantissa_bits, type_float, mant_dig);
	SAME(ust_string, type_string);
	SAME(ust_enum_entry, enum_entry);
	AT(ust_enum_entry, to, enum_entry, end);
	AT(ust_enum_entry, label, enum_entry, string);
	AT(ust_enum_entry, options, enum_entry, options);
	SAME(ust_enum_names, enum_desc);
	AT(ust_enum_names, entries, enum_desc, entries);
	AT(ust_enum_names, n, enum_desc, nr_entries);
	SAME(ust_enum, type_enum);
	AT(ust_enum, container, type_enum, container_type);
	SAME(ust_array, type_array);
	AT(ust_array, n, type_array, length);
	AT(ust_array, encoding, type_array, encoding);
	SAME(ust_sequence, type_sequence);
	AT(ust_sequence, element, type_sequence, elem_type);
	AT(ust_sequence, encoding, type_sequence, encoding);
	SAME(ust_field, event_field);
	AT(ust_field, type, event_field, type);
	SAME(ust_class, tracepoint_class);
	AT(ust_class, n, tracepoint_class, nr_fields);
	AT(ust_class, probe, tracepoint_class, probe_callback);
	AT(ust_class, signature, tracepoint_class, signature);
	SAME(ust_event, event_desc);
	AT(ust_event, class, event_desc, tp_class);
	AT(ust_event, level, event_desc, loglevel);
	AT(ust_event, uri, event_desc, model_emf_uri);
	SAME(ust_provider, probe_desc);
	AT(ust_provider, n, probe_desc, nr_events);
	AT(ust_provider, major, probe_desc, major);
	SAME(ust_probe, probe_ctx);
	AT(ust_probe, ip, probe_ctx, ip);
	SAME(ust_hit, event_common);
	AT(ust_hit, child, event_common, child);
	AT(ust_hit, enabled, event_common, enabled);
	AT(ust_hit, filter, event_common, run_filter);
	SAME(ust_notifier, event_notifier);
	AT(ust_notifier, eval_capture, event_notifier, eval_capture);
	AT(ust_notifier, send, event_notifier, notification_send);
	SAME(ust_tracepoint, tracepoint);
	AT(ust_tracepoint, provider, tracepoint, provider_name);
	AT(ust_tracepoint, event, tracepoint, event_name);
	AT(ust_tracepoint, state, tracepoint, state);
	AT(ust_tracepoint, probes, tracepoint, probes);
	AT(ust_tracepoint, signature, tracepoint, signature);
	unit_equal(UST_NOTIFIER, LTTNG_UST_EVENT_TYPE_NOTIFIER, "a notifier");
	unit_equal(UST_SEQUENCE, lttng_ust_type_sequence, "a sequence");
}
#else
static void check_headers(void)
{
	unit_skip("our declarations", "liblttng-ust-dev is not installed");
}
#endif

/* The structures of series 2.13 to 2.16, x86-64, as numbers: all four series
 * have the same, blobs since 2.16. Only the headers of one are installed. */
#define BYTES(ours, n)							\
	unit_equal(sizeof(struct ours), (n), "bytes of " #ours ", all series")
#define PLACE(ours, member, n)						\
	unit_equal(offsetof(struct ours, member), (n),			\
		   "place of " #ours "." #member ", all series")

static void check_types(void)
{
	BYTES(ust_type, 8);
	PLACE(ust_type, bytes, 4);
	BYTES(ust_integer, 20);
	PLACE(ust_integer, bits, 8);
	PLACE(ust_integer, align, 12);
	PLACE(ust_integer, base, 16);
	BYTES(ust_float, 20);
	PLACE(ust_float, exponent_bits, 8);
	PLACE(ust_float, mantissa_bits, 12);
	PLACE(ust_float, align, 16);
	BYTES(ust_string, 12);
	PLACE(ust_string, encoding, 8);
	BYTES(ust_enum_entry, 56);
	PLACE(ust_enum_entry, from, 8);
	PLACE(ust_enum_entry, to, 24);
	PLACE(ust_enum_entry, label, 40);
	PLACE(ust_enum_entry, options, 48);
	BYTES(ust_enum_names, 40);
	PLACE(ust_enum_names, name, 8);
	PLACE(ust_enum_names, entries, 16);
	PLACE(ust_enum_names, n, 24);
	BYTES(ust_enum, 24);
	PLACE(ust_enum, names, 8);
	PLACE(ust_enum, container, 16);
	BYTES(ust_array, 32);
	PLACE(ust_array, element, 8);
	PLACE(ust_array, n, 16);
	PLACE(ust_array, encoding, 24);
	BYTES(ust_sequence, 32);
	PLACE(ust_sequence, length_name, 8);
	PLACE(ust_sequence, element, 16);
	PLACE(ust_sequence, encoding, 28);
	BYTES(ust_blob, 24);
	PLACE(ust_blob, n, 8);
	PLACE(ust_blob, media_type, 16);
	BYTES(ust_blob_sequence, 24);
	PLACE(ust_blob_sequence, length_name, 8);
	PLACE(ust_blob_sequence, media_type, 16);
	unit_equal(UST_STRUCT, 7, "a structure");
	unit_equal(UST_BLOB, 8, "a blob");
	unit_equal(UST_BLOB_SEQUENCE, 9, "a blob of variable length");
}

static void check_layouts(void)
{
	BYTES(ust_field, 32);
	PLACE(ust_field, name, 8);
	PLACE(ust_field, type, 16);
	BYTES(ust_class, 48);
	PLACE(ust_class, fields, 8);
	PLACE(ust_class, n, 16);
	PLACE(ust_class, probe, 24);
	PLACE(ust_class, signature, 32);
	BYTES(ust_event, 48);
	PLACE(ust_event, name, 8);
	PLACE(ust_event, provider, 16);
	PLACE(ust_event, class, 24);
	PLACE(ust_event, level, 32);
	PLACE(ust_event, uri, 40);
	BYTES(ust_provider, 40);
	PLACE(ust_provider, name, 8);
	PLACE(ust_provider, events, 16);
	PLACE(ust_provider, n, 24);
	PLACE(ust_provider, major, 28);
	PLACE(ust_provider, minor, 32);
	BYTES(ust_probe, 16);
	PLACE(ust_probe, ip, 8);
	BYTES(ust_hit, 48);
	PLACE(ust_hit, kind, 16);
	PLACE(ust_hit, child, 24);
	PLACE(ust_hit, enabled, 32);
	PLACE(ust_hit, eval_filter, 36);
	PLACE(ust_hit, filter, 40);
	BYTES(ust_notifier, 40);
	PLACE(ust_notifier, eval_capture, 24);
	PLACE(ust_notifier, send, 32);
}

static const struct ust_integer s32 = { UST_INTEGER, sizeof(s32), 32, 8, 1, 0,
					10 };
static const struct ust_integer u8 = { UST_INTEGER, sizeof(u8), 8, 8, 0, 0,
				       16 };
static const struct ust_integer be16 = { UST_INTEGER, sizeof(be16), 16, 8, 0, 1,
					 10 };
static const struct ust_float f32 = { UST_FLOAT, sizeof(f32), 8, 24, 8, 0 };
static const struct ust_float f64 = { UST_FLOAT, sizeof(f64), 11, 53, 8, 0 };
static const struct ust_string string = { UST_STRING, sizeof(string),
					  UST_UTF8 };
static const struct ust_array array = { UST_ARRAY, sizeof(array), &s32, 3, 0,
					0 };
static const struct ust_array text = { UST_ARRAY, sizeof(text), &u8, 6, 0,
				       UST_UTF8 };
static const struct ust_sequence sequence = { UST_SEQUENCE, sizeof(sequence),
					      NULL, &be16, 0, 0 };
static const struct ust_enum_entry first = { sizeof(first), { 3, 0 }, { 5, 0 },
					     "first, of all", 0 };
static const struct ust_enum_entry second = { sizeof(second), { 0, 0 },
					      { 0, 0 }, "second",
					      UST_ENTRY_AUTOMATIC };
static const struct ust_enum_entry *const entries[] = { &first, &second };
static const struct ust_enum_names names = { sizeof(names), "names", entries,
					     2, NULL };
static const struct ust_enum labelled = { UST_ENUM, sizeof(labelled), &names,
					  &s32 };

#define FIELD(n, t, ...)						\
	{ .bytes = sizeof(struct ust_field), .name = (n),		\
	  .type = (const void *)&(t), __VA_ARGS__ }

static struct ust_field fields[] = {
	FIELD("a", s32),
	FIELD("hidden", s32, .nowrite = 1),
	FIELD("f", f32),
	FIELD("d", f64),
	FIELD("s", string),
	FIELD("hidden_array", array, .nowrite = 1),
	FIELD("v", array),
	FIELD("t", text),
	FIELD("_q_length", u8, .nofilter = 1),
	FIELD("q", sequence),
	FIELD("e", labelled),
	FIELD("x", u8),
};
#define FIELDS	(sizeof(fields) / sizeof(fields[0]))

static const struct ust_field *pointers[64];
static struct ust_provider provider;
static struct ust_class class;
static struct ust_event event;
static const struct ust_event *const events[] = { &event };
static struct describe_model model;
static char room[8192];

static void own_probe(void)
{
}

/* Makes the description whole again. */
static void begin_event(void)
{
	uint32_t i;

	for (i = 0; i < FIELDS; i++)
		pointers[i] = &fields[i];
	class = (struct ust_class){ sizeof(class), pointers, FIELDS, own_probe,
				    "", &provider };
	event = (struct ust_event){ sizeof(event), "event", &provider, &class,
				    NULL, NULL };
	provider = (struct ust_provider){ sizeof(provider), "unit", events, 1,
					  UST_MAJOR_LEAST, 0 };
}

static int describe_again(void)
{
	text_open(&model.shown, room, sizeof(room));
	return describe_event(&model, &provider, &event);
}

static void check_marker(void)
{
	static const struct {
		const char *name;
		int type;
	} want[] = {
		{ "a", TAFFRAIL_T_S32 },
		{ "f", TAFFRAIL_T_F32 },
		{ "d", TAFFRAIL_T_F64 },
		{ "s", TAFFRAIL_T_STRING },
		{ "v", TAFFRAIL_T_ARRAY | TAFFRAIL_T_S32 },
		{ "t", TAFFRAIL_T_ARRAY | TAFFRAIL_T_U8 },
		{ "q", TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_U16 },
		{ "e", TAFFRAIL_T_S32 },
		{ "x", TAFFRAIL_T_U8 },
	};
	static const int level = 4;
	static const int *plevel = &level;
	static const char *uri = "http://example.org";
	struct shown_bytes shown;
	struct shown_field field;
	struct shown_name name;
	uint32_t i;

	begin_event();
	event.level = &plevel;
	event.uri = &uri;
	unit_check(describe_knows(&provider), "the provider is known");
	unit_check(!describe_again(), "the event is described");
	unit_equal(model.n, sizeof(want) / sizeof(want[0]), "fields");
	for (i = 0; i < model.n; i++) {
		unit_check(!strcmp(model.fields[i].name_, want[i].name),
			   "field %s", want[i].name);
		unit_equal(model.fields[i].type_, want[i].type, "type of %s",
			   want[i].name);
	}
	unit_check(model.level && !strcmp(model.level, "warning"), "level");
	shown = (struct shown_bytes){ room, room + model.shown.used };
	unit_equal(shown_count(&shown, 4, TAFFRAIL_T_ARRAY | TAFFRAIL_T_S32), 3,
		   "elements");
	unit_equal(shown_count(&shown, 5, TAFFRAIL_T_ARRAY | TAFFRAIL_T_U8), 6,
		   "characters");
	unit_check(shown_says(&shown, 5, TAFFRAIL_HOW_CHARS), "a text");
	unit_check(shown_says(&shown, 6, TAFFRAIL_HOW_BIG_ENDIAN),
		   "elements of networks");
	unit_equal(shown_base(&shown, 8), 16, "base 16");
	unit_check(shown_find_how(&field, &shown, SHOWN_MARKER,
				  TAFFRAIL_HOW_URI) &&
		   field.names.end - field.names.p == 19 &&
		   !memcmp(field.names.p, uri, 19), "URI");
	unit_check(shown_find(&field, &shown, 7) &&
		   field.how == TAFFRAIL_HOW_RANGES, "names");
	unit_check(shown_next(&field, &name) && name.value == 3 &&
		   name.to == 5 && name.end - name.start == 13, "a range");
	unit_check(shown_next(&field, &name) && name.value == 6 &&
		   name.to == 6 && !memcmp(name.start, "second", 6),
		   "an automatic value");
	unit_check(!shown_next(&field, &name), "no more names");
}

/* A name that a macro has replaced is none, and no level is LTTng's default. */
static void check_names(void)
{
	static const char *const replaced[] = { "1", "((void *)0)", "__null",
						"" };
	static const int out_of_range = 99;
	static const int *plevel = &out_of_range;
	struct field_name found[1];
	size_t i;

	for (i = 0; i < sizeof(replaced) / sizeof(replaced[0]); i++) {
		begin_event();
		fields[0].name = replaced[i];
		unit_check(!describe_again() &&
			   !fields_parse(model.fields[0].name_,
					 TAFFRAIL_KIND_EVENT, 1, found),
			   "a field named '%s'", replaced[i]);
		unit_equal_string(found[0].name, "arg1", "its name");
	}
	fields[0].name = "a";
	unit_equal_string(model.level, "debug_line", "the default level");
	begin_event();
	event.level = &plevel;
	unit_check(!describe_again() && !model.level, "a level that is none");
}

/* Fields for filters alone come behind the others, for conditions. */
static void check_unwritten(void)
{
	struct field_name found[TAFFRAIL_FIELDS_MAX];
	uint8_t types[TAFFRAIL_FIELDS_MAX];
	struct shown_bytes shown;
	uint32_t n;

	begin_event();
	unit_check(!describe_again(), "unwritten: described");
	shown = (struct shown_bytes){ room, room + model.shown.used };
	n = shown_unwritten(&shown, found, types, model.n);
	unit_equal(n, model.n + 2, "unwritten: fields");
	unit_equal_string(found[n - 2].name, "hidden", "unwritten: a number");
	unit_equal(types[n - 2], TAFFRAIL_T_S32, "unwritten: of a type");
	unit_equal_string(found[n - 1].name, "hidden_array",
			  "unwritten: an array");
	unit_equal(shown_count(&shown, n - 1, types[n - 1]), 3,
		   "unwritten: the array's elements");
	/* as many as conditions have */
	unit_equal(shown_unwritten(&shown, found, types,
				   TAFFRAIL_FIELDS_MAX - 1),
		   TAFFRAIL_FIELDS_MAX, "unwritten: the first");
	/* without room, an event has none */
	text_open(&model.shown, room, shown.end - shown.p - 1);
	unit_check(!describe_event(&model, &provider, &event) &&
		   !model.unwritten && !model.shown.cut, "unwritten: no room");
	shown.end = room + model.shown.used;
	unit_equal(shown_unwritten(&shown, found, types, model.n), model.n,
		   "unwritten: none");
	/* a name that is none cannot be meant */
	fields[1].name = "hid den";
	unit_check(!describe_again() && model.unwritten == 1,
		   "unwritten: a name");
	fields[1].name = "hidden";
}

/* An event has each of its arrays whole, whatever sequences before took. */
static void check_arrays(void)
{
	static const struct describe_step steps[] = {
		{ .op = DESCRIBE_ARRAY }, { .op = DESCRIBE_CHARS },
		{ .op = DESCRIBE_CHARS }, { .op = DESCRIBE_TEXT },
		{ .op = DESCRIBE_TEXT },  { .op = DESCRIBE_END },
	};
	static const char zeros[256];
	const uint64_t stack[] = { 4,	0, 500, (uint64_t)"first",
				   500, (uint64_t)"second",
				   256, (uint64_t)"text",
				   256, 0 };
	struct describe_values values;
	char pad[DESCRIBE_PAD_BYTES];

	begin_event();
	describe_begin(&values, pad, DESCRIBE_PAD_BYTES);
	describe_take(&values, steps, (const char *)stack, 500);
	unit_check(values.vars[0].n == 4 &&
		   !memcmp(values.vars[0].p, zeros, 16),
		   "an array without an address is zeros");
	unit_equal((long long)values.vars[1].n, 500, "a sequence with room");
	unit_equal((long long)values.vars[2].n, 6, "one without");
	unit_check(values.vars[3].n == 256 &&
		   !strcmp(values.vars[3].p, "text") &&
		   !memcmp((const char *)values.vars[3].p + 4, zeros, 252),
		   "a text that ends before its array");
	unit_check(values.vars[4].n == 256 &&
		   !memcmp(values.vars[4].p, zeros, 256),
		   "a text without an address");
}

/* A length that is negative, or larger than any ring, is not followed. */
static void check_lengths(void)
{
	static const struct describe_step steps[] = {
		{ .op = DESCRIBE_CHARS }, { .op = DESCRIBE_CHARS },
		{ .op = DESCRIBE_CHARS }, { .op = DESCRIBE_END },
	};
	static char page[8192] __attribute__((aligned(4096)));
	char *end = page + 4096;
	const uint64_t stack[] = { (uint64_t)-1, (uint64_t)(end - 1),
				   501,		 (uint64_t)(end - 1),
				   500,		 (uint64_t)(end - 501) };
	struct describe_values values;
	char pad[DESCRIBE_PAD_BYTES];

	begin_event();
	memset(page, 'a', sizeof(page));
	end[-1 - 480] = '\0';
	unit_check(!mprotect(end, 4096, PROT_NONE), "nothing behind a page");
	describe_begin(&values, pad, DESCRIBE_PAD_BYTES);
	describe_take(&values, steps, (const char *)stack, 500);
	unit_equal((long long)values.vars[0].n, 0, "a negative length");
	unit_equal((long long)values.vars[1].n, 0, "a length above the limit");
	unit_check(values.vars[2].n == 500 && strlen(values.vars[2].p) == 20,
		   "the limit itself");
	mprotect(end, 4096, PROT_READ | PROT_WRITE);
}

static void check_values(void)
{
	static const int32_t v[] = { 1, 2, 3 };
	static const uint16_t q[] = { 0x0100 };
	double f = 1.5, d = -2.25;
	uint64_t stack[32];
	struct describe_values values;
	char pad[DESCRIBE_PAD_BYTES];
	int32_t a;
	float f4;
	int n = 0;

	begin_event();
	describe_again();
	stack[n++] = (uint64_t)-7;
	stack[n++] = 99;
	memcpy(&stack[n++], &f, 8);
	memcpy(&stack[n++], &d, 8);
	stack[n++] = 0;
	stack[n++] = 3;
	stack[n++] = (uint64_t)v;
	stack[n++] = 3;
	stack[n++] = (uint64_t)v;
	stack[n++] = 6;
	stack[n++] = (uint64_t)"abc";
	stack[n++] = 1;
	stack[n++] = (uint64_t)q;
	stack[n++] = 4;
	stack[n++] = 0xff;
	describe_begin(&values, pad, DESCRIBE_PAD_BYTES);
	describe_take(&values, model.steps, (char *)stack, 500);
	unit_check(values.n, "values of variable length");
	describe_take(&values, model.unwritten_steps, (char *)stack, 500);
	memcpy(&a, (char *)values.block + 21, 4);
	unit_equal(a, 99, "an unwritten number");
	unit_check(values.bytes == 25 && values.n == 5 &&
		   values.vars[4].p == v, "an unwritten array");
	memcpy(&a, values.block, 4);
	memcpy(&f4, (char *)values.block + 4, 4);
	unit_equal(a, -7, "an integer");
	unit_check(f4 == 1.5f, "a float");
	memcpy(&d, (char *)values.block + 8, 8);
	unit_check(d == -2.25, "a double");
	memcpy(&a, (char *)values.block + 16, 4);
	unit_equal(a, 4, "an enumeration");
	unit_equal(((uint8_t *)values.block)[20], 0xff, "a byte");
	unit_check(values.vars[0].n == WRITE_STRING &&
		   !strcmp(values.vars[0].p, "(null)"), "no string");
	unit_check(values.vars[1].n == 3 && values.vars[1].p == v, "an array");
	unit_check(values.vars[2].n == 6 &&
		   !memcmp(values.vars[2].p, "abc\0\0\0", 6),
		   "a text that ends early");
	unit_check(values.vars[3].n == 1 && values.vars[3].p == q,
		   "a sequence");
}

/* Describes, and looks why it was left out. */
static void check_left(const char *name, int want)
{
	unit_equal(describe_again(), want, "%s: left out", name);
	begin_event();
}

static void check_refused(void)
{
	static const struct ust_integer odd = { UST_INTEGER, sizeof(odd), 24, 8,
						0, 0, 10 };
	static const struct ust_integer old = { UST_INTEGER, sizeof(old) - 4,
						32, 8, 0, 0, 10 };
	static const struct ust_type structure = { UST_STRUCT, 32 };
	static const struct ust_array none = { UST_ARRAY, sizeof(none), &s32, 0,
					       0, 0 };
	static const struct ust_array vast = { UST_ARRAY, sizeof(vast), &s32,
					       1u << 31, 0, 0 };
	static struct ust_field wrong;
	char name[200];
	uint32_t i;

	begin_event();
	provider.major = UST_MAJOR_MOST + 1;
	unit_check(!describe_knows(&provider), "a newer interface");
	begin_event();
	provider.bytes -= 8;
	unit_check(!describe_knows(&provider), "an older interface");
	begin_event();
	provider.bytes += 64;
	event.bytes += 64;
	unit_check(describe_knows(&provider) && !describe_again(),
		   "more members");
	begin_event();
	pointers[0] = &wrong;
#define WRONG(t)	wrong = (struct ust_field)FIELD("w", t)
	WRONG(odd);
	check_left("24 bits", -EOPNOTSUPP);
	pointers[0] = &wrong;
	WRONG(old);
	check_left("a type that is too small", -EOPNOTSUPP);
	pointers[0] = &wrong;
	WRONG(structure);
	check_left("a structure", -EOPNOTSUPP);
	pointers[0] = &wrong;
	WRONG(none);
	check_left("an array of none", -EBADMSG);
	pointers[0] = &wrong;
	WRONG(vast);
	check_left("a vast array", -EMSGSIZE);
	pointers[0] = &wrong;
	WRONG(s32);
	wrong.nofilter = 1;
	check_left("a field that filters do not get", -EOPNOTSUPP);
	pointers[0] = NULL;
	check_left("no field", -EBADMSG);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	event.name = name;
	check_left("a long name", -ENAMETOOLONG);
	event.name = "a/b";
	check_left("a name with a slash", -EBADMSG);
	event.provider = NULL;
	check_left("another provider's event", -EBADMSG);
	for (i = 0; i < 17; i++)
		pointers[i] = &fields[0];
	class.n = 17;
	check_left("17 fields", -E2BIG);
	for (i = 0; i < 64; i++)
		pointers[i] = &fields[1];
	class.n = 64;
	check_left("64 fields for filters", -E2BIG);
	class.n = ~0ull;
	check_left("more fields than there can be", -EBADMSG);
}

/* The structures of series 2.7 to 2.12, of which no header is installed beside
 * a later one. */
static void check_older(void)
{
	BYTES(older_integer, 40);
	BYTES(older_float, 12);
	BYTES(older_enum_entry, 56);
	PLACE(older_enum_entry, label, 32);
	PLACE(older_enum_entry, options, 40);
	BYTES(older_basic, 136);
	BYTES(older_field, 320);
	PLACE(older_field, array, 16);
	PLACE(older_field, nowrite, 288);
	BYTES(older_event, 96);
	PLACE(older_event, probe, 8);
	PLACE(older_event, fields, 24);
	PLACE(older_event, n, 32);
	PLACE(older_event, level, 40);
	PLACE(older_event, signature, 48);
	PLACE(older_event, uri, 56);
	PLACE(older_channel, enabled, 8);
	PLACE(older_channel, session, 24);
	PLACE(older_filter, call, 8);
	PLACE(older_filter, list, 24);
	PLACE(older_hit, channel, 8);
	PLACE(older_hit, enabled, 16);
	PLACE(older_hit, filters, 104);
	PLACE(older_hit, unfiltered, 120);
}

int main(void)
{
	check_headers();
	check_types();
	check_layouts();
	check_older();
	check_marker();
	check_names();
	check_unwritten();
	check_values();
	check_arrays();
	check_lengths();
	check_refused();
	return unit_end();
}

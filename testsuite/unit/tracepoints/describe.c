/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events of LTTng-UST as markers: what a reader is told of each type, also of
 * blobs, for which this machine need not have the headers.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <string.h>

#include "tracepoints/fields/shown.h"
#include "tracepoints/lttng/describe.h"

#define INTEGER(bits_, signed_, swapped_, base_)			\
	{ .kind = UST_INTEGER, .bytes = sizeof(struct ust_integer),	\
	  .bits = bits_, .is_signed = signed_, .swapped = swapped_,	\
	  .base = base_ }

static const struct ust_integer ordinary = INTEGER(32, 1, 0, 10);
static const struct ust_integer octal = INTEGER(16, 0, 0, 8);
static const struct ust_integer character = INTEGER(8, 1, 0, 10);
static const struct ust_integer address = INTEGER(32, 0, 1, 16);
static const struct ust_array text = {
	.kind = UST_ARRAY, .bytes = sizeof(text), .element = &character,
	.n = 6, .encoding = UST_UTF8,
};
static const struct ust_array addresses = {
	.kind = UST_ARRAY, .bytes = sizeof(addresses), .element = &address,
	.n = 2,
};
static const struct ust_sequence octals = {
	.kind = UST_SEQUENCE, .bytes = sizeof(octals), .element = &octal,
};
static const struct ust_blob blob = {
	.kind = UST_BLOB, .bytes = sizeof(blob), .n = 3,
};
static const struct ust_blob_sequence blobs = {
	.kind = UST_BLOB_SEQUENCE, .bytes = sizeof(blobs),
};
static const struct ust_enum_entry entries[] = {
	{ sizeof(*entries), { 3, 1 }, { 9, 1 }, "SOME", 0 },
	{ sizeof(*entries), { 0, 0 }, { 0, 0 }, "next, one", 1 },
	{ sizeof(*entries), { (uint64_t)-5, 1 }, { (uint64_t)-5, 1 }, "", 0 },
	{ sizeof(*entries), { 0, 0 }, { 0, 0 }, "a::b", 1 },
};
static const struct ust_enum_entry *const list[] = {
	&entries[0], &entries[1], &entries[2], &entries[3],
};
static const struct ust_enum_names names = {
	.bytes = sizeof(names), .name = "names", .entries = list, .n = 4,
};
static const struct ust_enum enumeration = {
	.kind = UST_ENUM, .bytes = sizeof(enumeration), .names = &names,
	.container = &ordinary,
};

#define FIELD(name, type)						\
	{ sizeof(struct ust_field), #name, (const void *)&(type), 0, 0 }
#define LENGTH(name)							\
	{ sizeof(struct ust_field), "_" #name "_length",		\
	  (const void *)&ordinary, 0, 1 }

static const struct ust_field fields[] = {
	FIELD(e, enumeration), FIELD(txt, text), FIELD(ip, addresses),
	LENGTH(o), FIELD(o, octals), FIELD(b, blob), LENGTH(bs),
	FIELD(bs, blobs),
};
static const struct ust_field *all[8];
static const char *uri = "http://example.org/";
static void own_probe(void)
{
}

static const struct ust_class class = {
	.bytes = sizeof(class), .fields = all, .n = 8, .probe = own_probe,
	.signature = "",
};
static struct ust_event event = {
	.bytes = sizeof(event), .name = "event", .class = &class, .uri = &uri,
};
static const struct ust_provider provider = {
	.bytes = sizeof(provider), .name = "provider", .n = 1,
	.major = UST_MAJOR_MOST,
};

static void check_names(const struct shown_bytes *shown)
{
	static const struct shown_name want[] = {
		{ .value = 3, .start = "SOME", .to = 9 },
		{ .value = 10, .start = "next, one", .to = 10 },
		{ .value = -5, .start = "", .to = -5 },
		{ .value = -4, .start = "a::b", .to = -4 },
	};
	struct shown_field field;
	struct shown_name name;
	size_t n = 0;

	unit_check(shown_find(&field, shown, 0) &&
		   field.how == TAFFRAIL_HOW_RANGES, "an enumeration");
	for (; shown_next(&field, &name) && n < 4; n++)
		unit_check(name.value == want[n].value &&
			   name.to == want[n].to &&
			   !strcmp(name.start, want[n].start), "name %zu", n);
	unit_equal((int)n, 4, "all names");
}

int main(void)
{
	static const int types[] = {
		TAFFRAIL_T_S32, TAFFRAIL_T_ARRAY | TAFFRAIL_T_S8,
		TAFFRAIL_T_ARRAY | TAFFRAIL_T_U32,
		TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_U16,
		TAFFRAIL_T_ARRAY | TAFFRAIL_T_U8,
		TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_U8,
	};
	static const uint8_t bases[] = { 0, 0, 16, 8, 16, 16 };
	static const uint32_t counts[] = { 0, 6, 2, 0, 3, 0 };
	struct describe_model model;
	struct shown_bytes shown;
	struct shown_field field;
	char bytes[1024];

	for (size_t i = 0; i < 8; i++)
		all[i] = &fields[i];
	event.provider = &provider;
	text_open(&model.shown, bytes, sizeof(bytes));
	unit_equal(describe_event(&model, &provider, &event), 0,
		   "the event is a marker");
	unit_equal(model.n, 6, "fields, without lengths");
	shown = (struct shown_bytes){ bytes, bytes + model.shown.used };
	for (uint32_t i = 0; i < 6; i++) {
		const char *name = model.fields[i].name_;

		unit_equal(model.fields[i].type_, types[i], "%s: type", name);
		unit_equal(shown_base(&shown, i), bases[i], "%s: base", name);
		unit_equal(shown_count(&shown, i, (uint8_t)types[i]), counts[i],
			   "%s: elements", name);
		unit_equal(shown_says(&shown, i, TAFFRAIL_HOW_CHARS), i == 1,
			   "%s: a text", name);
		unit_equal(shown_says(&shown, i, TAFFRAIL_HOW_BIG_ENDIAN),
			   i == 2, "%s: order", name);
	}
	check_names(&shown);
	unit_check(shown_find_how(&field, &shown, SHOWN_MARKER,
				  TAFFRAIL_HOW_URI) &&
		   !strcmp(field.names.p, uri), "the model's URI");

	text_open(&model.shown, bytes, 64);
	unit_equal(describe_event(&model, &provider, &event), -EMSGSIZE,
		   "no room for the descriptions");
	return unit_end();
}

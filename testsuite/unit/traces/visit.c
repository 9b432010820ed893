/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The walk over values (traces/read/visit.h): in which order it comes to parts
 * of all kinds, and that it ends where field_bytes() says; by a visitor with
 * all functions, and by one with a function for values alone. Texts and JSON of
 * the same values.
 */
#include "testsuite/unit/unit.h"

#include "traces/formats/json-value-private.h"
#include "traces/read/visit.h"
#include "traces/text/event-text.h"

static const struct field_class u8 = { .kind = FIELD_INTEGER, .bytes = 1,
				       .base = 10 };
static const struct field_class text3 = { .kind = FIELD_TEXT, .count = 3 };
static const struct field_class options[] = {
	{ .kind = FIELD_INTEGER, .bytes = 4, .base = 10, .is_signed = true,
	  .name = "i" },
	{ .kind = FIELD_TEXT, .counted = true, .name = "t" },
};
static const struct field_class pair[] = {
	{ .kind = FIELD_INTEGER, .bytes = 1, .base = 10, .name = "x" },
	{ .kind = FIELD_STRING, .name = "s" },
};
static const struct field_class pairs = { .kind = FIELD_STRUCT,
					  .members = pair, .nmembers = 2 };

#define LENGTH(is)							\
	{ .kind = FIELD_INTEGER, .bytes = 4, .base = 10, .name = "n",	\
	  .is_length = is }

static const struct field_class members[] = {
	{ .kind = FIELD_ARRAY, .count = 2, .members = &u8, .nmembers = 1,
	  .name = "a" },
	LENGTH(true),
	{ .kind = FIELD_SEQUENCE, .members = &pairs, .nmembers = 1,
	  .name = "q" },
	{ .kind = FIELD_LIST, .members = &text3, .nmembers = 1, .name = "l" },
	LENGTH(false), LENGTH(true),
	{ .kind = FIELD_VARIANT, .members = options, .nmembers = 2,
	  .counted = true, .name = "v" },
	{ .kind = FIELD_VARIANT, .members = options, .nmembers = 1,
	  .name = "w" },
	{ .kind = FIELD_REAL, .bytes = 8, .name = "r" },
	{ .kind = FIELD_ARRAY, .count = 0, .members = &u8, .nmembers = 1,
	  .name = "none" },
	{ .kind = FIELD_STRUCT, .name = "empty" },
};
static const struct field_class all = { .kind = FIELD_STRUCT,
					.members = members,
					.nmembers = sizeof(members) /
						    sizeof(*members) };

static const char bytes[] =
	"\x05\x06"				/* a */
	"\x02\0\0\0" "\x01xy\0" "\x02\0"	/* n, q */
	"\x01\0\0\0" "ab\0"			/* l: how many, text3 */
	"\x01\0\0\0" "\x04\0\0\0" "wor\0"	/* n, n, v: a text */
	"\0\0\0\0" "\xfb\xff\xff\xff"		/* w: an integer */
	"\0\0\0\0\0\0\xe0\x3f";			/* r */

/* All functions get the text to which they add. */
static const uint8_t *number(void *to, const struct field_class *class,
			     const uint8_t *at)
{
	strcat(to, "=");
	return at + class->bytes;
}

static const uint8_t *characters(void *to, const struct field_class *class,
				 const uint8_t *at)
{
	size_t n;
	const uint8_t *behind = field_characters(class, at, &n);

	strncat(strcat(to, "="), (const char *)at, n);
	return behind;
}

static void whole_begin(void *to, const struct field_class *whole)
{
	strcat(to, whole->kind == FIELD_VARIANT ? "(" : "{");
}

static size_t member_begin(void *to, const struct field_class *class,
			   uint64_t i)
{
	strcat(to, class->name);
	return 100 + i;
}

static size_t element(void *to, uint64_t i)
{
	strcat(to, "#");
	return 200 + i;
}

static void part_end(void *to, size_t mark)
{
	sprintf((char *)to + strlen(to), "<%zu", mark);
}

static void whole_end(void *to, const struct field_class *whole)
{
	strcat(to, whole->kind == FIELD_VARIANT ? ")" : "}");
}

static field_put parts, plain_parts;

static const struct field_visitor full = {
	.put = { [FIELD_INTEGER] = number, [FIELD_REAL] = number,
		 [FIELD_STRING] = characters, [FIELD_TEXT] = characters,
		 [FIELD_PARTS] = parts },
	.begin = whole_begin, .member = member_begin, .element = element,
	.part_end = part_end, .end = whole_end, .lengths = true,
};

static const struct field_visitor plain = {
	.put = { [FIELD_INTEGER] = number, [FIELD_REAL] = number,
		 [FIELD_STRING] = characters, [FIELD_TEXT] = characters,
		 [FIELD_PARTS] = plain_parts },
};

static const uint8_t *parts(void *to, const struct field_class *class,
			    const uint8_t *at)
{
	return field_visit(&full, to, class, at);
}

static const uint8_t *plain_parts(void *to, const struct field_class *class,
				  const uint8_t *at)
{
	return field_visit(&plain, to, class, at);
}

static void test_told(const char *name, field_put *put, const char *want)
{
	const uint8_t *at = (const uint8_t *)bytes;
	char told[1024] = "";

	unit_equal(put(told, &all, at) - at, (int)sizeof(bytes) - 1,
		   "%s: ends behind the value", name);
	if (!unit_check(!strcmp(told, want), "%s: the order", name))
		printf("# %s\n", told);
}

static void test_written(const char *name, struct out *out, const char *want)
{
	out_char(out, '\0');
	if (!unit_check(!strcmp(out->start, want), "%s", name))
		printf("# %s\n", out->start);
	out_rewind(out);
}

int main(void)
{
	const uint8_t *at = (const uint8_t *)bytes;
	const uint8_t *behind = at + sizeof(bytes) - 1;
	struct out out;

	unit_equal(field_bytes(&all, at, behind), behind - at, "the size");
	test_told("all functions", parts,
		  "{a{#=<200#=<201}<100n=<101"
		  "q{#{x=<100s=xy<101}<200#{x=<100s=<101}<201}<102"
		  "l{#=ab<200}<103n=<104n=<105v(=wor)<106"
		  "w(=)<107r=<108none{}<109empty{}<110}");
	test_told("values alone", plain_parts, "====xy===ab==wor==");
	if (out_open(&out, -1))
		return 1;
	field_text_put(&out, &all, at, behind, false);
	test_written("text", &out,
		     "{ a = [ [0] = 5, [1] = 6 ], n = 2, q = [ [0] = { x = 1, "
		     "s = \"xy\" }, [1] = { x = 2, s = \"\" } ], "
		     "l = [ [0] = \"ab\" ], n = 1, n = 4, v = { \"wor\" }, "
		     "w = { -5 }, r = 0.5, none = [ ], empty = { } }");
	field_text_plain(&out, &all, at, behind, false);
	test_written("text for people", &out,
		     "{a = [5, 6], q = [{x = 1, s = \"xy\"}, "
		     "{x = 2, s = \"\"}], l = [\"ab\"], n = 1, "
		     "v = \"wor\", w = -5, r = 0.5, none = [], empty = {}}");
	unit_equal(json_value(&out, &all, at) - at, behind - at,
		   "JSON: ends behind the value");
	test_written("JSON", &out,
		     "{\"a\":[5,6],\"q\":[{\"x\":1,\"s\":\"xy\"},"
		     "{\"x\":2,\"s\":\"\"}],\"l\":[\"ab\"],\"n\":1,"
		     "\"v\":\"wor\",\"w\":-5,\"r\":0.5,\"none\":[],"
		     "\"empty\":{}}");
	out_close(&out);
	return unit_end();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Variants in CTF metadata. Facts: CTF specification 1.8.3, 4.2.2. babeltrace2
 * 2.0 ends with an assertion where an option has another name than the label of
 * the tag that chooses it, and where a name is that of another option behind an
 * underscore.
 *
 * Invariant: each number that the tag can have has an option. A marker's tag
 * has no others.
 */
#include "traces/tsdl/tsdl.h"

#include <string.h>

#include "base/base.h"
#include "taffrail/site.h"

#define OPTIONS_MAX	64
#define LABEL_BYTES	72		/* with the NUL; the rest is cut */
#define LABEL_ROOM	(LABEL_BYTES - 16)

/* The labels of the options so far, no two of one name. */
struct labels {
	char label[OPTIONS_MAX][LABEL_BYTES];
	int n;
};

/* Returns whether TSDL has the word for itself. */
static bool is_keyword(const char *word)
{
	static const char *const words[] = {
		"align", "callsite", "char", "clock", "const", "double",
		"enum", "env", "event", "float", "floating_point", "int",
		"integer", "long", "short", "signed", "stream", "string",
		"struct", "trace", "typealias", "typedef", "unsigned",
		"variant", "void",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

/*
 * Adds an identifier that no other option has, with or without an underscore in
 * front. One gets an underscore where it would begin with a digit, or is a word
 * of TSDL.
 */
static void add_option(struct labels *labels, const struct shown_name *name)
{
	char *label = labels->label[labels->n];
	char base[LABEL_ROOM + 2] = "_";
	int copy = 1, i = 0;
	size_t n = 1;

	for (const char *p = name->start; p < name->end && n <= LABEL_ROOM; p++)
		base[n++] = (*p >= 'a' && *p <= 'z') ||
			    (*p >= 'A' && *p <= 'Z') ||
			    (*p >= '0' && *p <= '9') ? *p : '_';
	base[n] = '\0';
	n = n > 1 && !(base[1] >= '0' && base[1] <= '9') &&
	    !is_keyword(base + 1);
	snprintf(label, LABEL_BYTES, "%s", base + n);
	while (i < labels->n) {
		const char *other = labels->label[i++];

		if (strcmp(other + (*other == '_'), label + (*label == '_')))
			continue;
		snprintf(label, LABEL_BYTES, "%s_%d", base + n, ++copy);
		i = 0;
	}
	labels->n++;
}

/* Takes all labels; false: there are too many, or one is no option. */
static bool take_option(struct labels *labels, struct shown_field field)
{
	struct shown_name name;
	uint16_t n = field.count;

	labels->n = 0;
	if (!n || n > OPTIONS_MAX)
		return false;
	while (shown_next(&field, &name)) {
		uint64_t type = (uint64_t)name.value;

		if (type && type != TAFFRAIL_T_STRING &&
		    (type > TAFFRAIL_T_SCALAR_MASK ||
		     !scalar_of((uint8_t)type)))
			return false;
		add_option(labels, &name);
	}
	return labels->n == n;
}

bool variant_find(struct shown_field *field, const struct event_view *event,
		  const struct field_name *names, int i, size_t at)
{
	const struct shown_bytes shown = { event->shown,
				     event->shown + event->shown_bytes };
	struct labels labels;

	return i + 1 < event->nfields &&
	       event->types[i] == TAFFRAIL_T_U32 &&
	       event->types[i + 1] == (TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_U8) &&
	       !strcmp(names[i].name + at, "tag") &&
	       !strncmp(names[i].name, names[i + 1].name, at) &&
	       !strcmp(names[i + 1].name + at, "value") &&
	       shown_find(field, &shown, (uint32_t)i + 1) &&
	       field->how == TAFFRAIL_HOW_VARIANT && take_option(&labels,
								 *field);
}

void variant_put(FILE *out, struct shown_field field)
{
	struct shown_name name;
	struct labels labels;

	if (!take_option(&labels, field))
		return;
	fputs("\t\tenum : integer { size = 32; align = 8; signed = 0; } { ",
	      out);
	for (int i = 0; i < labels.n; i++)
		fprintf(out, "%s\"%s\" = %d", i ? ", " : "", labels.label[i],
			i);
	fputs(" } _tag;\n\t\t", out);
	scalar_put_type(out, scalar_of(TAFFRAIL_T_U32), 10);
	fputs(" __value_length;\n\t\tvariant <_tag> {\n", out);
	for (int i = 0; i < labels.n && shown_next(&field, &name); i++) {
		const char *label = labels.label[i];

		fputs("\t\t\t", out);
		if (!(uint8_t)name.value) {
			fprintf(out, "struct { } %s;\n", label);
		} else if ((uint8_t)name.value == TAFFRAIL_T_STRING) {
			/* a text takes the length of the variant */
			fprintf(out, "integer { size = 8; align = 8; signed = "
				     "0; encoding = UTF8; base = 10; } "
				     "%s[ __value_length ];\n", label);
		} else {
			scalar_put_type(out, scalar_of((uint8_t)name.value), 0);
			fprintf(out, " %s;\n", label);
		}
	}
	fputs("\t\t} _value;\n", out);
}

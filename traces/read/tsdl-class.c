/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Makes the packed form of types that TSDL describes. Types that Taffrail does
 * not write have none here: such traces are read by another library.
 */
#include <errno.h>
#include <string.h>

#include "traces/read/tsdl-private.h"

#define ALIGN_BITS	8		/* of everything that is packed */

static bool class_fill(struct tsdl *t, struct field_class *class,
		       const struct tsdl_type *type, const char *before);

/*
 * Makes a variant as metadata.c writes it, member i of a struct. Before it
 * stand its tag, an enumeration with the labels 0, 1, 2 and so on, and its
 * length, which has the variant's name.
 */
static bool fill_variant(struct tsdl *t, struct field_class *class,
			 const struct tsdl_type *in, size_t i)
{
	const struct tsdl_type *type = in->members[i];
	const struct tsdl_type *tag = i > 1 ? in->members[i - 2] : NULL;
	const char *length = i > 1 ? in->names[i - 1] : NULL;
	size_t n = strlen(in->names[i]), k, m;
	struct field_class *members;

	if (!tag || !type->length || strcmp(in->names[i - 2], type->length) ||
	    tag->class.kind != FIELD_ENUM || tag->bits != 32 ||
	    tag->class.nlabels != type->n || *length != '_' ||
	    strncmp(length + 1, in->names[i], n) ||
	    strcmp(length + 1 + n, "_length"))
		return false;
	members = tsdl_memory(t, t->memory, (type->n + 1) * sizeof(*members));
	if (!members)
		return false;
	class->kind = FIELD_VARIANT;
	class->counted = true;
	class->members = members;
	class->nmembers = type->n;
	for (k = 0; k < type->n; k++) {
		const struct field_label *label = &tag->class.labels[k];

		for (m = 0; m < type->n; m++)
			if (!strcmp(type->names[m], label->name))
				break;
		if (m == type->n || label->from != k || label->to != k ||
		    !class_fill(t, &members[k], type->members[m], length))
			return false;
		members[k].name = label->name;
	}
	return true;
}

/* Makes the members of a struct, and marks the lengths of sequences. Returns
 * false for a type that Taffrail does not write, or without memory, which is
 * noted. */
static bool fill_members(struct tsdl *t, struct field_class *class,
			 const struct tsdl_type *type)
{
	struct field_class *members =
		tsdl_memory(t, t->memory, (type->n + 1) * sizeof(*members));

	if (!members || type->variant || type->align > ALIGN_BITS)
		return false;
	class->members = members;
	class->nmembers = type->n;
	for (size_t i = 0; i < type->n; i++) {
		const struct tsdl_type *member = type->members[i];

		if (member->variant ? !fill_variant(t, &members[i], type, i) :
		    !class_fill(t, &members[i], member,
			  i ? type->names[i - 1] : NULL))
			return false;
		/* readers show a name without the underscore in front */
		members[i].name = type->names[i];
		if (members[i].name && *members[i].name == '_')
			members[i].name++;
		/* a number alone has the host's order */
		if (members[i].kind <= FIELD_ENUM && members[i].swapped)
			return false;
		if (member->class.kind != FIELD_SEQUENCE && !member->variant)
			continue;
		if (!i || members[i - 1].kind != FIELD_INTEGER ||
		    members[i - 1].bytes != sizeof(uint32_t) ||
		    members[i - 1].is_signed)
			return false;
		members[i - 1].is_length = true;
	}
	return true;
}

/*
 * Makes the packed form of a type. Returns false for a type that Taffrail does
 * not write. `before` is the name of the field in front, which must be the
 * length of a sequence. Elements with an encoding are a text.
 */
static bool class_fill(struct tsdl *t, struct field_class *class,
		       const struct tsdl_type *type, const char *before)
{
	bool wide = type->bits == 32 || type->bits == 64;
	const struct tsdl_type *element;
	struct field_class *member;

	*class = type->class;
	switch (class->kind) {
	case FIELD_STRUCT:
		return fill_members(t, class, type);
	case FIELD_ARRAY:
	case FIELD_SEQUENCE:
		element = type->members[0];
		if (class->kind == FIELD_SEQUENCE &&
		    (!before || !type->length || strcmp(before, type->length)))
			return false;
		if (element->text) {
			class->counted = class->kind == FIELD_SEQUENCE;
			class->kind = FIELD_TEXT;
			class->is_signed = element->class.is_signed;
			return element->bits == 8 &&
			       element->align <= ALIGN_BITS;
		}
		member = tsdl_memory(t, t->memory, sizeof(*member));
		class->members = member;
		class->nmembers = 1;
		return member && class_fill(t, member, element, NULL);
	case FIELD_STRING:
		return true;
	case FIELD_REAL:
		return type->align <= ALIGN_BITS && wide && !class->swapped;
	default:
		return type->align <= ALIGN_BITS &&
		       (wide || type->bits == 8 || type->bits == 16);
	}
}

const struct field_class *tsdl_class(struct tsdl *t,
				     const struct tsdl_type *type)
{
	struct field_class *class = tsdl_memory(t, t->memory, sizeof(*class));

	if (!class)
		return NULL;
	if (type->class.kind != FIELD_STRUCT || !class_fill(t, class, type,
							    NULL)) {
		tsdl_fail(t, -ENOTSUP);
		return NULL;
	}
	return class;
}

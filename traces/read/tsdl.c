/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses the metadata of a trace. Facts: CTF specification 1.8.3, section 7.
 *
 * Invariant: a trace is taken for Taffrail's only if packets and events begin
 * with exactly the bytes that the readers of this room expect (docs/traces.md);
 * everything else is -ENOTSUP.
 *
 * The trace's own blocks, `trace`, `env` and `clock`, stand before the first
 * `stream`. All other text makes the schema. A function that parses notes the
 * first error in t->error, and the caller of trace_class_parse() gets that one:
 * so no return value is checked on the way, and each loop ends at an error.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/demangle.h"
#include "base/text.h"
#include "buffers/ctf.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/fields/shown.h"
#include "traces/read/tsdl-private.h"

/*
 * Makes the packed form of types that TSDL describes. Types that Taffrail does
 * not write have none here: such traces are read by another library.
 */

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

/*
 * Makes a FIELD_STRUCT of the packed form of a struct. Returns NULL with
 * -ENOTSUP noted where Taffrail writes no such type.
 */
static const struct field_class *tsdl_class(struct tsdl *t,
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


#define EVENT_ID_MAX	(1u << 20)

/* Compares the names and sizes of a struct with "NAME:BITS NAME:BITS ". An
 * array counts with all elements. */
static bool has_layout(const struct tsdl_type *type, const char *layout)
{
	char word[64];

	for (size_t i = 0; i < type->n; i++) {
		const struct tsdl_type *member = type->members[i];
		unsigned int bits = member->bits;
		size_t n;

		if (member->class.kind == FIELD_ARRAY)
			bits = (unsigned int)member->class.count *
			       member->members[0]->bits;
		snprintf(word, sizeof(word), "%s:%u ", type->names[i], bits);
		n = strlen(word);
		if (strncmp(layout, word, n))
			return false;
		layout += n;
	}
	return !*layout;
}

/* Takes a row of the block `trace`. A uuid is in quotes, with hyphens anywhere
 * between two bytes. Another byte order or packet header is not Taffrail's. */
static void parse_trace(struct tsdl *t, const char *key, void *priv)
{
	bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	struct tsdl_type *type;
	const char *at;
	char *end;

	if (!strcmp(key, "uuid")) {
		at = tsdl_take_text(t);
		for (int i = 0; at && i < 16; i++) {
			char digits[3] = "";

			at += *at == '-';
			strncpy(digits, at, 2);
			t->trace->uuid[i] = (uint8_t)strtoul(digits, &end, 16);
			if (end != digits + 2) {
				tsdl_fail(t, -EBADMSG);
				return;
			}
			at += 2;
		}
	} else if (!strcmp(key, "byte_order")) {
		if (!tsdl_is_word(t, little ? "le" : "be"))
			tsdl_fail(t, -ENOTSUP);
		tsdl_next(t);
	} else if (!strcmp(key, "packet.header")) {
		type = tsdl_parse_type(t);
		if (type && !has_layout(type, "magic:32 uuid:128 stream_id:32 "
					      "stream_instance_id:64 "))
			tsdl_fail(t, -ENOTSUP);
	} else {
		tsdl_skip_value(t);
	}
}

void trace_member_take(struct trace_member *member, const char *row)
{
	int skip = 0;

	sscanf(row, "%u %" SCNu64 " %n", &member->pid, &member->starttime,
	       &skip);
	strncpy(member->name, skip ? row + skip : "", sizeof(member->name));
}

/* Takes the row of a process that shares the trace, behind a key with the
 * process's number. */
static void take_member(struct tsdl *t, const char *number)
{
	const char *text = tsdl_take_text(t);
	struct trace_member *member;

	member = trace_member_add(t->trace, (uint32_t)strtoul(number, NULL,
							      10));
	if (!member)
		tsdl_fail(t, -ENOMEM);
	else if (text)
		trace_member_take(member, text);
}

/* Takes a row of a block `env`: facts about the process, or, behind an event,
 * its message. The facts are the trace's own, the message is the schema's. */
static void parse_env(struct tsdl *t, const char *key, void *priv)
{
	struct trace_class *trace = t->trace;
	const struct {
		const char *key, **text;
	} texts[] = {
		{ "hostname", &trace->hostname },
		{ "procname", &trace->procname },
		{ "domain", &trace->domain },
		{ "trace_name", &trace->session },
	};
	const char *number = text_after(key, METADATA_PROCESS), *scheme;
	char message[32], format[32];

	if (!t->shared && !strcmp(key, "tracer_buffering_scheme")) {
		scheme = tsdl_take_text(t);
		trace->shared = scheme && !strcmp(scheme, "uid");
	} else if (!t->shared && number) {
		t->memory = &t->scratch;
		take_member(t, number);
		t->memory = &t->schema->memory;
	}

	if (!t->shared && t->kind == TOKEN_NUMBER) {
		if (!strcmp(key, "vpid"))
			trace->vpid = (int64_t)t->number;
		else if (!strcmp(key, "vpid_starttime"))
			trace->starttime = t->number;
	}
	for (size_t i = 0; !t->shared && i < ARRAY_SIZE(texts); i++) {
		if (strcmp(key, texts[i].key))
			continue;
		t->memory = &trace->memory;
		*texts[i].text = tsdl_take_text(t);
		t->memory = &t->schema->memory;
		break;
	}
	if (t->shared && t->events) {
		/* of the event that stands before it */
		snprintf(message, sizeof(message), "message_%llu",
			 (unsigned long long)t->events->code);
		snprintf(format, sizeof(format), "format_%llu",
			 (unsigned long long)t->events->code);
		if (!strcmp(key, message))
			t->events->message = tsdl_take_text(t);
		else if (!strcmp(key, format))
			t->events->format = tsdl_take_text(t);
	}
	tsdl_skip_value(t);
}

/* Takes a row of the block `clock`. Other rows than the three numbers have no
 * meaning here. */
static void parse_clock(struct tsdl *t, const char *key, void *priv)
{
	struct metadata_clock *clock = &t->trace->clock;

	if (!strcmp(key, "freq") && t->kind == TOKEN_NUMBER)
		clock->hz = t->number;
	else if (!strcmp(key, "offset_s") && t->kind == TOKEN_NUMBER)
		clock->offset_s = (int64_t)t->number;
	else if (!strcmp(key, "offset") && t->kind == TOKEN_NUMBER)
		clock->offset = t->number;
	tsdl_skip_value(t);
}

/* Sets which headers events have: the forms of id and clock, in the order of
 * the ids that announce them, the usual one first. Notes -ENOTSUP for any
 * other. */
static void set_header(struct tsdl *t, const struct tsdl_type *type)
{
	static const struct {
		unsigned int bits, n;
		uint64_t extended;
		const char *forms[3];
	} kinds[] = {
		[CURSOR_EARLY] = { CTF_COMPACT_ID_BITS, 2,
				   CTF_COMPACT_ID_EXTENDED,
				   { "timestamp:27 ", "id:32 timestamp:64 " } },
		[CURSOR_LARGE] = { 16, 2, CTF_LARGE_ID_EXTENDED,
				   { "timestamp:32 ", "id:32 timestamp:64 " } },
		[CURSOR_WIDE] = { CTF_COMPACT_ID_BITS, 3,
				  CTF_COMPACT_ID_EXTENDED,
				  { "timestamp:27 ", "timestamp:27 id:16 ",
				    "id:32 timestamp:64 " } },
	};
	const struct tsdl_type *id = type && type->n == 2 ? type->members[0] :
				     NULL;
	const struct tsdl_type *v = id ? type->members[1] : NULL;
	bool same = v && id->class.kind == FIELD_ENUM && v->variant &&
		    v->n == id->class.nlabels;

	for (size_t k = 0; k < ARRAY_SIZE(kinds) && same; k++) {
		bool found = id->bits == kinds[k].bits && v->n == kinds[k].n;

		/* the last id says that the extended header follows */
		for (size_t i = 0; i < kinds[k].n && found; i++)
			found = has_layout(v->members[i], kinds[k].forms[i]) &&
				(!i || id->class.labels[i].from + kinds[k].n ==
				       kinds[k].extended + i + 1);
		if (!found)
			continue;
		t->schema->kind = (enum cursor_kind)k;
		return;
	}
	tsdl_fail(t, -ENOTSUP);
}

static const char packet_layout[] =
	"timestamp_begin:64 timestamp_end:64 content_size:64 packet_size:64 "
	"packet_seq_num:64 events_discarded:64 cpu_id:32 ";

/* Returns whether all values of a struct have the same size, and adds that to
 * *bytes. */
static bool is_fixed(const struct field_class *class, uint32_t *bytes)
{
	for (size_t i = 0; i < class->nmembers; i++) {
		const struct field_class *member = &class->members[i];

		if (member->kind == FIELD_TEXT && !member->counted)
			*bytes += (uint32_t)member->count;
		else if (member->kind <= FIELD_ENUM)
			*bytes += member->bytes;
		else if (member->kind != FIELD_STRUCT ||
			 !is_fixed(member, bytes))
			return false;
	}
	return true;
}

/* Takes a row of the block `stream`, and holds the layouts against the layouts
 * that this room reads. */
static void parse_stream(struct tsdl *t, const char *key, void *priv)
{
	struct trace_schema *schema = t->schema;
	struct tsdl_type *type = NULL;

	if (!strcmp(key, "id")) {
		if (t->kind != TOKEN_NUMBER || t->number)
			tsdl_fail(t, -ENOTSUP);
		tsdl_next(t);
		return;
	}
	if (!strcmp(key, "event.header") || !strcmp(key, "packet.context") ||
	    !strcmp(key, "event.context"))
		type = tsdl_parse_type(t);
	if (!type) {
		tsdl_fail(t, -ENOTSUP);
	} else if (!strcmp(key, "event.header")) {
		set_header(t, type);
	} else if (!strcmp(key, "packet.context")) {
		if (!has_layout(type, packet_layout))
			tsdl_fail(t, -ENOTSUP);
	} else {
		schema->context = tsdl_class(t, type);
		schema->context_bytes = 0;
		schema->context_fixed = schema->context &&
			is_fixed(schema->context, &schema->context_bytes);
	}
}

/* Returns an event's name as it is shown: functions of C++ and Rust have the
 * name in the source, "fn:f(int)%return" for "fn:_Z1fi%return". */
static const char *name_shown(struct tsdl *t, const char *name)
{
	static struct demangle work;
	char shown[DEMANGLE_NAME + 16];
	const char *kept;
	size_t n;

	if (!name || strncmp(name, "fn:", 3))
		return name;
	n = strcspn(name, "%");
	memcpy(shown, "fn:", 3);
	/* room for "%return" */
	if (!demangle(&work, name + 3, n - 3, shown + 3, sizeof(shown) - 16) ||
	    strlen(name + n) > 8)
		return name;
	strcat(shown, name + n);
	kept = class_memory_text(t->memory, shown);
	return kept ? kept : name;
}

/* Takes the place, the names of the module and the term of a function in a URI,
 * or none. */
static void take_place(struct tsdl *t, struct event_class *event)
{
	const char *uri = tsdl_take_text(t), *place, *term;
	size_t names, first, end;
	char *kept, *rest;

	if (uri && event->name &&
	    !strcmp(event->name, TERM_CHANNEL ":" TERM_NAME))
		event->ended = text_after(uri, METADATA_ENDED);
	place = uri ? text_after(uri, METADATA_FUNCTION) : NULL;
	event->place = place;
	if (!place)
		return;
	names = place_module_bytes(place);
	first = strcspn(place, RULE_OR);
	first = first < names ? first : names;
	term = strchr(place + place_file_bytes(place), *METADATA_TERM);
	if (term) {
		event->term = term[1] ? (uint32_t)strtoul(term + 1, &rest, 10) :
					TERM_NONE;
		event->some = term[1] && *rest == *METADATA_SOME;
	}
	if (!term && first == names)
		return;
	end = term ? (size_t)(term - place) : strlen(place);
	kept = class_memory_take(t->memory, 2 * end + 2);
	if (!kept) {
		tsdl_fail(t, -ENOMEM);
		return;
	}
	event->place = kept;
	kept += sprintf(kept, "%.*s%.*s", (int)first, place,
			(int)(end - names), place + names) + 1;
	event->modules = memcpy(kept, place, names);
}

/* Takes a row of a block `event`, whose event_class is `priv`. An unknown row
 * is -ENOTSUP, not damage: a later version may write it. */
static void parse_event(struct tsdl *t, const char *key, void *priv)
{
	struct event_class *event = priv;
	struct tsdl_type *type;

	if (!strcmp(key, "name")) {
		event->name = tsdl_take_text(t);
	} else if (!strcmp(key, "id") && t->kind == TOKEN_NUMBER) {
		event->code = t->number;
		tsdl_next(t);
	} else if (!strcmp(key, "fields")) {
		type = tsdl_parse_type(t);
		event->fields = type ? tsdl_class(t, type) : NULL;
	} else if (!strcmp(key, "loglevel") && t->kind == TOKEN_NUMBER) {
		event->level = t->number <= LEVEL_MAX ? (int)t->number :
							LEVEL_NONE;
		tsdl_next(t);
	} else if (!strcmp(key, "model.emf.uri")) {
		take_place(t, event);
	} else if (!strcmp(key, "stream_id")) {
		tsdl_next(t);
	} else {
		tsdl_fail(t, -ENOTSUP);
	}
}

/* Takes the value of a row, and moves behind it. `priv` is that of
 * parse_block(). */
typedef void take_value(struct tsdl *t, const char *key, void *priv);

/* Takes a block of rows NAME = VALUE or NAME := VALUE, with dots in NAME. Each
 * row goes to `take`, which moves behind the value. */
static void parse_block(struct tsdl *t, take_value *take, void *priv)
{
	char key[64];
	size_t n;

	tsdl_need_sign(t, '{');
	while (!t->error && !tsdl_take_sign(t, '}')) {
		key[0] = '\0';
		n = 0;
		while (t->kind == TOKEN_WORD || tsdl_is_sign(t, '.')) {
			const char *part = t->kind == TOKEN_WORD ? t->text :
								   ".";

			if (n + strlen(part) + 1 > sizeof(key)) {
				tsdl_fail(t, -EBADMSG);
				return;
			}
			strcpy(key + n, part);
			n += strlen(part);
			tsdl_next(t);
		}
		if (!tsdl_take_sign(t, '=') && !tsdl_take_sign(t, SIGN_ASSIGN))
			tsdl_fail(t, -EBADMSG);
		if (!t->error)
			take(t, key, priv);
		tsdl_need_sign(t, ';');
	}
}

/* Keeps the text from t->kept up to `end` for comparisons. There is room for
 * the whole text. */
static void text_keep(struct tsdl *t, const char *end)
{
	size_t bytes = (size_t)(end - t->kept);

	memcpy(t->schema->text + t->schema->bytes, t->kept, bytes);
	t->schema->bytes += bytes;
	t->kept = end;
}

/* Parses a block that is the trace's own, if it is this one. It may name no
 * type that the rest could use: such a schema is not shared. Returns false, and
 * moves nowhere, if it is another block. */
static bool parse_own(struct tsdl *t, const char *word, take_value *take)
{
	const struct tsdl_alias *aliases = t->aliases;

	if (!tsdl_is_word(t, word))
		return false;
	if (!t->shared)
		text_keep(t, t->at - strlen(t->text));
	else if (strcmp(word, "env"))
		t->alone = true;
	tsdl_next(t);
	parse_block(t, take, NULL);
	if (t->aliases != aliases)
		t->alone = true;
	if (!t->shared)
		t->kept = t->at;
	return true;
}

/* Takes one declaration of the outermost level. An event's id is bounded: the
 * table of events is an array. */
static void parse_declaration(struct tsdl *t)
{
	struct event_class *event;

	if (tsdl_take_word(t, "typealias")) {
		tsdl_parse_alias(t);
		return;
	}
	if (parse_own(t, "trace", parse_trace) ||
	    parse_own(t, "env", parse_env) ||
	    parse_own(t, "clock", parse_clock)) {
		;
	} else if (tsdl_take_word(t, "stream")) {
		parse_block(t, parse_stream, NULL);
	} else if (tsdl_take_word(t, "event")) {
		event = tsdl_memory(t, t->memory, sizeof(*event));
		if (!event)
			return;
		event->level = LEVEL_NONE;
		parse_block(t, parse_event, event);
		if (t->error)
			return;
		if (!event->name || !event->fields ||
		    event->code >= EVENT_ID_MAX) {
			tsdl_fail(t, -EBADMSG);
			return;
		}
		event->id = class_memory_id(t->memory, event->name);
		if (!event->id) {
			tsdl_fail(t, -ENOMEM);
			return;
		}
		event->name = name_shown(t, event->name);
		event->fixed = is_fixed(event->fields, &event->bytes);
		event->number = t->schema->nclasses++;
		event->shared = true;
		event->next = t->events;
		t->events = event;
	} else {
		tsdl_parse_type(t);
	}
	tsdl_need_sign(t, ';');
}

/* Parses the rest, unless a trace before had the same, and makes the table of
 * events, by their ids. An id that two events have is damage. */
static void parse_schema(struct tsdl *t, struct trace_schemas *schemas)
{
	struct trace_schema *schema = t->schema;
	struct trace_schema *same = NULL;
	struct event_class *event;

	if (schemas && !t->error && !t->alone)
		same = schema_find(schemas, schema->text, schema->bytes);
	if (same) {
		schema_drop(schema);
		t->schema = same;
		same->uses++;
		return;
	}
	while (!t->error && t->kind != TOKEN_END)
		parse_declaration(t);
	for (event = t->events; event; event = event->next)
		schema->nevents = max_u64(schema->nevents, event->code + 1);
	schema->events = tsdl_memory(t, t->memory, (schema->nevents + 1) *
					sizeof(struct event_class *));
	for (event = t->events; event && schema->events; event = event->next) {
		if (schema->events[event->code])
			tsdl_fail(t, -EBADMSG);
		schema->events[event->code] = event;
	}
	if (schemas && !t->error && !t->alone)
		schema_add(schemas, schema);
}

int trace_class_parse(struct trace_class *trace, struct trace_schemas *schemas,
		      const char *text, unsigned int *line)
{
	struct tsdl t = { .at = text, .kept = text, .line = 1, .trace = trace };
	const char *taffrail = "tracer_name = \"taffrail\";";

	trace->hostname = "";
	trace->procname = "";
	trace->domain = "";
	trace->session = "";
	trace->vpid = -1;
	*line = 0;
	/* before anything is parsed, as others' texts may be of any form */
	if (!strstr(text, taffrail))
		return -ENOTSUP;
	t.schema = schema_new(strlen(text) + 1);
	if (!t.schema)
		return -ENOMEM;
	t.memory = &t.schema->memory;
	tsdl_next(&t);
	while (!t.error && t.kind != TOKEN_END && !tsdl_is_word(&t, "stream"))
		parse_declaration(&t);
	/* from the first stream on, all is the schema's: the rest of the text
	 * is compared as a whole, and parsed only if no trace had it */
	if (!t.error) {
		t.alone |= t.kind == TOKEN_END;
		t.shared = true;
		text_keep(&t, t.kept + strlen(t.kept));
	}
	parse_schema(&t, schemas);
	if (!t.error && !trace->clock.hz)
		t.error = -EBADMSG;
	if (!t.error && schema_use(t.schema, trace))
		t.error = -ENOMEM;
	schema_drop(t.schema);
	*line = t.line;
	free(t.text);
	class_memory_free(t.scratch);
	return t.error;
}

void trace_class_free(struct trace_class *trace)
{
	free(trace->members);
	class_memory_free(trace->memory);
	schema_drop(trace->schema);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes CTF 1.8 metadata. Facts: CTF specification 1.8.3, section 7 and
 * appendix C (TSDL grammar); how babeltrace2 2.0 reads it.
 *
 * Invariant: every text of a program passes through identifier_of() or
 * metadata_escape(), but for a file's name in a comment. The text of an event
 * depends on the event alone, as metadata_compare() makes it again.
 */
#include "traces/metadata.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "buffers/ctf.h"
#include "taffrail/site.h"
#include "tracepoints/fields/fields.h"
#include "tracepoints/fields/scalar.h"
#include "tracepoints/fields/shown.h"
#include "traces/symbols.h"
#include "traces/tsdl/tsdl.h"

#define NAME_BYTES	96		/* of an identifier, with the NUL */
#define NAMES_MAX	(2 * EVENT_FIELDS_MAX)
#define UUID_ROOM	40		/* of a text, with quotes and NUL */
#define TRACER_MAJOR	0
#define TRACER_MINOR	1
#define TRACER_PATCH	0

/* Returns how many elements an array field has. */
static uint32_t array_count(const struct event_view *event, int i)
{
	const struct shown_bytes shown = { event->shown,
				     event->shown + event->shown_bytes };

	return shown_count(&shown, (uint32_t)i, event->types[i]);
}

/* Makes the steps that lead over an event. Neighbouring fields of fixed size
 * share a step. Returns 0, or -EBADMSG for a type that no writer has. */
static int shape_of(struct event_shape *shape, const struct event_view *event)
{
	unsigned int n = 0;
	uint32_t bytes;

	for (int i = 0; i < event->nfields; i++) {
		uint8_t type = event->types[i];
		const struct scalar *scalar = scalar_of(type);

		if (scalar && type >> 4 == TAFFRAIL_T_ARRAY >> 4) {
			/* all 15 others have room behind it */
			bytes = array_count(event, i) * scalar->bytes;
			if (!bytes)
				return -EBADMSG;
			shape->steps[n++] = (uint16_t)bytes;
		} else if (type == TAFFRAIL_T_STRING)
			shape->steps[n++] = STEP_STRING;
		else if (!scalar || (type & ~(TAFFRAIL_T_SEQUENCE |
					      TAFFRAIL_T_SCALAR_MASK)))
			return -EBADMSG;
		else if (type & TAFFRAIL_T_SEQUENCE)
			shape->steps[n++] = STEP_SEQUENCE | scalar->bytes;
		else if (symbols_has(event, i))
			shape->steps[n++] = STEP_SYMBOL;
		else if (n && shape->steps[n - 1] <= STEP_FIXED_MAX)
			shape->steps[n - 1] += scalar->bytes;
		else
			shape->steps[n++] = scalar->bytes;
	}
	shape->known = 1;
	shape->symbols = symbols_in(event);
	return 0;
}

int metadata_format(struct packet_format *format, struct event_shape **shapes,
		    const struct session_view *session)
{
	int context = context_bytes(session->page.contexts);
	uint32_t top = 0;
	int ret = 0;

	*shapes = NULL;
	if (context < 0)
		return -EBADMSG;
	for (size_t i = 0; i < session->nevents; i++)
		if (session->events[i]->id >= top)
			top = session->events[i]->id + 1;
	*shapes = calloc(top + 1, sizeof(**shapes));
	if (!*shapes)
		return -ENOMEM;
	for (size_t i = 0; i < session->nevents && !ret; i++)
		ret = shape_of(&(*shapes)[session->events[i]->id],
			       session->events[i]);
	format->symbols = symbols_needed(session);
	format->shapes = *shapes;
	format->nshapes = top;
	format->context_bytes = (uint32_t)context;
	format->kind = cursor_kind(session->page.flags);
	format->writers = session->page.contexts & CONTEXT_WRITER;
	if (ret) {
		free(*shapes);
		*shapes = NULL;
	}
	return ret;
}

/* Identifiers already used in a structure. */
struct names {
	char name[NAMES_MAX][NAME_BYTES];
	int n;
};

/*
 * Makes "_NAME" or "__NAME_length". The leading underscore keeps the name apart
 * from keywords; readers strip it. A second field NAME becomes NAME_2, and so
 * does a field NAME after a field _NAME: babeltrace2 2.0 compares a name also
 * with the earlier names from which it has stripped the underscore, so it does
 * not read "__y" and then "_y". The text lives as long as `names`.
 */
static const char *identifier_of(struct names *names, const char *text,
				 const char *lead, const char *tail)
{
	char base[NAME_BYTES - 32];
	char *name = names->name[names->n];
	int copy = 1, other = 0;
	size_t i;

	for (i = 0; i < sizeof(base) - 1 && text[i]; i++) {
		char c = text[i];

		base[i] = c == '_' || (c >= '0' && c <= '9') ||
				  (c >= 'A' && c <= 'Z') ||
				  (c >= 'a' && c <= 'z') ? c : '_';
	}
	base[i] = '\0';
	snprintf(name, NAME_BYTES, "%s%s%s", lead, base, tail);
	while (other < names->n) {
		const char *taken = names->name[other++];

		if (strcmp(taken, name) && strcmp(taken + 1, name))
			continue;
		snprintf(name, NAME_BYTES, "%s%s_%d%s", lead, base, ++copy,
			 tail);
		other = 0;
	}
	names->n++;
	return name;
}

/* Writes a scalar that is shown in a special way. Returns false, and has
 * written nothing, when the type alone says how. */
static bool put_shown(FILE *out, struct names *names,
		      const struct event_view *event, int i, const char *text)
{
	const struct shown_bytes shown = { event->shown,
				     event->shown + event->shown_bytes };
	uint8_t type = event->types[i];
	const struct scalar *scalar = scalar_of(type);
	const char *unit, *kind, *name;
	struct shown_field field;

	if (symbols_has(event, i))
		return fprintf(out, SYMBOLS_TYPE " %s;\n",
			       identifier_of(names, text, "_", ""));
	if (type & ~TAFFRAIL_T_SCALAR_MASK || scalar->exponent ||
	    scalar_sort(type) == SCALAR_ADDRESS ||
	    !shown_find(&field, &shown, (uint32_t)i))
		return false;
	unit = unit_word(field.how);
	if (*unit) {
		/* CTF has no word for a unit, so an alias of the integer's type
		 * names it. No field has a name that begins as the alias's */
		kind = field.how < TAFFRAIL_HOW_TIME_NS ? "duration" : "time";
		name = identifier_of(names, text, "_", "");
		fputs("typealias ", out);
		scalar_put_type(out, scalar, 10);
		fprintf(out, " := %s_%s_of%s;\n\t\t%s_%s_of%s %s;\n", kind,
			unit, name, kind, unit, name, name);
		return true;
	}
	switch (field.how) {
	case TAFFRAIL_HOW_CHAR:
		if (scalar->bytes != 1)
			return false;
		fprintf(out, "integer { size = 8; align = 8; signed = %d; "
			     "encoding = UTF8; base = 10; } %s[1];\n",
			scalar->is_signed, identifier_of(names, text, "_", ""));
		return true;
	case TAFFRAIL_HOW_HEX:
	case TAFFRAIL_HOW_OCT:
	case TAFFRAIL_HOW_BIN:
		scalar_put_type(out, scalar, shown_base(&shown, (uint32_t)i));
		break;
	default:
		if (!metadata_enumeration(out, &field, scalar->bytes * 8,
					  scalar->is_signed))
			return false;
	}
	fprintf(out, " %s;\n", identifier_of(names, text, "_", ""));
	return true;
}

/* Writes the declaration of a field, with the length in front of a sequence. */
static void put_field(FILE *out, struct names *names,
		      const struct event_view *event, int i,
		      const char *text, int base)
{
	const struct shown_bytes shown = { event->shown,
				     event->shown + event->shown_bytes };
	uint8_t type = event->types[i];
	const struct scalar *scalar = scalar_of(type);
	const char *length;

	fputs("\t\t", out);
	if (put_shown(out, names, event, i, text))
		return;
	if (type == TAFFRAIL_T_STRING) {
		fprintf(out, "string { encoding = UTF8; } %s;\n",
			identifier_of(names, text, "_", ""));
	} else if (type & TAFFRAIL_T_ARRAY) {
		element_put_type(out, scalar, &shown, (uint32_t)i, 10);
		fprintf(out, " %s[%u];\n", identifier_of(names, text, "_", ""),
			array_count(event, i));
	} else if (type & TAFFRAIL_T_SEQUENCE) {
		length = identifier_of(names, text, "__", "_length");
		scalar_put_type(out, scalar_of(TAFFRAIL_T_U32), 10);
		fprintf(out, " %s;\n\t\t", length);
		element_put_type(out, scalar, &shown, (uint32_t)i, base);
		fprintf(out, " %s[ %s ];\n", identifier_of(names, text, "_",
							   ""),
			length);
	} else {
		scalar_put_type(out, scalar, base);
		fprintf(out, " %s;\n", identifier_of(names, text, "_", ""));
	}
}

/* Fields of an event with names that agree in the first `at` characters. */
struct members {
	const struct event_view *event;
	const struct field_name *fields;
	int from, to;
	size_t at;
};

/* Writes fields; those of one structure, at.x and at.y, as a struct "at". A
 * name has room for 31 dots: that bounds the recursion. */
static void put_fields(FILE *out, const struct members *all)
{
	const struct shown_bytes shown = { all->event->shown,
					   all->event->shown +
					   all->event->shown_bytes };
	struct names names = { .n = 0 };
	char number[8];

	for (int next, i = all->from; i < all->to; i = next) {
		const char *text = all->fields[i].name + all->at;
		const char *dot = strchr(text, '.');
		char name[FIELD_NAME_BYTES] = "";
		struct members inner = *all;
		struct shown_field options;
		int k;

		next = i + 1;
		if (next < all->to && variant_find(&options, all->event,
						   all->fields, i, all->at)) {
			variant_put(out, options);
			next++;
			continue;
		}
		if (!dot) {
			put_field(out, &names, all->event, i, text,
				  all->fields[i].base);
			continue;
		}
		memcpy(name, text, (size_t)(dot - text));
		inner.from = i;
		inner.at = all->at + (size_t)(dot - text) + 1;
		while (next < all->to && !strncmp(all->fields[next].name,
						  all->fields[i].name,
						  inner.at))
			next++;
		inner.to = next;
		fputs("\t\t", out);
		/* elements of an array are called 0, 1, 2... */
		for (k = i; k < next; k++) {
			snprintf(number, sizeof(number), "%d", k - i);
			if (strcmp(all->fields[k].name + inner.at, number) ||
			    all->event->types[k] != all->event->types[i] ||
			    shown_find(&options, &shown, (uint32_t)k))
				break;
		}
		if (k == next) {
			scalar_put_type(out, scalar_of(all->event->types[i]),
					10);
			fprintf(out, " %s[%d];\n",
				identifier_of(&names, name, "_", ""), next - i);
		} else {
			fputs("struct {\n", out);
			put_fields(out, &inner);
			fprintf(out, "\t\t} %s;\n",
				identifier_of(&names, name, "_", ""));
		}
	}
}

/* Writes the declaration of an event, behind a comment with the marker's place.
 */
static void put_event(FILE *out, const struct event_view *event)
{
	struct field_name fields[EVENT_FIELDS_MAX] = { 0 };
	const struct shown_bytes shown = { event->shown,
				     event->shown + event->shown_bytes };
	struct members all = { event, fields, 0, event->nfields, 0 };
	uint32_t term = record_term(event->types);
	int level = shown_level(&shown);
	struct shown_field uri;

	fields_parse(event->text, event->kind, event->nfields, fields);
	fputs("\n/* ", out);
	/* no character of the name may end the comment */
	for (const char *p = event->file; *p; p++)
		putc((unsigned char)*p < 0x20 ||
		     (*p == '/' && p != event->file && p[-1] == '*') ? '?' :
		     *p, out);
	fprintf(out, ":%u */\nevent {\n\tname = \"", event->line);
	metadata_escape(out, event->channel);
	putc(':', out);
	metadata_escape(out, event->name);
	fprintf(out, "\";\n\tid = %u;\n\tstream_id = 0;\n", event->id);
	if (level >= 0)
		fprintf(out, "\tloglevel = %d;\n", level);
	if (shown_find_how(&uri, &shown, SHOWN_MARKER, TAFFRAIL_HOW_URI)) {
		/* it ends with a NUL, or is not written */
		fputs("\tmodel.emf.uri = \"", out);
		if (memchr(uri.names.p, 0, (size_t)(uri.names.end -
						    uri.names.p)))
			metadata_escape(out, uri.names.p);
		fputs("\";\n", out);
	} else if (!strcmp(event->channel, TERM_CHANNEL) &&
		   !strcmp(event->name, TERM_NAME)) {
		fputs("\tmodel.emf.uri = \"" METADATA_ENDED, out);
		metadata_escape(out, event->file);
		fputs("\";\n", out);
	} else if (!strcmp(event->channel, "fn") && *event->file) {
		/* which function it is: others may have the name */
		fputs("\tmodel.emf.uri = \"" METADATA_FUNCTION, out);
		metadata_escape(out, event->file);
		fprintf(out, "+0x%x", event->line);
		if (term && term != TERM_NONE)
			fprintf(out, METADATA_TERM "%u%s", term & ~TERM_SOME,
				term & TERM_SOME ? METADATA_SOME : "");
		else if (term)
			fputs(METADATA_TERM, out);
		fputs("\";\n", out);
	}
	fputs("\tfields := struct {\n", out);
	put_fields(out, &all);
	fputs("\t};\n};\n", out);
	message_put(out, event);
}

/* Makes the text of a uuid of 16 bytes, in quotes. */
static void uuid_format(char text[UUID_ROOM], const uint8_t *uuid)
{
	char *p = stpcpy(text, "\"");

	for (int i = 0; i < 16; i++)
		p += sprintf(p, "%s%02x", i == 4 || i == 6 || i == 8 ||
			     i == 10 ? "-" : "", uuid[i]);
	strcpy(p, "\"");
}

/* Writes a text of a program as a row of the environment. */
static void put_text(FILE *out, const char *key, const char *text)
{
	fprintf(out, "\t%s = \"", key);
	metadata_escape(out, text);
	fputs("\";\n", out);
}

/* Writes a time of day as a row of the environment, in UTC. */
static void put_time(FILE *out, const char *key, uint64_t seconds)
{
	time_t t = (time_t)seconds;
	char text[40] = "";
	struct tm tm;

	if (gmtime_r(&t, &tm))
		strftime(text, sizeof(text), "%Y%m%dT%H%M%S+0000", &tm);
	put_text(out, key, text);
}

/* Writes the environment: the facts about the process and the recording. */
static void put_env(FILE *out, const struct metadata *metadata)
{
	const struct process_page *process = metadata->process;
	bool shared = session_view_shared(metadata->session);

	fputs("\nenv {\n", out);
	put_text(out, "hostname", process->hostname);
	fprintf(out, "\tdomain = \"ust\";\n"
		     "\ttracer_name = \"taffrail\";\n"
		     "\ttracer_major = %d;\n\ttracer_minor = %d;\n"
		     "\ttracer_patchlevel = %d;\n"
		     "\ttracer_buffering_scheme = \"%s\";\n",
		TRACER_MAJOR, TRACER_MINOR, TRACER_PATCH,
		shared ? "uid" : "pid");
	put_text(out, "agent_version", process->agent_version);
	put_text(out, "trace_name", metadata->session->page.name);
	if (shared) {
		struct member_view member = { .number = 0 };
		char *part, *star;

		/* a row for each process that shares the trace, in a
		 * comment: process_NUMBER is "PID STARTTIME NAME" */
		fputs("\t" METADATA_ROWS "\n", out);
		while (session_view_member(metadata->session, &member)) {
			if (!member.wrote)
				continue;
			fprintf(out, "\t" METADATA_PROCESS "%u = \"%u %llu ",
				member.number, member.pid,
				(unsigned long long)member.starttime);
			/* no name ends the comment */
			for (part = member.name; (star = strchr(part, '*'));
			     part = star + 1) {
				*star = '\0';
				metadata_escape(out, part);
				fputs("\\052", out);
			}
			metadata_escape(out, part);
			fputs("\";\n", out);
		}
		fputs("\t*/\n", out);
	} else {
		put_text(out, "procname", process->procname);
		fprintf(out, "\tvpid = %u;\n\tvppid = %u;\n"
			     "\tvpid_starttime = %llu;\n\timage = %u;\n",
			process->pid, process->ppid,
			(unsigned long long)process->starttime, process->image);
	}
	fprintf(out, "\tarchitecture_bit_width = %zu;\n", sizeof(void *) * 8);
	if (!shared)
		put_time(out, "vpid_datetime",
			 process->start.realtime_ns / 1000000000);
	put_time(out, "trace_creation_datetime", metadata->created_s);
	fputs("};\n", out);
}

void metadata_put_clock(FILE *out, uint32_t kind, const uint8_t *boot_id,
			const struct metadata_clock *clock)
{
	char uuid[UUID_ROOM];

	uuid_format(uuid, boot_id);
	fprintf(out, "\nclock {\n\tname = \"monotonic\";\n\tuuid = %s;\n"
		     "\tdescription = \"%s\";\n"
		     "\tfreq = %llu;\n\toffset_s = %lld;\n\toffset = %llu;\n"
		     "\tabsolute = TRUE;\n};\n", uuid,
		kind == CLOCK_KIND_TSC ? "time stamp counter" :
		kind == CLOCK_KIND_MONOTONIC ? "CLOCK_MONOTONIC" :
		"a counter: order, not time", (unsigned long long)clock->hz,
		(long long)clock->offset_s, (unsigned long long)clock->offset);
}

/* Writes the only stream. The type of an event's header has the usual form,
 * with the low bits of the clock, or the extended one, with a whole reading.
 * The packet's context is struct packet_head of layout.h, from timestamp_begin
 * on. The contexts of events come in the order of their bits, in which the
 * agent writes them; addresses are decimal, as in traces of LTTng's. */
static void put_stream(FILE *out, const struct session_page *page)
{
	static const char *const contexts[] = {
		"integer { size = 32; align = 8; signed = 1; } _vtid;",
		"integer { size = 32; align = 8; signed = 1; } _vpid;",
		("integer { size = 8; align = 8; signed = 0; encoding = UTF8; "
		 "} _procname[16];"),
		"uint32_t _cpu;",
		"integer { size = 64; align = 8; signed = 0; } _ip;",
		NULL,		/* CONTEXT_WRITER has no bytes */
		"integer { size = 64; align = 8; signed = 0; } _pthread_id;",
	};
	enum cursor_kind kind = cursor_kind(page->flags);
	uint32_t fields = page->contexts & ~CONTEXT_WRITER;
	bool large = kind == CURSOR_LARGE, wide = kind == CURSOR_WIDE;
	unsigned int extended = large ? CTF_LARGE_ID_EXTENDED
				      : CTF_COMPACT_ID_EXTENDED;
	unsigned int align = large ? 8 : 1;
	unsigned int bits = large ? CTF_LARGE_CLOCK_BITS :
				    CTF_COMPACT_CLOCK_BITS;

	fprintf(out, "\nstruct event_header {\n"
		     "\tenum : integer { size = %u; align = %u; signed = 0; } "
		     "{ usual = 0 ... %u, %sextended = %u } id;\n"
		     "\tvariant <id> {\n"
		     "\t\tstruct {\n"
		     "\t\t\tinteger { size = %u; align = %u; signed = 0; "
		     "map = clock.monotonic.value; } timestamp;\n"
		     "\t\t} usual;\n",
		large ? 16 : CTF_COMPACT_ID_BITS, align, extended - 1 - wide,
		wide ? "wide = 30, " : "", extended, bits, align);
	/* a member that is aligned would align the whole struct */
	if (wide)
		fprintf(out, "\t\tstruct {\n"
			     "\t\t\tinteger { size = %u; align = %u; signed = 0; "
			     "map = clock.monotonic.value; } timestamp;\n"
			     "\t\t\tinteger { size = 16; align = 1; "
			     "signed = 0; } id;\n"
			     "\t\t} wide;\n", bits, align);
	fputs("\t\tstruct {\n"
	      "\t\t\tuint32_t id;\n"
	      "\t\t\tinteger { size = 64; align = 8; signed = 0; "
	      "map = clock.monotonic.value; } timestamp;\n"
	      "\t\t} extended;\n"
	      "\t} v;\n"
	      "} align(8);\n", out);
	fputs("\nstream {\n\tid = 0;\n"
	      "\tevent.header := struct event_header;\n"
	      "\tpacket.context := struct {\n"
	      "\t\tinteger { size = 64; align = 8; signed = 0; "
	      "map = clock.monotonic.value; } timestamp_begin;\n"
	      "\t\tinteger { size = 64; align = 8; signed = 0; "
	      "map = clock.monotonic.value; } timestamp_end;\n"
	      "\t\tuint64_t content_size;\n"
	      "\t\tuint64_t packet_size;\n"
	      "\t\tuint64_t packet_seq_num;\n"
	      "\t\tuint64_t events_discarded;\n"
	      "\t\tuint32_t cpu_id;\n"
	      "\t};\n", out);
	if (fields)
		fputs("\tevent.context := struct {\n", out);
	for (unsigned int bit = 0; bit < ARRAY_SIZE(contexts); bit++)
		if (fields & (1u << bit))
			fprintf(out, "\t\t%s\n", contexts[bit]);
	if (fields)
		fputs("\t};\n", out);
	fputs("};\n", out);
}

/* Steps over the text of an event, or without one of the stream. Returns 1, 0
 * if another text is there, or -ENOMEM. */
static int step_over(const char **at, const struct session_page *page,
		     const struct event_view *event)
{
	char *want = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&want, &bytes);
	int ret = -ENOMEM;

	if (!out)
		return ret;
	if (event)
		put_event(out, event);
	else
		put_stream(out, page);
	if (!fclose(out)) {
		ret = !strncmp(*at, want, bytes);
		*at += ret ? bytes : 0;
	}
	free(want);
	return ret;
}

int metadata_compare(const char *text, const struct session_view *session,
		     size_t *described)
{
	const char *at = strstr(text, "\nstruct event_header {\n");
	int ret = at ? step_over(&at, &session->page, NULL) : 0;
	size_t i;

	for (i = 0; ret > 0 && i < session->nevents && *at; i++)
		ret = step_over(&at, &session->page, session->events[i]);
	*described = i;
	if (ret < 0)
		return ret;
	return ret && (!*at || !strncmp(at, "\n/* ", 4)) ? 0 : -EBADMSG;
}

int metadata_write(FILE *out, const struct metadata *metadata)
{
	const struct session_view *session = metadata->session;
	struct event_shape shape;
	char uuid[UUID_ROOM];

	for (size_t i = 0; i < session->nevents; i++)
		if (shape_of(&shape, session->events[i]))
			return -EBADMSG;
	fputs("/* CTF 1.8 */\n\n"
	      "typealias integer { size = 8; align = 8; signed = 0; } "
	      ":= uint8_t;\n"
	      "typealias integer { size = 16; align = 8; signed = 0; } "
	      ":= uint16_t;\n"
	      "typealias integer { size = 32; align = 8; signed = 0; } "
	      ":= uint32_t;\n"
	      "typealias integer { size = 64; align = 8; signed = 0; } "
	      ":= uint64_t;\n"
	      "\ntrace {\n\tmajor = 1;\n\tminor = 8;\n",
	      out);
	uuid_format(uuid, metadata->uuid);
	fprintf(out,
		"\tuuid = %s;\n\tbyte_order = %s;\n"
		"\tpacket.header := struct {\n"
		"\t\tuint32_t magic;\n"
		"\t\tuint8_t uuid[16];\n"
		"\t\tuint32_t stream_id;\n"
		"\t\tuint64_t stream_instance_id;\n"
		"\t};\n};\n",
		uuid, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "le" : "be");
	put_env(out, metadata);
	metadata_put_clock(out, metadata->process->clock_kind,
			   metadata->process->boot_id, &metadata->clock);
	symbols_put(out, session, metadata->symbols);
	put_stream(out, &session->page);
	for (size_t i = 0; i < session->nevents; i++)
		put_event(out, session->events[i]);
	return fflush(out) || ferror(out) ? -EIO : 0;
}

bool metadata_has_uuid(const char *text, const uint8_t *uuid)
{
	char wanted[8 + UUID_ROOM];

	uuid_format(stpcpy(wanted, "uuid = "), uuid);
	return strstr(text, wanted);
}

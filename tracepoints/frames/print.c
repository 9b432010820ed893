/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gdb's dprintf. See print.h.
 *
 * Invariant: as in collect-hit.c: hits run in the program's threads and signal
 * handlers, take no lock, allocate nothing and do not change errno.
 */
#include "tracepoints/frames/print.h"

#include <errno.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "tracepoints/fields/field-value.h"
#include "tracepoints/frames/builder.h"
#include "tracepoints/frames/collect.h"
#include "tracepoints/program/memory.h"
#include "tracepoints/program/snapshot.h"

#define STRINGS_BYTES	1024	/* of all arguments of a text */
#define CONSOLE_TEXTS	64

/* One piece of memory; the programs follow the format. */
struct print {
	uint64_t address;
	uint64_t bytes;
	uint64_t condition;		/* offset of the program, or 0 */
	uint64_t arguments;		/* the same, if there are any */
	uint32_t nargs;
	uint32_t strings;		/* a bit for each argument */
	uint32_t wide;			/* the same */
	uint32_t nstrings;
	uint16_t most[PRINT_ARGUMENTS_MAX]; /* bytes of a string, at least 1 */
	char format[];
};

static const struct print *places[PRINTS_MAX];
static struct arena_copy *copies;

/* A hit: the arguments come in the order of the format. */
struct printing {
	struct builder builder;			/* first */
	const struct snapshot *snapshot;
	uint64_t values[PRINT_ARGUMENTS_MAX];
	uint32_t n;
};

static SIGSAFE enum ax_verdict printing_register(void *hit, uint32_t number,
						 uint64_t *value)
{
	const struct snapshot *snapshot = ((struct printing *)hit)->snapshot;

	if (number != REGISTER_RIP)
		return builder_ax_register(snapshot->general, snapshot->flags,
					   number, value);
	*value = snapshot_address(snapshot);
	return AX_DONE;
}

/* Takes an argument: each has a "trace" of zero bytes at it (print_make()). */
static SIGSAFE enum ax_verdict argument_take(void *hit, uint64_t value,
					     uint64_t bytes)
{
	struct printing *printing = hit;

	if (bytes || printing->n == PRINT_ARGUMENTS_MAX)
		return AX_NO_ROOM;
	printing->values[printing->n++] = value;
	return AX_DONE;
}

static SIGSAFE enum ax_verdict variable_get(void *hit, uint32_t number,
					    uint64_t *value)
{
	return collect_variable_get(number, (int64_t *)value) ?
		       AX_UNAVAILABLE : AX_DONE;
}

static const struct ax_machine machine = {
	.read = builder_ax_read,
	.reg = printing_register,
	.variable_get = variable_get,
	.collect = argument_take,
	.nregisters = REGISTERS_NUMBERED,
};

/* Finds the AX_PRINTF at the end of the code: function and channel 0, number of
 * arguments, bytes of the format, format, end. Returns the offset of the
 * function, or -1. */
static int printf_find(const struct print_source *source)
{
	static const uint8_t head[] = { AX_CONST8, 0, AX_CONST8, 0, AX_PRINTF };
	const uint8_t *code = source->code;

	for (uint32_t i = 0; i + sizeof(head) + 5 <= source->bytes; i++) {
		uint32_t text = i + (uint32_t)sizeof(head) + 3;

		if (!__builtin_memcmp(code + i, head, sizeof(head)) &&
		    text + (uint32_t)(code[text - 2] << 8 | code[text - 1]) +
				    1 == source->bytes &&
		    !code[source->bytes - 2] &&
		    code[source->bytes - 1] == AX_END)
			return (int)i;
	}
	return -1;
}

static bool is_letter(char c)
{
	const char *p = "diouxXpcs%";

	while (*p && *p != c)
		p++;
	return *p;
}

/* Returns how many bytes of a string are needed with the precision behind a
 * '.', at least 1. */
static uint32_t precision_read(const char *p)
{
	/* -1: it is an argument, or 0 */
	uint64_t n = (uint64_t)text_number(&p);

	return n ? (uint32_t)min_u64(n, PRINT_TEXT_BYTES) : 1;
}

/* Notes which arguments a format takes as strings, and which as 64 bits.
 * Returns false when it takes other arguments than there are. */
static bool format_learn(struct print *print)
{
	const char *p = print->format;
	uint32_t taken = 0, is_wide, most;

	for (; *p; p++) {
		if (*p != '%')
			continue;
		most = PRINT_TEXT_BYTES;
		for (is_wide = 0, p++; *p && !is_letter(*p); p++) {
			taken += *p == '*';
			is_wide |= *p == 'l' || *p == 'j' || *p == 'z' ||
				   *p == 't';
			most = *p == '.' ? precision_read(p + 1) : most;
		}
		if (!*p || taken > PRINT_ARGUMENTS_MAX)
			return false;
		if (taken < PRINT_ARGUMENTS_MAX)
			print->most[taken] = (uint16_t)most;
		print->strings |= (uint32_t)(*p == 's') << taken;
		print->nstrings += *p == 's';
		print->wide |= (is_wide | (*p == 'p')) << taken;
		taken += *p != '%';
	}
	return taken == print->nargs;
}

/* Replaces C's escapes, which gdb leaves in the format. */
static void format_unescape(char *format)
{
	static const char letters[] = "abefnrtv", codes[] = "\a\b\33\f\n\r\t\v";
	const char *p = format;
	uint32_t i, value;

	while (*p) {
		if (*p != '\\' || !p[1]) {
			*format++ = *p++;
			continue;
		}
		for (i = 0, p++; letters[i] && letters[i] != *p;)
			i++;
		if (letters[i]) {
			*format++ = codes[i];
			p++;
			continue;
		}
		for (i = 0, value = 0; i < 3 && *p >= '0' && *p <= '7'; i++)
			value = value * 8 + (uint32_t)(*p++ - '0');
		*format++ = i ? (char)value : *p++;
	}
	*format = '\0';
}

/* Verifies a program behind the print. */
static int program_add(struct print *print, uint64_t room, const uint8_t *code,
		       uint32_t bytes, bool is_condition, uint64_t *offset,
		       struct ax_refusal *why)
{
	struct ax_source source = { .code = code, .bytes = bytes,
				    .want_result = is_condition,
				    .machine = &machine };
	struct ax_program *program;
	int ret;

	*offset = align_up(print->bytes, 8);
	program = (struct ax_program *)((char *)print + *offset);
	ret = ax_verify(program, room - *offset, &source, why);
	print->bytes = *offset + program->bytes;
	return ret;
}

static int print_fill(struct print *print, uint64_t room,
		      const struct print_source *source,
		      struct ax_refusal *why)
{
	uint8_t code[AX_CODE_MAX];
	int ret, at = printf_find(source);
	const uint8_t *tail;
	uint32_t text;

	why->offset = 0;
	why->fact = "no printf of the agent's";
	if (at < 0)
		return -EINVAL;
	tail = source->code + at + 5;
	text = (uint32_t)(tail[1] << 8 | tail[2]);
	print->nargs = tail[0];
	print->address = source->address;
	__builtin_memcpy(print->format, tail + 3, text);
	print->bytes = sizeof(*print) + text;
	format_unescape(print->format);
	why->fact = "the format does not fit the arguments: 15 at most, of %d "
		    "and the like, %c, %p, %s";
	if (!format_learn(print) || print->nargs > PRINT_ARGUMENTS_MAX)
		return -EINVAL;
	ret = !source->condition ? 0 :
	      program_add(print, room, source->condition,
			  source->condition_bytes, true, &print->condition,
			  why);
	if (ret || !print->nargs)
		return ret;
	/* the arguments are on the stack, the first on top */
	__builtin_memcpy(code, source->code, (size_t)at);
	for (uint32_t n = 0; n < print->nargs; n++, at += 3)
		__builtin_memcpy(code + at,
				 &(uint8_t[3]){ AX_CONST8, 0, AX_TRACE }, 3);
	code[at++] = AX_END;
	return program_add(print, room, code, (uint32_t)at, false,
			   &print->arguments, why);
}

int print_make(const struct print **print, const struct print_source *source,
	       struct ax_refusal *why)
{
	uint32_t more = 3 * PRINT_ARGUMENTS_MAX + 1;
	uint64_t room = sizeof(struct print) + source->bytes + 16 +
			AX_PROGRAM_BYTES(source->condition_bytes) +
			AX_PROGRAM_BYTES(source->bytes + more);
	struct print *builder;
	int ret;

	why->offset = 0;
	why->fact = "too long";
	if (source->bytes + more > AX_CODE_MAX)
		return -EINVAL;
	builder = sys_map_anonymous(room);
	if (!builder)
		return -ENOMEM;
	ret = print_fill(builder, room, source, why);
	if (!ret) {
		*print = arena_copy(&copies, builder, builder->bytes);
		ret = *print ? 0 : -ENOMEM;
	}
	sys_munmap(builder, room);
	return ret;
}

/* The event's site, and the texts behind it. */
static struct {
	struct taffrail_site site;
	char texts[24];
} event = {
	.site = { .version_ = TAFFRAIL_SITE_VERSION,
		  .kind_ = TAFFRAIL_KIND_EVENT, .nfields_ = 1, .nvar_ = 1,
		  .flags_ = TAFFRAIL_SITE_FLAG_TESTED,
		  .text_bytes_ = sizeof(event.texts),
		  .types_ = { TAFFRAIL_T_STRING } },
	.texts = COLLECT_CHANNEL "\0dprintf\0text\0",
};

struct object *print_object(bool *came)
{
	static struct module module;
	static struct object *object;
	const struct code code = { .address = (uint8_t *)&event,
				   .flags = TAFFRAIL_SITE_FLAG_TESTED };
	const char *texts[4] = { event.texts, event.texts + 4,
				 event.texts + 12, event.texts + 17 };

	*came = !object;
	if (!object)
		object = registry_declare(&module, &event.site, texts, &code);
	return object;
}

void print_set(uint32_t place, const struct print *print)
{
	store_release(&places[place], print, PRINT_PLACE);
}

uint64_t print_address(uint32_t place)
{
	const struct print *print = load_acquire(&places[place], PRINT_PLACE);

	return print ? print->address : 0;
}

/* The console: texts wait here until the stub sends them. */
enum console_state { TEXT_FREE, TEXT_TAKEN, TEXT_WHOLE };

static struct console_text {
	uint32_t state;
	uint32_t number;		/* in their order */
	uint32_t n;
	char bytes[PRINT_TEXT_BYTES];
} console[CONSOLE_TEXTS] TABLE;

static uint32_t console_on;
static uint32_t console_number;
static uint32_t console_lost;

void print_console(bool on)
{
	store_relaxed(&console_on, on);
}

uint32_t print_lost(void)
{
	return __atomic_exchange_n(&console_lost, 0, __ATOMIC_RELAXED);
}

/* Copies a text to a free slot. One in which a thread ended stays taken. */
static SIGSAFE void console_add(const char *bytes, uint32_t n)
{
	uint32_t number = __atomic_fetch_add(&console_number, 1,
					     __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < CONSOLE_TEXTS; i++) {
		struct console_text *text =
			&console[(number + i) % CONSOLE_TEXTS];
		uint32_t none = TEXT_FREE;

		if (!__atomic_compare_exchange_n(&text->state, &none,
						 TEXT_TAKEN, 0,
						 SEQ_CST(PRINT_TEXT),
						 __ATOMIC_RELAXED))
			continue;
		text->number = number;
		text->n = n;
		builder_copy(text->bytes, bytes, n);
		store_release(&text->state, TEXT_WHOLE, PRINT_TEXT);
		return;
	}
	__atomic_fetch_add(&console_lost, 1, __ATOMIC_RELAXED);
}

int print_take(char text[PRINT_TEXT_BYTES])
{
	struct console_text *first = NULL;
	int n;

	for (uint32_t i = 0; i < CONSOLE_TEXTS; i++)
		if (load_acquire(&console[i].state, PRINT_TEXT) == TEXT_WHOLE &&
		    (!first ||
		     (int32_t)(console[i].number - first->number) < 0))
			first = &console[i];
	if (!first)
		return -1;
	n = (int)first->n;
	__builtin_memcpy(text, first->bytes, (size_t)n);
	store_release(&first->state, TEXT_FREE, PRINT_TEXT);
	return n;
}

/* Makes the text of a hit. Where an argument could not be had, nothing of it
 * and what follows. */
static SIGSAFE void text_make(struct text *text, struct printing *printing,
			      const struct print *print)
{
	struct field_value values[PRINT_ARGUMENTS_MAX];
	char strings[STRINGS_BYTES];
	uint32_t left = print->nstrings, used = 0, i;
	const char *p;
	uint64_t n;

	for (i = 0; i < printing->n; i++) {
		uint64_t *value = &printing->values[i];

		values[i] = (struct field_value){
			.type = print->wide >> i & 1 ? TAFFRAIL_T_U64 :
						       TAFFRAIL_T_U32,
			.whole = 1,
			.p = (const uint8_t *)value,
		};
		if (!(print->strings >> i & 1))
			continue;
		/* the strings that are left share the room */
		n = min_u64((sizeof(strings) - used) / left--, print->most[i]);
		n = *value ? memory_copy_string(strings + used, *value, n,
						&printing->builder.stack) : 0;
		p = n ? strings + used : *value ? "(unreadable)" : "(null)";
		used += (uint32_t)n;
		values[i].type = TAFFRAIL_T_STRING;
		values[i].p = (const uint8_t *)p;
		values[i].n = (uint32_t)(n ? n - !p[n - 1] : text_length(p));
	}
	field_format(text, print->format, values, printing->n, print->nargs);
}

static SIGSAFE __attribute__((noinline)) void
print_write(struct printing *printing, const struct print *print)
{
	char bytes[PRINT_TEXT_BYTES];
	struct write_slot *slot = (struct write_slot *)&event.site;
	struct write_var var = { .p = bytes, .n = WRITE_STRING };
	struct text text;
	uint64_t unused;

	printing->n = 0;
	if (print->arguments)
		ax_run((const void *)((const char *)print + print->arguments),
		       NULL, printing, &unused);
	text_open(&text, bytes, sizeof(bytes));
	text_make(&text, printing, print);
	if (load_relaxed(&console_on))
		console_add(bytes, (uint32_t)text.used);
	/* a line of a console ends so, an event does not */
	if (text.used && bytes[text.used - 1] == '\n')
		bytes[text.used - 1] = '\0';
	if (load_relaxed(&event.site.enabled_))
		load_relaxed(&slot->hit)(slot, 0, &var);
}

/* Serves a hit: a function for collect_kept(). */
static SIGSAFE int print_serve(void *arg, void *unused)
{
	struct printing printing;	/* not cleared */
	const struct print *print;
	uint64_t result;

	printing.snapshot = arg;
	for (uint32_t i = 0; i < PRINTS_MAX; i++) {
		print = load_acquire(&places[i], PRINT_PLACE);
		if (!print ||
		    print->address != snapshot_address(printing.snapshot))
			continue;
		memory_stack_here(&printing.builder.stack,
				  printing.snapshot->general[7]);
		if (!print->condition ||
		    (ax_run((const void *)((const char *)print +
					   print->condition),
			    NULL, &printing, &result) == AX_DONE && result))
			print_write(&printing, print);
	}
	return 0;
}

static SIGSAFE void print_hit(struct write_slot *slot, uint64_t fixed,
			      const struct write_var *var)
{
	const struct object *object = object_of(slot->shape);
	struct snapshot *snapshot;

	if (!load_relaxed(&object->snapshots))
		return;
	snapshot = object->adopted ? snapshot_find_put(object->site) :
				     snapshot_find(object->site);
	if (!snapshot)
		return;
	if (collect_kept)
		collect_kept(print_serve, snapshot, NULL);
	else
		print_serve(snapshot, NULL);
	if (load_relaxed(&object->snapshots) == OBJECT_PRINT)
		snapshot_release(snapshot);
}

int print_switch(struct object *object, struct channel *channel, bool on,
		 const struct patcher *patcher)
{
	struct object_use use = { .channel = channel, .hit = print_hit };
	int ret;

	if (!on) {
		object_disable(object, channel, patcher);
		return object_snapshots(object, OBJECT_PRINT, 0, patcher);
	}
	ret = object_snapshots(object, OBJECT_PRINT, 1, patcher);
	return ret ? ret : object_enable(object, &use, patcher);
}

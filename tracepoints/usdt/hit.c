/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A hit of an adopted probe: fetches the arguments, and writes them as any
 * marker does.
 */
#include "tracepoints/usdt/usdt.h"

#include "base/base.h"
#include "tracepoints/conditions/ax.h"
#include "tracepoints/fields/scalar.h"
#include "tracepoints/program/memory.h"
#include "tracepoints/program/snapshot.h"
#include "tracepoints/usdt/whole-private.h"

#if defined(__AVX__) || defined(__APX_F__)
#error "a hit must not use AVX: give CFLAGS to configure, not to make"
#endif

/* The sources of the arguments of a hit. */
struct fetching {
	const struct usdt_adopted *probe;
	const struct usdt_state *state;
	struct memory_stack stack;
	struct memory_line line;	/* not cleared */
	uint64_t unread;		/* a bit for each field whose program
					 * has failed */
};

static ALWAYS_INLINE void fetching_begin(struct fetching *f,
					 const struct usdt_adopted *probe,
					 const struct usdt_state *state)
{
	f->probe = probe;
	f->state = state;
	f->line.start = f->line.n = 0;
	f->unread = 0;
}

static SIGSAFE enum ax_verdict line_read(void *hit, uint64_t address, void *to,
					 uint32_t bytes)
{
	const struct fetching *f = hit;

	return memory_copy(to, address, bytes, &f->stack) == bytes ?
		       AX_DONE : AX_BAD_ADDRESS;
}

static SIGSAFE enum ax_verdict line_register(void *hit, uint32_t number,
					     uint64_t *value)
{
	const struct fetching *f = hit;

	if (number == USDT_LINE_BASE)
		*value = usdt_start(f->probe);
	else if (number == USDT_LINE_THREAD)
		*value = (uint64_t)__builtin_thread_pointer();
	else if (number < ARRAY_SIZE(f->state->general))
		*value = f->state->general[number];
	else if (number >= USDT_LINE_VECTOR && number < USDT_LINE_VECTOR + 16)
		*value = f->state->vectors[number - USDT_LINE_VECTOR][0];
	else
		return AX_UNAVAILABLE;
	return AX_DONE;
}

const struct ax_machine usdt_line_machine = {
	.read = line_read,
	.reg = line_register,
	.nregisters = USDT_LINE_BASE + 1,
};

/* Returns the result of a field's program. Where it fails, 0, or as a string an
 * address that cannot be read. */
static SIGSAFE __attribute__((noinline)) uint64_t
program_fetch(const struct usdt_operand *operand,
	      const struct ax_program *program, struct fetching *f)
{
	uint64_t value;

	if (ax_run(program, NULL, f, &value) == AX_DONE)
		return value;
	f->unread |= 1ull << (operand - f->probe->operands);
	return operand->type == TAFFRAIL_T_STRING;
}

/* Returns the value of an operand, in the low bytes; 0 when the memory cannot
 * be read. */
static uint64_t operand_fetch(const struct usdt_operand *operand,
			      struct fetching *f)
{
	const struct usdt_state *state = f->state;

	switch (operand->place) {
	case USDT_IMMEDIATE:
	case USDT_NAME:
		return (uint64_t)operand->value;
	case USDT_REGISTER:
		return state->general[operand->base & 15] >> operand->shift;
	case USDT_SUM:
		return usdt_address(operand, state->general);
	case USDT_VECTOR:
		return state->vectors[operand->base & 15][0];
	case USDT_PROGRAM:
		return program_fetch(operand,
				     (const struct ax_program *)operand->value,
				     f);
	case USDT_UNREAD:
		return f->unread | (uint64_t)operand->value;
	default:
		return memory_value(usdt_address(operand, state->general),
				    operand->bytes, &f->stack, &f->line);
	}
}

/* Characters of all strings of an event; more are cut off. Stacks of coroutines
 * and signal handlers may have few KiB. */
#define STRINGS_BYTES		2048
#define STRINGS_FEW_BYTES	256

struct strings {
	uint32_t n;
	uint32_t used;
	uint32_t room;
	struct write_var var[TAFFRAIL_FIELDS_MAX];
	char *bytes;
};

/* Returns the value of an integer, 0 for one that is negative. */
static SIGSAFE uint64_t length_fetch(const struct usdt_operand *operand,
				     struct fetching *f)
{
	uint64_t value = operand_fetch(operand, f);
	uint32_t unused = 64 - operand->bytes * 8u;
	bool is_signed = scalar_sort(operand->type) == SCALAR_SIGNED;

	value = value << unused >> unused;
	return is_signed && value >> (63 - unused) ? 0 : value;
}

/* Returns how many elements an operand has: another one, or the program behind
 * the operand's own, tells. */
static SIGSAFE uint64_t elements_fetch(const struct usdt_adopted *probe,
				       const struct usdt_operand *operand,
				       struct fetching *f)
{
	const char *program = (const char *)operand->value;

	if (operand->length != USDT_LENGTH_BEHIND)
		return length_fetch(&probe->operands[operand->length - 1], f);
	program += usdt_program_bytes((const void *)program);
	return program_fetch(operand, (const void *)program, f);
}

/* Returns how many bytes a string or sequence may take: of the room that is
 * left, as much as others behind it, if these do not need less. */
static SIGSAFE uint64_t share_find(const struct strings *strings,
				   const struct usdt_adopted *probe,
				   const struct usdt_operand *operand,
				   struct fetching *f)
{
	const struct usdt_operand *end = probe->operands + probe->count;
	uint64_t rest = strings->room - strings->used, need;
	uint32_t left = probe->strings - strings->n;

	while (++operand < end) {
		uint32_t bytes = scalar_bytes(operand->type &
					      TAFFRAIL_T_SCALAR_MASK);

		if (operand->type < TAFFRAIL_T_STRING)
			continue;
		need = operand->place == USDT_PROGRAM ?
			(uint64_t)operand->scale << 8 | operand->shift : 0;
		if (!need && operand->length &&
		    operand->length != USDT_LENGTH_BEHIND)
			need = length_fetch(
				&probe->operands[operand->length - 1], f);
		need = min_u64(need ? need : strings->room, strings->room) *
		       (operand->type == TAFFRAIL_T_STRING ? 1 : bytes);
		/* "(unreadable)" has room in any case */
		need = need < 16 ? 16 : need + 1;
		if (need < rest / left) {
			rest -= need;
			left--;
		}
	}
	return rest / left - 1;
}

SIGSAFE uint64_t usdt_text_read(void *to, uint64_t address, uint64_t n)
{
	struct memory_stack stack;

	memory_stack_here(&stack, 0);
	return memory_copy(to, address, n, &stack);
}

/* Has a text of n bytes end in dots, in a line's event, and conditions read it
 * themselves, if more of it, up to `wanted` bytes, is in memory. */
static SIGSAFE void cut_mark(struct write_var *var, char *text,
			     uint64_t address, uint64_t n, uint64_t wanted,
			     struct fetching *f)
{
	char next;

	if (memory_copy(&next, address + n, 1, &f->stack) && !next)
		return;
	/* where there are addresses of 57 bits, none is known */
	var->n = WRITE_CUT(address >> 48 ? 0 : address,
			   min_u64(wanted, WRITE_CUT_MOST + 1));
	if (n > 8 && usdt_is_line(f->probe))
		__builtin_memcpy(text + n - 3, "...", 3);
}

/* Adds the string at an address, up to the NUL, or to the length if that is
 * known; or a sequence of so many elements. */
static SIGSAFE void string_add(struct strings *strings,
			       const struct usdt_adopted *probe,
			       const struct usdt_operand *operand,
			       struct fetching *f)
{
	bool is_text = operand->type == TAFFRAIL_T_STRING;
	uint32_t bytes = is_text ? 1 : scalar_bytes(operand->type), bound;
	uint64_t address = operand_fetch(operand, f);
	uint64_t share = share_find(strings, probe, operand, f) / bytes;
	uint64_t wanted = UINT64_MAX, most, n;
	char *to = strings->bytes + strings->used;
	struct write_var *var = &strings->var[strings->n++];

	*var = (struct write_var){ to, WRITE_STRING };
	if (operand->place == USDT_NAME) {
		var->p = (const char *)address;
		return;
	}
	if (operand->length)
		wanted = elements_fetch(probe, operand, f);
	bound = (uint32_t)operand->scale << 8 | operand->shift;
	if (operand->place == USDT_PROGRAM && bound) {
		wanted = min_u64(wanted, bound);
		/* an array is no pointer that may be NULL */
		address += !address;
	}
	most = min_u64(wanted, share);
	if (!is_text) {
		n = memory_copy(to, address, most * bytes, &f->stack) / bytes;
		var->n = n;
		strings->used += (uint32_t)(n * bytes);
	} else {
		n = address ? memory_copy_string(to, address, most, &f->stack) :
			      0;
		if (n == share && n < wanted)
			cut_mark(var, to, address, n, wanted, f);
		/* a text that is cut is not one that cannot be read */
		if (!address || n == most || (n && !to[n - 1]))
			wanted = n;
		else if (n && most > 3 && usdt_is_line(probe)) {
			/* the memory ends before the text */
			n = min_u64(n + 3, most);
			__builtin_memcpy(to + n - 3, "...", 3);
			wanted = UINT64_MAX;
		}
		if (!n && (most || !address)) {
			var->p = address ? "(unreadable)" : "(null)";
		} else {
			to[n] = 0;
			strings->used += (uint32_t)n + 1;
		}
	}
	f->unread |= (uint64_t)(n < wanted) << (operand - probe->operands);
}

/* Passes copies of the strings, because writers read their arguments by loads.
 */
static ALWAYS_INLINE void strings_write(struct usdt_adopted *probe,
					const struct usdt_state *state,
					char *bytes, uint32_t room)
{
	struct write_slot *slot = (struct write_slot *)&probe->site;
	char block[TAFFRAIL_FIELDS_MAX * 8] __attribute__((aligned(8)));
	uint64_t fixed = (uint64_t)block;
	struct fetching f;		/* its line is not cleared */
	struct strings strings;		/* not cleared */
	char *to = block;

	strings.n = 0;
	strings.used = 0;
	strings.room = room;
	strings.bytes = bytes;
	fetching_begin(&f, probe, state);
	memory_stack_here(&f.stack, state->general[7]);
	__builtin_memset(block, 0, 8);
	for (uint32_t i = 0; i < probe->count; i++) {
		const struct usdt_operand *operand = &probe->operands[i];

		if (operand->type >= TAFFRAIL_T_STRING)
			string_add(&strings, probe, operand, &f);
		else
			to = scalar_put(to,
					operand_fetch(operand, &f),
					operand->bytes);
	}
	if (to - block <= 8)
		__builtin_memcpy(&fixed, block, 8);
	load_relaxed(&slot->hit)(slot, fixed, strings.var);
}

/* Separate functions: hits without strings do not need their large frames. */
static SIGSAFE __attribute__((noinline)) void
hit_strings(struct usdt_adopted *probe, const struct usdt_state *state)
{
	char bytes[STRINGS_BYTES];	/* not cleared */

	strings_write(probe, state, bytes, sizeof(bytes));
}

static SIGSAFE __attribute__((noinline)) void
hit_few_strings(struct usdt_adopted *probe, const struct usdt_state *state)
{
	char bytes[STRINGS_FEW_BYTES];

	strings_write(probe, state, bytes, sizeof(bytes));
}

SIGSAFE __attribute__((noinline)) uint64_t
usdt_value_fetch(const struct usdt_adopted *probe,
		 const struct usdt_operand *operand,
		 const struct usdt_state *state)
{
	struct fetching f;		/* its line is not cleared */

	fetching_begin(&f, probe, state);
	memory_stack_here(&f.stack, state->general[7]);
	return operand_fetch(operand, &f);
}

SIGSAFE void usdt_strings_copy(const struct usdt_adopted *probe,
			       const struct usdt_state *state, char *bytes,
			       uint32_t room)
{
	struct strings strings;		/* not cleared */
	struct fetching f;

	strings.n = 0;
	strings.used = 0;
	strings.room = room;
	strings.bytes = bytes;
	fetching_begin(&f, probe, state);
	memory_stack_here(&f.stack, state->general[7]);
	for (uint32_t i = 0; i < probe->count; i++) {
		const char *from;

		if (probe->operands[i].type != TAFFRAIL_T_STRING)
			continue;
		string_add(&strings, probe, &probe->operands[i], &f);
		from = strings.var[strings.n - 1].p;
		if (from >= bytes && from < bytes + room) {
			/* one that was read whole has another NUL behind it */
			while (*from++)
				;
			strings.used = (uint32_t)(from - bytes);
			continue;
		}
		/* "(null)" */
		do
			bytes[strings.used] = *from;
		while (bytes[strings.used++] && *from++);
	}
}

/* Fetches the fields from one on that has not its value in registers. Returns
 * the end of the block. */
static SIGSAFE __attribute__((noinline)) char *
fields_fetch(struct usdt_adopted *probe, const struct usdt_state *state,
	     char *to, uint32_t i)
{
	struct fetching f;		/* its line is not cleared */

	fetching_begin(&f, probe, state);
	if (probe->in_memory)
		memory_stack_here(&f.stack, state->general[7]);
	for (; i < probe->count; i++)
		to = scalar_put(to, operand_fetch(&probe->operands[i], &f),
				probe->operands[i].bytes);
	return to;
}

SIGSAFE void usdt_hit_write(struct usdt_adopted *probe,
			    const struct usdt_state *state)
{
	struct write_slot *slot = (struct write_slot *)&probe->site;
	const struct object *object = object_of(slot->shape);
	const struct usdt_operand *operand = probe->operands;
	char block[TAFFRAIL_FIELDS_MAX * 8] __attribute__((aligned(8)));
	const uint64_t *general = state->general;
	uint64_t fixed = (uint64_t)block, value;
	uint32_t i, n = probe->count;
	char *to = block;

	if (unlikely(load_relaxed(&object->snapshots)))
		snapshot_put(&probe->site, state->general,
			     (uint32_t)state->flags, probe->spot.address);
	if (probe->strings) {
		/* the string of an exit is not copied */
		if (probe->function != USDT_EXIT &&
		    memory_stack_is_own(state->general[7]))
			hit_strings(probe, state);
		else
			hit_few_strings(probe, state);
		return;
	}
	__builtin_memset(block, 0, 8);
	/* most are in registers, as all of functions' entries and exits */
	for (i = 0; i < n; i++, operand++) {
		if (operand->place == USDT_REGISTER)
			value = general[operand->base & 15] >> operand->shift;
		else if (operand->place == USDT_SUM)
			value = usdt_address(operand, general);
		else
			break;
		if (likely(operand->bytes == 8)) {
			__builtin_memcpy(to, &value, 8);
			to += 8;
		} else {
			to = scalar_put(to, value, operand->bytes);
		}
	}
	if (unlikely(i < n))
		to = fields_fetch(probe, state, to, i);
	if (to - block <= 8)
		__builtin_memcpy(&fixed, block, 8);
	load_relaxed(&slot->hit)(slot, fixed, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An event that a call site hits: the provider's probe function has laid out
 * the fields on its stack and calls one of these functions. It runs in any
 * thread and any signal handler, in a read-side section of stock's RCU.
 */
#include "agent/beside/private.h"

#include "base/base.h"
#include "buffers/writers/inline-x86_64.h"
#include "tracepoints/frames/hit-place.h"
#include "tracepoints/sites/registry.h"

/* A text of fewer characters is read whether a session writes it or not. */
#define CHARS_MOST	4096

/* Returns how many characters a ring may have room for. */
static ALWAYS_INLINE uint64_t chars_most(const struct object *object)
{
	uint32_t on = load_relaxed(&object->on);
	uint64_t most = CHARS_MOST;

	for (; on; on &= on - 1)
		most = max_u64(most, channels[__builtin_ctz(on)].sub_bytes);
	return most;
}

/* Begins at a cache line, so the speed does not depend on where the linker puts
 * it. */
#define HIT	static SIGSAFE __attribute__((aligned(64))) void

/* Calls the marker's writer. Without variable fields, the address stands in
 * their place. */
static ALWAYS_INLINE void fixed_write(struct taffrail_site *site,
				      uint64_t fixed,
				      const struct ust_probe *probe)
{
	if (likely(site->enabled_))
		load_relaxed(&site->hit_)(site, fixed, probe->ip);
}

static ALWAYS_INLINE void variable_write(struct taffrail_site *site,
					 uint64_t fixed,
					 const struct write_var *var,
					 const struct ust_probe *probe)
{
	const struct object *object = object_of(site->agent_);

	if (unlikely(!site->enabled_))
		return;
	if (unlikely(object->contexts))
		object_hit_at(site, fixed, var, (uint64_t)probe->ip);
	else
		load_relaxed(&site->hit_)(site, fixed, (const void *)var);
}

static SIGSAFE __attribute__((noinline)) void
string_write(struct taffrail_site *site, uint64_t fixed, uint64_t address,
	     const struct ust_probe *probe)
{
	const struct write_var var = {
		.p = address ? (const char *)address : "(null)",
		.n = WRITE_STRING,
	};

	variable_write(site, fixed, &var, probe);
}

/* Returns true when hits of the site go to this writer, so that it can be
 * inline. */
static ALWAYS_INLINE bool writer_is(const struct taffrail_site *site,
				    write_fn *writer)
{
	return load_relaxed(&((const struct write_slot *)site)->hit) == writer;
}

static ALWAYS_INLINE uint64_t stack_word(const char *stack, int n)
{
	uint64_t word;

	__builtin_memcpy(&word, stack + n * 8, sizeof(word));
	return word;
}

/* A number. A word may have any bytes behind those that count. */
HIT hit_word(const struct ust_notifier *notifier, const char *stack,
	     struct ust_probe *probe, void *context)
{
	struct taffrail_site *site = notifier->priv;
	uint64_t word = stack_word(stack, 0);

	if (likely(writer_is(site, write_word_compact)))
		write_word_inline((struct write_slot *)site, word);
	else
		fixed_write(site, word, probe);
}

/* A number and a string. */
HIT hit_word_string(const struct ust_notifier *notifier, const char *stack,
		    struct ust_probe *probe, void *context)
{
	struct taffrail_site *site = notifier->priv;

	if (likely(writer_is(site, write_string_compact) &&
		   stack_word(stack, 1)))
		write_string_inline((struct write_slot *)site,
				    (const uint64_t *)stack);
	else
		string_write(site, stack_word(stack, 0), stack_word(stack, 1),
			     probe);
}

/* A string. */
static SIGSAFE void hit_string(const struct ust_notifier *notifier,
			       const char *stack, struct ust_probe *probe,
			       void *context)
{
	string_write(notifier->priv, 0, stack_word(stack, 0), probe);
}

/* Numbers of 8 bytes each: the stack is the block. */
static SIGSAFE void hit_words(const struct ust_notifier *notifier,
			      const char *stack, struct ust_probe *probe,
			      void *context)
{
	fixed_write(notifier->priv, (uint64_t)stack, probe);
}

/* Pads for texts that are too long for the stack. A hit that finds none free
 * writes such a text up to the first NUL. */
#define LONG_PADS	16
#define LONG_PAD_BYTES	(64u << 10)

static char long_pads[LONG_PADS][LONG_PAD_BYTES] TABLE;
static uint64_t long_places[LONG_PADS];

static SIGSAFE void fields_write(const struct ust_notifier *notifier,
				 const char *stack,
				 const struct ust_probe *probe, char *pad,
				 uint32_t bytes);

/* Writes an event by such a pad. Returns false when none is free. */
static SIGSAFE COLD bool long_write(const struct ust_notifier *notifier,
				    const char *stack,
				    const struct ust_probe *probe)
{
	uint64_t token = place_token((uint64_t)__builtin_frame_address(0));
	int at = place_take(long_places, LONG_PADS, 0, token);

	if (at < 0)
		return false;
	fields_write(notifier, stack, probe, long_pads[at], LONG_PAD_BYTES);
	place_release(&long_places[at], token);
	return true;
}

/* Any fields. */
static SIGSAFE __attribute__((noinline)) void
fields_write(const struct ust_notifier *notifier, const char *stack,
	     const struct ust_probe *probe, char *pad, uint32_t bytes)
{
	struct taffrail_site *site = notifier->priv;
	/* the notifier is a part of it */
	const struct event *event = (const void *)((const char *)notifier -
					offsetof(struct event, notifier));
	struct describe_values values;
	struct ax_event seen = { .var = values.vars };
	const struct write_var *var;
	uint64_t fixed, limit;

	if (unlikely(!site->enabled_))
		return;
	limit = pad ? chars_most(object_of(site->agent_)) : 0;
	describe_begin(&values, pad, bytes);
	describe_take(&values, event->steps, stack, limit);
	fixed = site->fixed_bytes_ > 8 ? (uint64_t)values.block : values.first;
	var = values.n ? values.vars : NULL;
	/* a condition may come at any time, so these are always taken */
	if (unlikely(event->unwritten))
		describe_take(&values, event->unwritten_steps, stack, limit);
	if (unlikely(values.cut) && bytes < LONG_PAD_BYTES &&
	    long_write(notifier, stack, probe))
		return;
	if (unlikely(event->unwritten)) {
		seen.fixed = values.bytes > 8 ? (uint64_t)values.block :
						values.first;
		object_hit_as(site, fixed, var, (uint64_t)probe->ip, &seen);
	} else if (var) {
		variable_write(site, fixed, var, probe);
	} else {
		fixed_write(site, fixed, probe);
	}
}

static SIGSAFE void hit_plain(const struct ust_notifier *notifier,
			      const char *stack, struct ust_probe *probe,
			      void *context)
{
	fields_write(notifier, stack, probe, NULL, 0);
}

static SIGSAFE void hit_chars(const struct ust_notifier *notifier,
			      const char *stack, struct ust_probe *probe,
			      void *context)
{
	char pad[DESCRIBE_PAD_BYTES];

	fields_write(notifier, stack, probe, pad, sizeof(pad));
}

static bool steps_pad(const struct describe_step *step)
{
	for (; step->op != DESCRIBE_END; step++)
		if (step->op == DESCRIBE_CHARS || step->op == DESCRIBE_TEXT)
			return true;
	return false;
}

/* Returns the function for an event with these fields. */
static ust_send *send_choose(const struct describe_step *step)
{
	uint32_t words = 0, whole = 0;

	for (; step[words].op == DESCRIBE_WORD; words++)
		whole += step[words].bytes == 8;
	step += words;
	if (words == 1 && step->op == DESCRIBE_END)
		return hit_word;
	if (words > 1 && words == whole && step->op == DESCRIBE_END)
		return hit_words;
	if (words < 2 && step->op == DESCRIBE_STRING &&
	    step[1].op == DESCRIBE_END)
		return words ? hit_word_string : hit_string;
	return steps_pad(step) ? hit_chars : hit_plain;
}

void event_prepare(struct event *event)
{
	event->hit = (struct ust_hit){
		.bytes = sizeof(event->hit),
		.kind = UST_NOTIFIER,
		.child = &event->notifier,
		.enabled = 1,
	};
	event->notifier = (struct ust_notifier){
		.bytes = sizeof(event->notifier),
		.parent = &event->hit,
		.priv = &event->marker->site,
		.eval_capture = 1,
		.send = !event->unwritten ? send_choose(event->steps) :
			steps_pad(event->steps) ||
			steps_pad(event->unwritten_steps) ?
				hit_chars : hit_plain,
	};
}

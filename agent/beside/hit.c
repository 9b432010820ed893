/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An event that a call site hits: the provider's probe function has laid out
 * the fields on its stack and calls one of these functions. It runs in any
 * thread and any signal handler, in a read-side section of stock's RCU.
 */
#include "agent/beside/private.h"

#include "base/base.h"
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

static ALWAYS_INLINE void event_hit(const struct event *event,
				    const char *stack, char *pad, uint64_t ip)
{
	struct taffrail_site *site = &event->marker->site;
	const struct object *object = site->agent_;
	struct describe_values values;
	bool variable;
	uint64_t fixed;

	if (!site->enabled_)
		return;
	variable = describe_take(&values, event->steps, stack, pad,
				 pad ? chars_most(object) : 0);
	fixed = site->fixed_bytes_ > 8 ? (uint64_t)values.block : values.first;
	/* without variable fields, the address stands in their place */
	if (!variable)
		load_relaxed(&site->hit_)(site, fixed, (const void *)ip);
	else if (unlikely(object->contexts))
		object_hit_at(site, fixed, values.vars, ip);
	else
		load_relaxed(&site->hit_)(site, fixed,
					  (const void *)values.vars);
}

static SIGSAFE void hit_plain(const struct ust_notifier *notifier,
			      const char *stack, struct ust_probe *probe,
			      void *context)
{
	(void)context;
	event_hit(notifier->priv, stack, NULL, (uint64_t)probe->ip);
}

static SIGSAFE void hit_chars(const struct ust_notifier *notifier,
			      const char *stack, struct ust_probe *probe,
			      void *context)
{
	char pad[DESCRIBE_PAD_BYTES];

	(void)context;
	event_hit(notifier->priv, stack, pad, (uint64_t)probe->ip);
}

void event_prepare(struct event *event, int has_chars)
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
		.priv = event,
		.eval_capture = 1,
		.send = has_chars ? hit_chars : hit_plain,
	};
}

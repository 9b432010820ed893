/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Providers of LTTng-UST events. Each of their events is a declared marker.
 *
 * The library exports the two functions by which a provider registers, and
 * comes before LTTng's own, which does its work as ever: a call goes on to it.
 * It is found by its name each time, not as the next definition: a library that
 * came with RTLD_LOCAL is none for dlsym(RTLD_NEXT).
 *
 * Providers register in constructors, perhaps before the agent's own, perhaps
 * in a program where the agent does not work.
 *
 * The two names have a version that is not the default one (exports.map). The
 * dynamic linker takes them for names without a version, as LTTng's are. A
 * linker does not: a program that is linked with both libraries needs LTTng's.
 */
#include <dlfcn.h>
#include <errno.h>

#include "agent/beside/private.h"
#include "agent/fork.h"
#include "base/arena.h"
#include "base/base.h"
#include "base/index.h"
#include "control/protocol.h"
#include "control/threads/log.h"
#include "control/threads/settings.h"
#include "tracepoints/sites/lock.h"
#include "tracepoints/sites/registry.h"

/*
 * Addresses of events, for debuggers: that of the provider's probe function, so
 * gdb finds file and line. Events of one class share this function, and so may
 * equal functions that a linker has folded. gdb tells tracepoints apart by the
 * address alone, so the second event gets the second byte of the function, and
 * so on. No code is written there.
 *
 * The registry's lock is held.
 */

#define BYTES_MAX	64	/* of a function, which has more */

struct function {
	uint64_t start;
	uint64_t taken;			/* a bit a byte */
};

static struct index functions;

static bool is_function(uint64_t value, const void *start)
{
	return ((const struct function *)value)->start ==
	       *(const uint64_t *)start;
}

/* Returns NULL for a function of which no event has had an address. */
static struct function *function_find(uint64_t start)
{
	return (void *)index_find(&functions,
				  index_hash(INDEX_HASH, &start, sizeof(start)),
				  is_function, &start);
}

static struct function *function_make(uint64_t start)
{
	struct function *function = arena_keep(sizeof(*function));

	if (!function ||
	    index_add(&functions, index_hash(INDEX_HASH, &start, sizeof(start)),
		      (uint64_t)function))
		return NULL;
	function->start = start;
	return function;
}

/* Returns an address in a probe function that no other event has, the first
 * byte if it can, or NULL. */
static uint8_t *address_take(void (*probe)(void))
{
	uint64_t start = (uint64_t)probe;
	struct function *function = start ? function_find(start) : NULL;
	int byte;

	if (start && !function)
		function = function_make(start);
	if (!function || !~function->taken)
		return NULL;
	byte = __builtin_ctzll(~function->taken);
	function->taken |= 1ull << byte;
	return (uint8_t *)start + byte;
}

/* Takes one back for another event. */
static void address_give(const uint8_t *address)
{
	struct function *function;

	for (uint64_t byte = 0; byte < BYTES_MAX; byte++) {
		function = function_find((uint64_t)address - byte);
		if (!function || !(function->taken & 1ull << byte))
			continue;
		function->taken &= ~(1ull << byte);
		return;
	}
}

#define ID_BYTES	128

static struct arena_type provider_type = ARENA_TYPE(struct provider);
static struct arena_type event_type = ARENA_TYPE(struct event);

/* Of the event that is being described; guarded by the registry's lock. */
static char shown_room[DESCRIBE_SHOWN_BYTES] TABLE;

/* The result for a provider that neither LTTng nor this room took. */
static const char refused[1];

/* Returns true before the agent has started. */
static bool is_early(void)
{
	return agent_off && text_equal(agent_off, PROTOCOL_NOT_STARTED);
}

/* Returns an event of another provider that has the marker, or NULL. This
 * room's lock is held. */
static struct event *event_of(const struct taffrail_declared *marker,
			      const struct provider *but)
{
	const struct provider *provider;
	struct event *event;

	for (provider = providers; provider; provider = provider->next) {
		if (provider == but ||
		    !text_equal(provider->name, but->name))
			continue;
		for (event = provider->events; event; event = event->next)
			if (event->marker == marker)
				return event;
	}
	return NULL;
}

void provider_leave_out(const char *channel, const char *name, int error,
			struct object **came)
{
	const struct code code = { .refused = error };
	char of[ID_BYTES - 2], is[ID_BYTES];
	struct wish wish = { .channel = of, .name = is };

	log_fact(LOG_WARNING, "lttng", "an event is left out", error);
	text_copy(of, sizeof(of), channel);
	text_copy(is, sizeof(is) - 1 - text_length(of), name);
	marker_put(&wish, &code, came);
}

static void event_leave_out(const struct provider *provider,
			    const struct ust_event *description, int error,
			    struct object **came)
{
	if (description && description->bytes >= sizeof(*description) &&
	    description->name)
		provider_leave_out(provider->name, description->name, error,
				   came);
}

struct event *provider_add(struct provider *provider,
			   const struct ust_provider *of,
			   const struct ust_event *description,
			   const char *name, struct object **came)
{
	struct code code = { .flags = CODE_SETTLED };
	struct describe_model model;
	struct event *event;
	struct wish wish;
	int ret;

	text_open(&model.shown, shown_room, sizeof(shown_room));
	ret = describe_event(&model, of, description);
	if (ret) {
		event_leave_out(provider, description, ret, came);
		return NULL;
	}
	wish = (struct wish){
		.channel = provider->name,
		.name = description->name,
		.level = model.level,
		.fields = model.fields,
		.n = model.n,
		.shown = { shown_room, shown_room + model.shown.used },
	};
	event = arena_take(&event_type);
	if (!event)
		return NULL;
	event->name = name;
	event->signature = description->class->signature;
	event->probe = description->class->probe;
	code.address = address_take(event->probe);
	event->marker = marker_put(&wish, &code, came);
	/* another provider's marker keeps that of the other */
	if (code.address && (!event->marker ||
			     marker_address(event->marker) != code.address))
		address_give(code.address);
	if (!event->marker) {
		event_leave_out(provider, description,
				errno == EINVAL ? -EBADMSG : -errno, came);
		arena_give(&event_type, event);
		return NULL;
	}
	event->unwritten = !!model.unwritten;
	__builtin_memcpy(event->steps, model.steps, sizeof(event->steps));
	__builtin_memcpy(event->unwritten_steps, model.unwritten_steps,
			 sizeof(event->unwritten_steps));
	event_prepare(event);
	event->next = provider->events;
	provider->events = event;
	return event;
}

/* Makes the markers of a provider, and has sessions look at them. */
static void markers_make(struct provider *provider)
{
	const struct ust_provider *of = provider->description;
	struct object *came = NULL;
	const struct ust_event *event;

	registry_lock();
	if (provider->older)
		provider->older(provider, &came);
	for (uint32_t i = 0; !provider->older && i < of->n; i++) {
		event = of->events[i];
		provider_add(provider, of, event, event ? event->name : NULL,
			     &came);
	}
	if (came && !agent_off)
		loader_came(came);
	registry_unlock();
}

static struct provider *provider_make(const struct provider *model)
{
	struct provider *provider;

	registry_lock();
	provider = arena_take(&provider_type);
	registry_unlock();
	if (provider)
		*provider = *model;
	return provider;
}

/* Looks for stock, where it may be new. */
static void stock_look(void)
{
	if (providers && stock.probe_register && stock.connect)
		return;
	stock_find();
	memory_find((void *)stock.connect);
}

static bool is_known(const void *description)
{
	const struct provider *provider;

	stock_lock();
	provider = providers;
	while (provider && provider->description != description)
		provider = provider->next;
	stock_unlock();
	return provider;
}

/* Takes a provider that this interface knows. */
static struct provider *provider_take(const struct provider *model)
{
	struct provider *provider;

	fork_need_files();
	if ((agent_off && agent_off != agent_detached && !is_early()) ||
	    is_known(model->description))
		return NULL;
	provider = provider_make(model);
	if (provider && !is_early())
		markers_make(provider);
	if (provider) {
		struct event *event;

		/* of a provider that is loaded twice, the events of the
		 * first one count, as with LTTng */
		stock_lock();
		for (event = provider->events; event; event = event->next)
			event->shadowed = !!event_of(event->marker, provider);
		provider->next = providers;
		providers = provider;
		stock_unlock();
	}
	if (provider && stock.stands_in) {
		/* No function waits for threads that are in the module's
		 * code, so it stays. This fails for the program, which stays
		 * anyway. */
		Dl_info info;

		if (dladdr(model->description, &info))
			dlopen(info.dli_fname,
			       RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
		dlerror();
	}
	if (provider && !is_early()) {
		stock_begin();
		stock_settle(false);
	}
	return provider;
}

struct provider *provider_come(const struct ust_provider *description,
			       void *cookie)
{
	stock_look();
	/* of both interfaces in a program, one is served */
	if (!description || !describe_knows(description) ||
	    (stock.older_connect && providers))
		return NULL;
	return provider_take(&(struct provider){ .description = description,
						 .name = description->name,
						 .cookie = cookie });
}

struct provider *
provider_come_older(const struct older_provider *description,
		    void (*add)(struct provider *provider,
				struct object **came))
{
	stock_look();
	if (!stock.older_connect)
		return NULL;
	return provider_take(&(struct provider){ .description = description,
						 .name = description->name,
						 .older = add });
}

/*
 * The result is for the provider, which gives it back, perhaps to stock itself
 * when the agent is detached. A provider of LTTng-UST 2.13 to 2.15 ends the
 * program when it is NULL.
 */
EXPORT(beside_register, "lttng_ust_probe_register")
void *beside_register(const struct ust_provider *description)
{
	struct provider *provider;
	int error = errno;
	void *cookie = NULL;

	stock_look();
	if (stock.probe_register && stock_may(STOCK_WAIT))
		cookie = stock.probe_register(description);
	provider = provider_come(description, cookie);
	errno = error;
	return cookie ? cookie : provider ? provider : (void *)refused;
}

struct provider *provider_of(const void *cookie)
{
	struct provider *provider;

	stock_lock();
	provider = providers;
	while (provider && provider != cookie && provider->cookie != cookie &&
	       provider->description != cookie)
		provider = provider->next;
	stock_unlock();
	return provider;
}

/* Switches off the markers of a provider that is about to be unloaded. */
static void provider_switch_off(const struct provider *provider)
{
	struct taffrail_declared *markers[64];
	const struct event *event = provider->events;
	uint32_t n;

	/* a child that never wrote has no files and threads, and its parent's
	 * markers */
	if (agent_off || !load_relaxed(fork_mark) || !stock_here())
		return;
	registry_lock();
	while (event) {
		for (n = 0; event && n < ARRAY_SIZE(markers);
		     event = event->next)
			if (!event->inherited &&
			    event->marker->site.enabled_)
				markers[n++] = event->marker;
		if (n)
			markers_off(markers, n);
	}
	registry_unlock();
}

/* Takes a provider out of the list. An event of another one that has a marker
 * takes the place of this provider's. */
static void provider_unlist(struct provider *provider)
{
	struct provider **link = &providers;
	struct event *event, *heir;

	stock_lock();
	while (*link != provider)
		link = &(*link)->next;
	*link = provider->next;
	for (event = provider->events; event; event = event->next) {
		heir = event->shadowed ? NULL :
					 event_of(event->marker, provider);
		if (heir)
			heir->shadowed = 0;
	}
	stock_unlock();
	stock_settle(false);
}

/* Forgets a provider, whose events are disconnected. A marker of the parent's
 * that is on stays in a child that has no files. */
static void provider_forget(struct provider *provider, bool is_unused)
{
	struct event *event;

	registry_lock();
	while ((event = provider->events)) {
		provider->events = event->next;
		if (!event->inherited && !event->marker->site.enabled_) {
			address_give(marker_address(event->marker));
			marker_forget(event->marker);
		}
		if (is_unused)
			arena_give(&event_type, event);
	}
	arena_give(&provider_type, provider);
	registry_unlock();
}

void provider_go(struct provider *provider)
{
	bool is_unused;
	struct event *event;

	/* these markers stay: another provider has them, too */
	stock_lock();
	for (event = provider->events; event; event = event->next)
		event->inherited = !!event_of(event->marker, provider);
	stock_unlock();
	/* when the program ends it is enough that no event is connected, and
	 * another thread is spared */
	if (module_stays(provider->description))
		stock_end();
	else
		provider_switch_off(provider);
	is_unused = stock_leave(provider);
	provider_unlist(provider);
	provider_forget(provider, is_unused);
}

EXPORT(beside_unregister, "lttng_ust_probe_unregister")
void beside_unregister(void *cookie)
{
	struct provider *provider;
	int error = errno;

	if (!cookie || cookie == refused || !stock_may(STOCK_CONNECT))
		return;
	provider = provider_of(cookie);
	if (provider) {
		cookie = provider->cookie;
		provider_go(provider);
	}
	/* stock's function waits until no thread is in an event */
	if (stock_inside())
		stock_avoid(STOCK_CONNECT);
	if (cookie && stock.probe_unregister && stock_may(STOCK_WAIT))
		stock.probe_unregister(cookie);
	errno = error;
}

/* Behind the agent's own start: providers that came before it. No other thread
 * is here yet. */
__attribute__((constructor(103))) static void lttng_start(void)
{
	struct provider *provider;

	if (agent_off || !providers)
		return;
	for (provider = providers; provider; provider = provider->next)
		markers_make(provider);
	stock_begin();
	stock_settle(false);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Providers of LTTng-UST 2.12 and older (liblttng-ust.so.0), whose descriptions
 * and call sites are others. Where liblttng-ust.so.1 is in the program, too,
 * their events are left out, and have markers that say so. LTTng's own
 * functions do their work as ever.
 *
 * A probe function of theirs knows no notifier, but filters: it lays out the
 * fields in the same way, calls a filter, and returns if that lets nothing be
 * recorded.
 */
#include <dlfcn.h>
#include <errno.h>

#include "agent/beside/private.h"
#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "control/threads/settings.h"
#include "tracepoints/sites/lock.h"

#define EVENTS_MAX	65536u

/* A probe function looks at these before it calls filters. */
static const struct older_session session = { .active = 1 };
static const struct older_channel channel = {
	.enabled = 1,
	.session = &session,
};

/* Returns LTTng's own function. A thread of the program calls it. */
static void *theirs_find(const char *name)
{
	void *library = dlopen(OLDER_LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
	void *function = library ? dlsym(library, name) : NULL;

	/* the provider needs it, so it stays as long as the provider */
	if (library)
		dlclose(library);
	dlerror();
	return names_theirs(function);
}

/* The filter: writes the event, and lets LTTng record none. It does not learn
 * where the call site is, so the probe function stands for it. */
static SIGSAFE uint64_t older_send(void *filter, const char *stack)
{
	const struct event *event =
		(const void *)((const char *)filter -
			       offsetof(struct event, filter));
	struct ust_probe probe = {
		.bytes = sizeof(probe),
		.ip = (void *)event->probe,
	};

	event->notifier.send(&event->notifier, stack, &probe, NULL);
	return 0;
}

static void event_add(struct provider *provider,
		      const struct older_event *older, struct object **came)
{
	struct ust_provider of = { .bytes = sizeof(of),
				   .name = provider->name };
	size_t bytes = older_bytes(older);
	void *room = bytes ? sys_map_anonymous(bytes) : NULL;
	struct event *event;

	if (!room) {
		provider_leave_out(provider->name, older->name,
				   bytes ? -ENOMEM : -EBADMSG, came);
		return;
	}
	event = provider_add(provider, &of, older_translate(room, older, &of),
			     older->name, came);
	if (event) {
		struct older_list *filters = &event->older.filters;
		struct older_list *own = &event->filter.list;

		/* the parts that a probe function reads */
		event->older =
			(struct older_hit){ .channel = &channel, .enabled = 1 };
		event->filter = (struct older_filter){ .call = older_send };
		*filters = (struct older_list){ own, own };
		*own = (struct older_list){ filters, filters };
	}
	sys_munmap(room, bytes);
}

static void events_add(struct provider *provider, struct object **came)
{
	const struct older_provider *description = provider->description;

	for (uint32_t i = 0; i < description->n && i < EVENTS_MAX; i++)
		if (description->events[i] && description->events[i]->name)
			event_add(provider, description->events[i], came);
}

void older_come(const struct older_provider *provider)
{
	if (provider && provider->name && provider->events &&
	    !provider_of(provider) &&
	    !provider_come_older(provider, events_add) && !agent_off) {
		uint64_t n = text_length(provider->name) + 1;
		struct object *came = NULL;
		const char *name;

		registry_lock();
		for (uint32_t i = 0; i < provider->n && i < EVENTS_MAX; i++) {
			name = provider->events[i] ? provider->events[i]->name :
						     NULL;
			/* behind the provider's */
			if (name && text_length(name) > n)
				provider_leave_out(provider->name, name + n,
						   -EPROTONOSUPPORT, &came);
		}
		if (came)
			loader_came(came);
		registry_unlock();
	}
}

/* Returns what LTTng's function does; 0 where it is not there. */
EXPORT(beside_register_older, "lttng_probe_register")
int beside_register_older(const struct older_provider *provider)
{
	int error = errno;
	int (*theirs)(const struct older_provider *);
	int ret = 0;

	*(void **)&theirs = theirs_find("lttng_probe_register");
	if (theirs)
		ret = theirs(provider);
	older_come(provider);
	errno = error;
	return ret;
}

EXPORT(beside_unregister_older, "lttng_probe_unregister")
void beside_unregister_older(const struct older_provider *description)
{
	int error = errno;
	void (*theirs)(const struct older_provider *);
	struct provider *provider = NULL;

	if (description && stock_may(STOCK_CONNECT))
		provider = provider_of(description);
	if (provider)
		provider_go(provider);
	*(void **)&theirs = theirs_find("lttng_probe_unregister");
	if (theirs)
		theirs(description);
	errno = error;
}

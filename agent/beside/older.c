/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Providers of LTTng-UST 2.12 and older (liblttng-ust.so.0), whose descriptions
 * are others: their events are left out, and have markers that say so. LTTng's
 * own functions do their work as ever.
 *
 * Read from the interface of stable-2.7 to stable-2.12: it is the same there.
 */
#include <dlfcn.h>
#include <errno.h>

#include "agent/beside/private.h"
#include "base/text.h"
#include "control/threads/settings.h"
#include "tracepoints/sites/lock.h"

#define LIBRARY		"liblttng-ust.so.0"
#define EVENTS_MAX	65536u

/* An event's description; more stands behind. */
struct older_event {
	const char *name;		/* "PROVIDER:EVENT" */
};

struct older_provider {
	const char *name;
	const struct older_event *const *events;
	uint32_t n;
};

/* Returns LTTng's own function. A thread of the program calls it. */
static void *theirs_find(const char *name)
{
	void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
	void *function = library ? dlsym(library, name) : NULL;

	/* the provider needs it, so it stays as long as the provider */
	if (library)
		dlclose(library);
	dlerror();
	return function;
}

static void events_leave_out(const struct older_provider *provider)
{
	uint64_t n = text_length(provider->name) + 1;
	struct object *came = NULL;
	const char *name;
	uint32_t i;

	registry_lock();
	for (i = 0; i < provider->n && i < EVENTS_MAX; i++) {
		name = provider->events[i] ? provider->events[i]->name : NULL;
		/* behind the provider's */
		if (name && text_length(name) > n)
			provider_leave_out(provider->name, name + n,
					   -EPROTONOSUPPORT, &came);
	}
	if (came)
		loader_came(came);
	registry_unlock();
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
	if (!agent_off && provider && provider->name && provider->events)
		events_leave_out(provider);
	errno = error;
	return ret;
}

EXPORT(beside_unregister_older, "lttng_probe_unregister")
void beside_unregister_older(const struct older_provider *provider)
{
	int error = errno;
	void (*theirs)(const struct older_provider *);

	*(void **)&theirs = theirs_find("lttng_probe_unregister");
	if (theirs)
		theirs(provider);
	errno = error;
}

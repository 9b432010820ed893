/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events of LTTng-UST 2.12 and older in an ELF file: descriptions without size
 * fields (tracepoints/lttng/older.h) are copied, and translated to those of
 * later series. They are found by names: those of a provider's events begin
 * with the provider's.
 */
#include "command/symboliser/lttng-private.h"

#include <errno.h>
#include <string.h>

#include "tracepoints/fields/fields.h"
#include "tracepoints/lttng/older.h"
#include "tracepoints/sites/notes.h"

/* Copies n structures of 2.12 and older, which do not say their size. */
static void *older_copy(struct reader *r, uint64_t address, uint32_t n,
			size_t bytes)
{
	const void *at = address % 4 || !address || !n ? NULL :
			 notes_at(r->notes, address, n * bytes, PF_R);
	void *copy = at ? lttng_copy(r, n * bytes) : NULL;

	if (copy)
		memcpy(copy, at, n * bytes);
	return copy;
}

static const struct older_enum_names *older_names_copy(struct reader *r,
						       uint64_t address)
{
	struct older_enum_names *names = older_copy(r, address, 1,
						    sizeof(*names));
	struct older_enum_entry *entries;
	uint64_t from;

	if (!names || names->n > LTTNG_ENTRIES_MAX)
		return NULL;
	from = lttng_pointer(r, MEMBER(address, struct older_enum_names,
				       entries));
	entries = older_copy(r, from, names->n, sizeof(*entries));
	for (uint32_t i = 0; entries && i < names->n; i++)
		entries[i].label = lttng_text(r, MEMBER(from +
			i * sizeof(*entries), struct older_enum_entry, label));
	names->name = NULL;
	names->entries = entries;
	return names;
}

static const struct older_field *older_fields_copy(struct reader *r,
						   uint64_t address, uint32_t n)
{
	struct older_field *fields = older_copy(r, address, n, sizeof(*fields));
	struct older_basic *basic;

	for (uint32_t i = 0; fields && i < n; i++) {
		uint64_t at = address + i * sizeof(*fields);
		uint64_t kind = MEMBER(at, struct older_field, kind);

		fields[i].name = lttng_text(r, MEMBER(at, struct older_field,
						   name));
		basic = (void *)&fields[i].kind;
		if (basic->kind == OLDER_ENUM)
			basic->enumeration.names = older_names_copy(r,
				lttng_pointer(r, MEMBER(kind,
						     struct older_basic,
						     enumeration.names)));
	}
	return fields;
}

/* Adds an event of a provider up to 2.12. */
static int older_add(struct reader *r, const struct ust_provider *provider,
		     uint64_t address)
{
	struct older_event *event = older_copy(r, address, 1, sizeof(*event));
	uint64_t probe = lttng_pointer(r, MEMBER(address, struct older_event,
					      probe));
	size_t bytes;
	void *room;

	if (!event)
		return r->error;
	event->name = lttng_text(r, MEMBER(address, struct older_event, name));
	event->probe = (void (*)(void))(uintptr_t)probe;
	if (event->n > LTTNG_FIELDS_MAX)
		return r->error;
	event->fields = older_fields_copy(r, lttng_pointer(r, MEMBER(address,
		struct older_event, fields)), event->n);
	event->level = lttng_level(r, lttng_pointer(r, MEMBER(address,
		struct older_event, level)));
	event->uri = lttng_uri(r, lttng_pointer(r, MEMBER(address,
		struct older_event, uri)));
	event->signature = lttng_text(r, MEMBER(address, struct older_event,
					     signature));
	bytes = older_bytes(event);
	room = bytes && !r->error ? lttng_copy(r, bytes) : NULL;
	return room ? lttng_tell(r, provider,
				 older_translate(room, event, provider),
				 probe) : r->error;
}

/* Returns true for the description of an event of such a provider. */
static bool is_older_event(const struct reader *r, uint64_t address,
			   const char *provider)
{
	/* "PROVIDER:EVENT" is the first member */
	const char *name = address ? lttng_text(r, address) : NULL;
	size_t n = strlen(provider);

	return name && !strncmp(name, provider, n) && name[n] == ':';
}

int lttng_look_older(struct reader *r, uint64_t address, const char *bytes)
{
	struct ust_provider *provider;
	struct older_provider at;
	const char *name;
	uint64_t events;
	int ret = 0;

	memcpy(&at, bytes, sizeof(at));
	if (!at.n || at.n > LTTNG_EVENTS_MAX)
		return 0;
	events = lttng_pointer(r, MEMBER(address, struct older_provider,
					 events));
	name = events ? lttng_text(r, address) : NULL;
	if (!name || !marker_name_valid(name))
		return 0;
	for (uint32_t i = 0; i < at.n; i++)
		if (!is_older_event(r, lttng_pointer(r, events + i *
						  sizeof(uint64_t)), name))
			return 0;
	if (r->nproviders++ == LTTNG_PROVIDERS_MAX)
		return -E2BIG;
	provider = lttng_copy(r, sizeof(*provider));
	if (!provider)
		return r->error;
	provider->bytes = sizeof(*provider);
	provider->name = name;
	for (uint32_t i = 0; i < at.n && !ret; i++)
		ret = older_add(r, provider, lttng_pointer(r, events + i *
							sizeof(uint64_t)));
	return ret;
}

int lttng_look_older_site(struct reader *r, uint64_t address,
			  const char *bytes)
{
	static const char zeros[16];
	const char *name, *event;
	struct older_tracepoint site;
	char *provider;

	memcpy(&site, bytes, sizeof(site));
	/* off: no tracer has been there; a description of an event has the
	 * address of a probe function there */
	if (memcmp(site.padding, zeros, sizeof(site.padding)) != 0 ||
	    lttng_pointer(r, MEMBER(address, struct older_tracepoint, state)) ||
	    lttng_pointer(r, MEMBER(address, struct older_tracepoint, probes)))
		return 0;
	name = lttng_text(r, address);
	event = name ? strchr(name, ':') : NULL;
	if (!event || !marker_name_valid(event + 1) ||
	    !lttng_text(r, MEMBER(address, struct older_tracepoint,
				  signature)))
		return 0;
	provider = lttng_copy(r, (size_t)(event - name) + 1);
	if (!provider)
		return r->error;
	memcpy(provider, name, (size_t)(event - name));
	return lttng_tell_site(r, provider, event + 1, address);
}

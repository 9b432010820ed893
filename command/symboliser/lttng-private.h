/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by the readers of LTTng-UST's descriptions in a file: lttng.c reads
 * them, lttng-copies.c makes markers of them.
 */
#ifndef COMMAND_SYMBOLISER_LTTNG_PRIVATE_H
#define COMMAND_SYMBOLISER_LTTNG_PRIVATE_H

#include "command/symboliser/serve-private.h"
#include "tracepoints/lttng/describe.h"

#define LTTNG_PROVIDERS_MAX	1024u
#define LTTNG_EVENTS_MAX	65536u
#define LTTNG_FIELDS_MAX	1024u
#define LTTNG_ENTRIES_MAX	16384u

#define MEMBER(address, type, member) ((address) + offsetof(type, member))

/* A word that the dynamic linker stores. */
struct word {
	uint64_t address, value;
};

/* The names of an event. */
struct event_id {
	const char *provider, *event;
};

struct reader {
	const struct notes *notes;
	struct symboliser_markers *markers;
	struct word *words;		/* by address */
	size_t nwords;
	uint32_t ncopies;
	uint32_t nproviders;
	struct event_id *ids;		/* of events and call sites */
	size_t nids, ids_room;
	bool has_sites;
	enum symboliser_why why;	/* each event is left out, or 0 */
	int error;			/* -ENOMEM, or 0 */
	symboliser_take *take;
	void *priv;
};

/* Gives zeros, which the markers own; or NULL, and sets the error. */
void *lttng_copy(struct reader *r, size_t n);

/* Compares two struct word, for qsort(3). */
int lttng_compare_words(const void *left, const void *right);

/* Reads the pointer at an address; 0: none is there. */
uint64_t lttng_pointer(const struct reader *r, uint64_t address);

/* Returns the text that the pointer at an address leads to, or NULL. */
const char *lttng_text(const struct reader *r, uint64_t address);

/* Copies an event's level, which a pointer leads to, if it has one. */
const int **lttng_level(struct reader *r, uint64_t address);

/* The same with where the model is described. */
const char **lttng_uri(struct reader *r, uint64_t address);

/* Adds an event that was copied, with the probe function; one that no marker
 * can say has a reason. Returns 0 or a negative errno. */
int lttng_tell(struct reader *r, const struct ust_provider *provider,
	       const struct ust_event *event, uint64_t probe);

/* Adds the event of a call site at that address, unless the file has the
 * provider. Returns 0 or a negative errno. */
int lttng_tell_site(struct reader *r, const char *provider, const char *event,
		    uint64_t address);

#endif

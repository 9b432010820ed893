/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Call sites and events of the libraries that stand in for LTTng-UST's, of
 * either interface.
 */
#ifndef AGENT_STANDIN_PRIVATE_H
#define AGENT_STANDIN_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

/* No header declares these. */
#define EXPORT(type, name, arguments)					\
	__attribute__((visibility("default"))) type name arguments;	\
	type name arguments

/* Names that a program may bind when it first calls them, which would end it
 * where one is missing: nothing to do. */
#define NOTHING(name)	EXPORT(void *, name, (void)) { return NULL; }

struct probe {
	void (*function)(void);
	void *data;
};

/* An event that was connected once. Never freed. */
struct event {
	struct event *next;
	const char *provider;		/* NULL: the name begins with it */
	const char *name;
	const char *signature;
	struct probe probes[2];		/* the second one is the end */
	bool on;
};

/* Writes the words that a call site reads, if it is one of the event's, by
 * site_switch(). Each interface has a function of this name. The lock is
 * held. */
void site_set(void *site, const struct event *event);

/* Switches a call site's words as the event is on. */
void site_switch(const struct event *event, const void **probes, int *state);

/* Connects an event to its call sites, those included that come later. Keeps
 * the texts. Returns 0 or -1. */
int event_connect(const struct event *model);

/* Disconnects an event. A thread may still be in it. Returns 0 or -1. */
int event_disconnect(const struct event *model);

/* Takes a module's call sites, of which some may be NULL. Returns 0 or -1. */
int module_come(void *const *sites, int n);

/* Forgets a module's call sites. */
void module_go(void *const *sites);

/* Around a fork: no other thread changes the lists. */
void lists_lock(void);
void lists_unlock(void);

#endif

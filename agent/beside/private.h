/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events of programs made for LTTng-UST, beside LTTng's own tracer ("stock",
 * its libraries in the program). docs/lttng.md has the picture.
 *
 * Two locks: the registry's (tracepoints/sites/lock.h), and the lock of this
 * room, which guards the list of providers, and which a thread holds while it
 * calls stock's functions that connect events. Stock may wait there for a
 * thread that is inside an event, and that thread, in a callback, for the
 * registry's lock or that of the callbacks. So no thread holds two, but around
 * fork(3), where this room's comes first; and none waits for this room's inside
 * an event.
 */
#ifndef AGENT_BESIDE_PRIVATE_H
#define AGENT_BESIDE_PRIVATE_H

#include <elf.h>

#include "agent/declare.h"
#include "tracepoints/lttng/describe.h"
#include "tracepoints/lttng/older.h"

/* Before a function that has a name of LTTng's: exports.map. */
#define PUBLIC		__attribute__((visibility("default")))
#if __has_attribute(symver)
#define EXPORT(function, name) \
	PUBLIC __attribute__((symver(name "@TAFFRAIL_BESIDE")))
#else
#define EXPORT(function, name)						\
	__asm__(".symver " #function ", " name "@TAFFRAIL_BESIDE");	\
	PUBLIC
#endif

/* An event of a provider. Never freed while a thread may be inside it. */
struct event {
	struct ust_hit hit;
	struct ust_notifier notifier;
	struct taffrail_declared *marker;
	/* the provider's; of 2.12 and older, "PROVIDER:EVENT" */
	const char *name;
	const char *signature;
	void (*probe)(void);
	struct event *next;
	/* this room's lock guards these; another provider has the marker: */
	uint8_t connected;
	uint8_t shadowed;		/* it came first */
	uint8_t inherited;		/* it stays when this one goes */
	uint8_t unwritten;		/* constant: conditions have more fields
					 * than the marker */
	struct describe_step steps[DESCRIBE_STEPS_MAX + 1];
	struct describe_step unwritten_steps[DESCRIBE_STEPS_MAX + 1];
	/* in place of `hit`, for probe functions of 2.12 and older */
	struct older_hit older;
	struct older_filter filter;
};

struct provider {
	struct provider *next;
	/* struct ust_provider, or struct older_provider, whose events this
	 * function adds with the registry's lock */
	const void *description;
	void (*older)(struct provider *provider, struct object **came);
	const char *name;
	void *cookie;			/* stock's, or NULL */
	struct event *events;
	uint32_t gone;			/* this room's lock: disconnect all */
	uint32_t touched;		/* the same: one was connected once */
};

/* The last one that came is the first. This room's lock guards the list. */
extern struct provider *providers;

/* Fills in the members that a call site and a probe function read (hit.c). The
 * marker and the steps are set. */
void event_prepare(struct event *event);

/* Stock's functions, as long as a provider is here; NULL where one is not
 * there. */
struct stock {
	void *(*probe_register)(const struct ust_provider *provider);
	void (*probe_unregister)(void *cookie);
	int (*connect)(const char *provider, const char *event,
		       void (*probe)(void), void *data, const char *signature);
	int (*disconnect)(const char *provider, const char *event,
			  void (*probe)(void), void *data);
	void (*wait)(void);		/* until no thread is in a probe that
					 * was disconnected */
	void (*prune)(void);		/* frees what these needed, waits too */
	int (*inside)(void);		/* 1: the thread is in an event */
	void (*leave)(void);		/* at its end */
	int (*cancel_off)(void);	/* the thread cannot be cancelled */
	int (*cancel_on)(void);
	void (*before_fork)(void);
	void (*after_fork_parent)(void);
	void (*after_fork_child)(void);
	void *stands_in;		/* it is of agent/standin: no function
					 * waits for threads */
	/* In place of connect() and disconnect(), of LTTng-UST 2.12 and older,
	 * which is here alone. */
	int (*older_connect)(const char *name, void (*probe)(void), void *data,
			     const char *signature);
	int (*older_disconnect)(const char *name, void (*probe)(void),
				void *data);
};

extern struct stock stock;

/* The agent came into a running program. */
extern bool stock_late;

/* Looks for stock's functions. A thread of the program calls it, which may hold
 * the dynamic linker's lock. */
void stock_find(void);

/* Begins to connect events whenever sessions switch their markers, and to look
 * after forks. Call it once a provider is here; calls after the first do
 * nothing. */
void stock_begin(void);

/* Takes and gives this room's lock; no handler of a signal runs meanwhile. No
 * thread waits for another one's events with it. */
void stock_lock(void);
void stock_unlock(void);

/* Connects and disconnects events as their markers are on, or their provider is
 * gone. Does nothing where the calling thread may not. The caller `may_wait`
 * for threads inside events: it holds no lock of the program or of this
 * library. */
void stock_settle(bool may_wait);

/* Disconnects the events of a provider that is about to be unloaded, and waits
 * until no thread is in its probe functions. Returns false when it could not
 * wait. */
bool stock_leave(struct provider *provider);

/* The calling thread exits: leaves the events that it is in, as a signal
 * handler or a callback may exit, and does not come back to them. */
void stock_end(void);

/* Returns true when the calling thread belongs to the process that the
 * providers registered in, or to a child that fork(3) has made of it. */
bool stock_here(void);

/* Returns true when the calling thread is in an event. */
bool stock_inside(void);

/* Which of stock's functions may be called, from fewer on. */
enum stock_reach {
	STOCK_WAIT = 0,		/* those that wait for events, and its list of
				 * providers */
	STOCK_CONNECT,		/* connect() and disconnect() */
	STOCK_NOTHING,
};

/* Functions below `most` are not called any more: a thread would wait for a
 * lock that is never given back, or for itself. SIGSAFE. */
void stock_avoid(enum stock_reach most);
bool stock_may(enum stock_reach what);

/* Returns true when a module of the program, or LTTng's library for it, calls
 * stock's functions around forks. Takes the lock of the linker's list. */
bool modules_tell_forks(void);

/* A module's symbols and relocations. */
struct symbols {
	const Elf64_Sym *symbols;
	const char *strings;
	const Elf64_Rela *relocations[2];
	uint64_t bytes[2];
	const uint32_t *gnu, *sysv;	/* hash tables, or NULL */
};

/* Finds a module's table of symbols. Returns false when it has none. */
struct dl_phdr_info;
bool symbols_find(struct symbols *found, const struct dl_phdr_info *info);

/* Returns true when a module needs a symbol of another one. */
bool module_needs(const struct dl_phdr_info *info, const char *name);

/* Returns true when the module at this address cannot be unloaded, as far as is
 * known. Takes the lock of the linker's list. */
bool module_stays(const void *address);

/* Returns true for a library of that name, whatever follows it. */
bool module_is(const struct dl_phdr_info *info, const char *library);

/* Returns the value of a symbol that a module defines, in the table of the
 * dynamic linker, or NULL. */
uint64_t *module_symbol(const struct dl_phdr_info *info, const char *name);

/* Calls a function for each entry of a module's table of addresses (GOT) that
 * the dynamic linker binds to a name. */
void module_entries(const struct dl_phdr_info *info,
		    void (*call)(uint64_t *at, const char *name, void *arg),
		    void *arg);

/* Looks for providers in modules that dlmopen(3) has loaded into other
 * namespaces: a copy of LTTng's libraries has their events, and the markers say
 * so. The caller, a thread of the program, holds the registry's lock. */
void elsewhere_look(void);

/* Lead the names of stock's functions for providers here, unless they lead here
 * already, and back. With `mapped` (late_mapped()), the first does nothing
 * unless it was called without, and leads modules that came with stock's
 * library here, too: none of their code has run yet. The caller holds the
 * registry's lock; the first is for threads of the program, the second for
 * those of the agent. */
void names_lead(bool mapped);
void names_lead_back(void);

/* The functions that names lead to, set when this library starts: those that
 * providers of later series call, and of 2.12 and older. */
#define NAMES_OURS	4
extern void *names_ours[NAMES_OURS];

/* Returns stock's function where a name was led to `function`. */
void *names_theirs(void *function);

/* Takes a provider: makes its markers, and connects its events as sessions want
 * them; nothing where it is known. `cookie` is stock's, or NULL. Returns NULL
 * when it was not taken. A thread of the program calls it. */
struct provider *provider_come(const struct ust_provider *description,
			       void *cookie);
struct provider *
provider_come_older(const struct older_provider *description,
		    void (*add)(struct provider *provider,
				struct object **came));

/* Takes a provider's events from their call sites, waits, and forgets it. */
void provider_go(struct provider *provider);

/* Returns the provider that has this description, or got this cookie, or
 * NULL. */
struct provider *provider_of(const void *cookie);

/* Adds an event to a provider, and makes the marker; LTTng connects it by
 * `name`. Returns NULL when it is left out. The registry's lock is held. */
struct event *provider_add(struct provider *provider,
			   const struct ust_provider *description,
			   const struct ust_event *event, const char *name,
			   struct object **came);

/* Makes a marker that tells why an event is left out, and has no events. A name
 * that is too long is cut. The registry's lock is held. */
void provider_leave_out(const char *channel, const char *name, int error,
			struct object **came);

/* The two functions of this library that providers call. */
void *beside_register(const struct ust_provider *description);
void beside_unregister(void *cookie);

/* Those that providers of LTTng-UST 2.12 and older call. */
int beside_register_older(const struct older_provider *provider);
void beside_unregister_older(const struct older_provider *provider);

/* Takes such a provider, or makes markers that say that its events are left
 * out; nothing where it is known. */
void older_come(const struct older_provider *provider);

/* Memory for stock's calls in the agent's threads: memory.c. */

/* Finds the table of addresses of the library that has this function. The same
 * caller as of stock_find(). */
void memory_find(void *function);

/* Returns true when stock's calls in the calling thread of the agent get their
 * memory here. This room's lock is held. */
bool memory_ready(void);

/* Returns true when the calling thread may wait in stock's functions. */
bool memory_may_wait(void);

#endif

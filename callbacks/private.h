/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Callbacks: declarations that the files of libtaffrail-probe.so share.
 *
 * A hit walks the list of the marker's callbacks. liburcu-bp protects the walk
 * from one callback to the next, but no callback runs in a read-side critical
 * section: it may block, or never return. Instead, the thread's record names
 * the callback that runs:
 *
 *	hit				detach
 *	rcu_read_lock			entry->dead = 1
 *	reader->current = entry		lists without it are published
 *	entry->dead?  then not		synchronize_rcu
 *	rcu_read_unlock			wait while a reader's `current`
 *	the callback			is the entry
 *	reader->current = NULL
 *
 * When synchronize_rcu() returns, each section that has not seen `dead` has
 * ended, so the record of that thread names the entry. (PROBE-NAMED)
 */
#ifndef CALLBACKS_PRIVATE_H
#define CALLBACKS_PRIVATE_H

#include <stdint.h>

#include "agent/callbacks.h"
#include "base/lines.h"
#include "include/taffrail/probe-library.h"
#include "tracepoints/fields/shown.h"

#define ENTRY_NAME_BYTES	96
#define ENTRY_FAULT_BYTES	320

/* An attachment. The memory is only used again for attachments. */
struct entry {
	struct entry *next;		/* by priority */
	struct entry *left;		/* the next detached one */
	taffrail_callback *callback;
	void *priv;
	void *library;			/* of dlopen(), or NULL */
	int32_t priority;
	uint32_t flags;
	uint32_t dead;
	uint32_t markers;		/* that call it */
	uint32_t lists;			/* nodes that lead here */
	uint32_t waited;		/* threads in taffrail_probe_detach() */
	uint32_t done;			/* no thread is in the callback */
	int32_t left_out;		/* why a marker never has a hit */
	uint64_t period;		/* list_period(), when detached */
	uint64_t nested;
	uint64_t signal;
	uint64_t told;			/* request_bits() of a connection; 0:
					 * the program's own */
	struct session_rule rule;
	char name[ENTRY_NAME_BYTES];	/* FILE:FUNCTION, for status */
	char fault[ENTRY_FAULT_BYTES];	/* why no marker can meet the condition
					 */
};

/* A callback of one marker. Constant once it is published. */
struct node {
	struct node *next;
	struct entry *entry;
	const struct ax_program *condition;
};

/* A marker that has, or had, callbacks: `probes` of the marker's object. */
struct known {
	struct taffrail_marker marker;	/* first: callbacks/names.c */
	struct shown_bytes shown;
	const char *names[TAFFRAIL_FIELDS_MAX];
	struct field_name *fields;
	int kept;			/* hits keep the vector registers */
	struct node *first;		/* rcu */
};

/*
 * A thread that has hit a marker with callbacks. Records are never freed:
 * another thread takes over the record of a thread that has gone.
 */
enum reader_state {
	READER_OUT = 0,
	READER_BUSY,		/* in this library */
	READER_INSIDE,		/* in a callback */
	READER_VISIT,		/* in a function of this library's, which the
				 * program has called */
};

struct reader {
	uint32_t tid;			/* 0: free */
	uint32_t pid;
	uint32_t state;			/* enum reader_state */
	int *error;			/* the thread's errno */
	const struct node *list;	/* the thread may read these nodes */
	const struct entry *current;	/* the thread is in this callback */
} __attribute__((aligned(64)));

extern __thread struct reader *callback_reader;
extern struct callback_host callback_host;

/* Returns the calling thread's record, a new one if it has none; NULL without
 * memory. SIGSAFE. */
struct reader *reader_take(void);

/* Calls fn for each record of a thread that lives, stops when it returns
 * non-zero, and returns it. */
int reader_each(int (*fn)(struct reader *reader, void *arg), void *arg);

/* Writes the thread's new id into the record, in a forked child. */
void reader_forked(void);

/* How many signal handlers the calling thread is in. */
extern __thread uint32_t callback_handlers;

/* Calls a handler of the program's, and counts it. SIGSAFE. */
call_handle_fn handler_run;

/*
 * A cleanup buffer of glibc, which <pthread.h> no longer declares. glibc runs
 * the routine when longjmp(), pthread_exit() or cancellation leaves the frame.
 */
struct cleanup {
	void (*routine)(void *arg);
	void *arg;
	int type;
	struct cleanup *before;
};

extern void _pthread_cleanup_push(struct cleanup *buffer,
				  void (*routine)(void *arg), void *arg);
extern void _pthread_cleanup_pop(struct cleanup *buffer, int run);

/*
 * Tells ThreadSanitizer, if the program is built with it, the order that
 * liburcu and the records make: code before attaching, then the callback, then
 * code after detaching.
 */
#pragma weak __tsan_acquire
#pragma weak __tsan_release
extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);

static inline void race_acquire(const struct entry *entry)
{
	if (__builtin_expect(__tsan_acquire != NULL, 0))
		__tsan_acquire((void *)entry);
}

static inline void race_release(const struct entry *entry)
{
	if (__builtin_expect(__tsan_release != NULL, 0))
		__tsan_release((void *)entry);
}

/* Counts hits that callbacks of connections missed, where the recorder sees it;
 * for why, see buffers/layout.h. SIGSAFE. */
static ALWAYS_INLINE void missed_note(enum missed_why why)
{
	struct process_page *page = load_relaxed(callback_host.page);

	if (page)
		__atomic_fetch_add(&page->missed[why], 1, __ATOMIC_RELAXED);
}

/*
 * The functions of struct session_client (control/sessions/session.h).
 *
 * callback_hit() is the writer of slots whose marker has callbacks: it runs in
 * the thread that hits the marker, also in a signal handler, and keeps errno.
 *
 * list_look() makes the list of a marker anew. Returns 1 when the marker has
 * callbacks, so that the site must be on. Without memory the marker keeps the
 * list that it has. list_gone() retires the list of a marker that goes with the
 * module. A thread of the agent calls both, with the registry's lock held.
 */
write_fn callback_hit;
int list_look(struct object *object);
void list_gone(void *probes);

/*
 * The attachments, in the order in which hits call them. The caller holds
 * callback_lock().
 */
/* Returns the attachment of the model's callback, `priv` and rule, or NULL:
 * one that lives, or one that is detached. */
struct entry *entry_find(const struct entry *model);
struct entry *entry_find_leaving(const struct entry *model);
/* Returns true when another attachment that lives has the same glob: then the
 * session keeps the rule when this one ends. */
bool entry_shares(const struct entry *entry);
/* Puts an attachment into the list, behind those of the same or a higher
 * priority. Lists of markers have it when they are made anew. */
void entry_link(struct entry *entry);
/* Detaches: no section that begins from now on calls the callback. */
void entry_unlink(struct entry *entry);
/* Takes a detached one that nothing leads to any more, for the caller to free;
 * or returns NULL. No list has it, no thread names it, no thread waits for it,
 * and a grace period has ended since it was detached. */
struct entry *entry_spare(void);
/* Returns true when another thread is in the callback, and stores the thread's
 * id.
 */
bool entry_is_used(const struct entry *entry, int *thread);
/* How many attachments live. The agent reads it without a lock, to see whether
 * there is anything to tell. */
extern uint32_t entry_count;
/* How many of them are of connections. Hits read it, in signal handlers too. */
extern uint32_t entries_told;
/* All living attachments, in order of priority. */
extern struct entry *entry_list;
/* Writes them into the answer to MESSAGE_STATUS, a line each. In the service
 * thread, with the registry's lock. */
void entries_describe(struct text *out);

/* The number of grace periods that have begun. Memory that is retired now may
 * be used again when a later period has ended. */
uint64_t list_period(void);
/* How many lists and markers are retired, and not used again yet. */
extern uint32_t list_retired;
/*
 * Around synchronize_rcu(), in any thread; several may overlap. The first one
 * returns the number of the period for the second one. Memory that is retired
 * between the two is not freed by this period, because a section may have begun
 * before the memory was out of reach.
 */
uint64_t list_period_begin(void);
void list_period_end(uint64_t period);

/* Called when the library is loaded. handlers_adopt() is called with each
 * request, too: a program that was not linked with the library installs
 * handlers past it. */
void handlers_adopt(void);
/* Installs handlers of fork(3). */
void fork_setup(void);

/* Looks whether the program itself tells liburcu-bp of forks. */
void fork_look(void);

/* The lock of the attachments. A fork takes it, so a child finds it free. It is
 * held over no wait for a callback, and not while a library is loaded or
 * closed: the loader may wait for a thread that attaches. */
void callback_lock(void);
void callback_unlock(void);

/* While a thread loads or unloads a library, no other thread is between the
 * fork(3) handlers, and none comes to them. */
void fork_hold(void);
/* Lets other threads fork and load again. */
void fork_release(void);
/* fork_release(), if the calling thread holds. */
void fork_leave(void);

/* Takes the lock of requests, and waits so long at most. Returns 0, or
 * -ETIMEDOUT: a function of a library may never return. A forked child has no
 * request. */
int timed_lock_take(unsigned int seconds);
void timed_lock_release(void);

/* taffrail_probe_attach_with() of a callback that has that name. `fault` gets
 * why the condition can hold for no marker, or an empty string. */
int callback_attach(const char *name, const char *rule,
		    taffrail_callback *callback, void *priv, int priority,
		    unsigned int flags, char fault[ENTRY_FAULT_BYTES]);

/*
 * Libraries that requests have loaded, and their connections. One request runs
 * at a time.
 */
struct library {
	struct library *next;
	void *handle;
	const struct taffrail_probe_library_ *about;
	char *print;			/* the file for the end, or NULL */
	char path[];
};

/* A callback that is connected; it is called while it is attached. Constant but
 * for `next` and `enabled` once it is in the list. */
struct connection {
	struct connection *next;
	struct library *library;
	const struct taffrail_probe_item_ *item;
	void *priv;
	uint32_t enabled;
	char name[ENTRY_NAME_BYTES];	/* LIB:FUNCTION */
	char rule[LINE_VALUE_BYTES];
};

/* The words of a request, and the answer to it. */
struct taffrail_call {
	char facts[2048];		/* lines "key=value" */
	size_t nfacts;
	char *text;			/* that functions have printed */
	size_t used;
	size_t size;
	int cut;
	uint64_t missed;		/* hits, by callbacks that it ended */
	int error;			/* negative: a line "error=" is there */
	int nwords;
	const char *const *words;
};

/* Adds lines to the answer, as printf(). */
void call_add(struct taffrail_call *call, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Makes the answer "error=TEXT", and returns `error`. */
int call_fail(struct taffrail_call *call, int error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Runs a request (control/request.h). Returns the status of the request. */
int request_take(struct taffrail_call *call, const char *text, size_t n);

/*
 * Loads a library, which must have TAFFRAIL_PROBE_LIBRARY of this version and
 * no name that another one has. `print` is the file that gets the counts at the
 * end of the program, or empty. Returns 0; or a negative errno, with the reason
 * as the answer.
 */
int library_load(struct taffrail_call *call, const char *path,
		 const char *print);
/* Unloads a library without connections, and frees it. "stays=1" is in the
 * answer when the program itself has loaded it, too. Returns 0. */
int library_unload(struct taffrail_call *call, struct library *library);
/* Finds a library by path, by the path that it was copied from, or by name.
 * Returns NULL after call_fail(). */
struct library *library_find(struct taffrail_call *call, const char *path);
/* Calls the function `print`, if the library has it, as the last time. */
void library_print(struct taffrail_call *call, struct library *library);
/* Returns the library that says this of itself, or NULL. */
struct library *library_of(const struct taffrail_probe_library_ *about);
/* Finds "LIB:FUNCTION", an item of that kind. Returns NULL after
 * call_fail(). */
const struct taffrail_probe_item_ *
library_item(struct taffrail_call *call, const char *name, uint32_t kind,
	     struct library **library);

/*
 * Connects the callback LIB:FUNCTION to the rule, with the words of the call as
 * settings. With `enable` it is called at once. Returns 0; -EEXIST for a second
 * connection of the same rule and function; or another negative errno, with the
 * reason as the answer.
 */
int connection_make(struct taffrail_call *call, const char *rule,
		    const char *function, int enable);
/*
 * Ends the connections of a function whose rule is `rule`, or is matched by it.
 * Waits for each until no thread is in the callback. Returns 0; -ENOENT if
 * there is none; or -EBUSY when a thread does not leave: that connection is
 * disabled then, and stays.
 */
int connection_end(struct taffrail_call *call, const char *rule,
		   const char *function);
/* Attach, and detach, the callbacks of all connections whose rule is `rule`, or
 * is matched by it. The answer has their number. Return 0, or a negative errno
 * at the first that fails; those before it have changed. */
int connection_enable(struct taffrail_call *call, const char *rule);
int connection_disable(struct taffrail_call *call, const char *rule);
/* Returns how many markers call the callback of a connection. One request at a
 * time: timed_lock_take(). */
uint32_t connection_markers(const char *rule, const char *function);
/* Ends all connections of a library. */
int connection_end_library(struct taffrail_call *call,
			   const struct library *library);
/* All connections. */
extern struct connection *connection_list;
/* As entries_describe(), of connections that are not enabled. */
void connections_describe(struct text *out);

#endif

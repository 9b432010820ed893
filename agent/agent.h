/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The agent: what runs inside a traced program beside its writers.
 *
 * What must stay true: it is a guest. It never exits, aborts, prints unasked,
 * changes errno or a signal mask for longer than a call, or leaves a
 * descriptor in the host's table. Files are opened only by threads with a
 * descriptor table of their own (agent/thread.h).
 */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include <stdint.h>

#define AGENT_VERSION	PACKAGE_VERSION

/* Settings, from the environment at start. */
struct settings {
	const char *directory;		/* TAFFRAIL_DIR */
	const char *runtime;		/* XDG_RUNTIME_DIR */
	const char *enable;		/* TAFFRAIL_ENABLE */
	const char *join;		/* TAFFRAIL_JOIN */
	const char *clock;		/* TAFFRAIL_CLOCK */
	const char *service;		/* TAFFRAIL_SERVICE */
	const char *log;		/* TAFFRAIL_LOG */
	const char *gdb;		/* TAFFRAIL_GDB */
	const char *ipa;		/* TAFFRAIL_IPA */
	const char *core;		/* TAFFRAIL_CORE */
	const char *quota;		/* TAFFRAIL_QUOTA */
	const char *int3;		/* TAFFRAIL_INT3 */
	const char *seccomp;		/* TAFFRAIL_SECCOMP */
};

extern struct settings settings;

/* Why the agent is off, or NULL while it works. */
extern const char *agent_off;

/* CPUs that get rings of their own; 0 without rseq or TSC. */
extern uint32_t agent_cpus;
/* The same number whether or not they get them. */
extern uint32_t agent_cpus_online;

/* loader-*.c: learns of dlopen and dlclose from now on. Returns 0, -EEXIST
 * when another copy of the agent does already, or another negative errno when
 * it cannot. In a thread of the agent's own. */
int loader_setup(void);

/* Takes that back, where it is one byte of code. Same caller. */
void loader_undo(void);

/* Looks for modules now, as after a dlopen. */
void loader_look(void);

/* Makes files, obeys sessions and starts to serve; agent_off tells whether it
 * could. At start, and when an agent is woken. */
void agent_begin(void);

/* The address of the dynamic linker's struct r_debug, or NULL in a static
 * program. What it leads to changes while one reads it. */
const volatile void *loader_debug(void);

/* Finds libc's own way to the modules; in the shared library only. */
void modules_setup(void) __attribute__((weak));

/* Waits until no dlopen or dlclose is under way that had begun before; in the
 * shared library only. */
void modules_settle(void) __attribute__((weak));

/* Returns 1 when the program's libc is the one that the agent knows; in the
 * shared library only. */
int libc_suits(void) __attribute__((weak));

/* log.c: one line, if TAFFRAIL_LOG asks for this level. SIGSAFE. */
enum log_level { LOG_ERROR = 1, LOG_WARNING, LOG_INFO, LOG_DEBUG };
void log_setup(const char *spec);
void log_fact(enum log_level level, const char *module, const char *fact,
	      int64_t number);

#endif

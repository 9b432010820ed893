/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Settings that every part of the agent reads: the environment's settings,
 * whether the agent works, and how many CPUs have rings. Start-up writes them.
 * This file names no layer above.
 */
#ifndef CONTROL_THREADS_SETTINGS_H
#define CONTROL_THREADS_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGENT_VERSION	PACKAGE_VERSION

/* Settings, from the environment at start. */
struct settings {
	const char *directory;		/* TAFFRAIL_DIR */
	const char *runtime;		/* XDG_RUNTIME_DIR */
	const char *enable;		/* TAFFRAIL_ENABLE */
	const char *session;		/* TAFFRAIL_SESSION */
	const char *context;		/* TAFFRAIL_CONTEXT */
	const char *buffer;		/* TAFFRAIL_BUFFER_SIZE */
	const char *keep;		/* TAFFRAIL_KEEP */
	const char *join;		/* TAFFRAIL_JOIN */
	const char *clock;		/* TAFFRAIL_CLOCK */
	const char *service;		/* TAFFRAIL_SERVICE */
	const char *signal;		/* TAFFRAIL_SIGNAL */
	const char *idle;		/* TAFFRAIL_IDLE */
	const char *log;		/* TAFFRAIL_LOG */
	const char *gdb;		/* TAFFRAIL_GDB */
	const char *ipa;		/* TAFFRAIL_IPA */
	const char *core;		/* TAFFRAIL_CORE */
	const char *quota;		/* TAFFRAIL_QUOTA */
	const char *int3;		/* TAFFRAIL_INT3 */
	const char *load;		/* TAFFRAIL_LOAD */
	const char *seccomp;		/* TAFFRAIL_SECCOMP */
	const char *audit;		/* LD_AUDIT */
	bool unfiltered;		/* TAFFRAIL_JOIN said so, and no longer
					 * does: it is for one program */
	int preloaded;			/* LD_PRELOAD names the agent */
	uint32_t words_unknown;		/* variables with an unknown word */
};

extern struct settings settings;

/*
 * Reads the settings from an environment, which may be NULL, and copies the
 * settings that a forked child reads again. Call it once, at start.
 */
void settings_read(char **environment);

/*
 * Copies the next name of a list like TAFFRAIL_JOIN's (NULL: an empty one), and
 * takes it from the list. Names that are no plain file names, or too long, are
 * skipped. Returns false when there is none. SIGSAFE.
 */
bool settings_join_next(const char **list, char *name, size_t size);

/* Return true when the list (or NULL) has the name, and when the name is that
 * of an inheritance file (control/protocol.h). SIGSAFE, as the two below. */
bool settings_joins(const char *list, const char *name);
bool settings_inheritance(const char *name);

/* Returns true while this process hands on an inheritance file. SIGSAFE. */
bool settings_bequeaths(void);

/*
 * The environment for a program that this process executes: with each
 * inheritance file in TAFFRAIL_JOIN that this process hands on.
 * settings_hand_on() returns the one that it was given (NULL is an empty one)
 * where that has all. Otherwise it copies it into `room`, which has
 * settings_hand_room() bytes; 0 means that there is nothing to hand on. The
 * copy lives as long as `room` and the strings of the environment. With
 * `unfiltered`, TAFFRAIL_JOIN says that the program begins under no filter.
 */
size_t settings_hand_room(char *const *environment);
char **settings_hand_on(char *const *environment, void *room, bool unfiltered);

/* Returns true when a setting is set to this word. SIGSAFE. */
bool setting_is(const char *setting, const char *word);

/* The reason why the agent is off, or NULL while it works. */
extern const char *agent_off;

/* The reason while the agent is detached; compared by address. */
extern const char agent_detached[];

/*
 * The pid of the process that has put off files, or 0. In a forked child of
 * that process it is the parent's. *fork_mark is 0 as long as there are none.
 */
extern uint32_t start_deferred;

/* Whether this process has read the files of other sessions than those that it
 * was started for, or has call sites of LTTng's. */
extern bool start_others;

/* 1: a child of vfork(2) of that process has notes for the process page. */
extern uint32_t start_noted;

/*
 * The signal by which commands ask for an answer (TAFFRAIL_SERVICE=signal). 0:
 * not in this mode. Otherwise the agent makes no thread: a thread of the
 * program does the work of the agent's threads, on a stack of the agent's.
 */
extern uint32_t agent_signal;

/* CPUs that get one ring each; 0 without rseq or TSC. */
extern uint32_t agent_cpus;
/* The same number, with or without rseq and TSC. */
extern uint32_t agent_cpus_online;

#endif

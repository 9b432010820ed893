/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs without an agent, as the process page lists them; see lacking.c.
 */
#ifndef AGENT_IMAGE_LACKING_H
#define AGENT_IMAGE_LACKING_H

#include <stdbool.h>

#include "buffers/layout.h"
#include "control/causes.h"

/*
 * Notes that this process executes a program which will have no agent: in the
 * process page, or in the parent's while a child has none. Returns a mark for
 * lacking_failed(), which takes the note back. Both are SIGSAFE, make no system
 * call, and may be called by a child of vfork(2).
 */
uint32_t lacking_note(enum lacking_why why, const char *path);
void lacking_failed(enum lacking_why why, uint32_t mark);

/*
 * Returns the process page; while the process has put off files, memory for
 * the notes of a child of vfork(2). lacking_notes_move() copies these into the
 * page. The recorder tells the process from another one by `uuid` of that
 * memory, and the `wake` there makes the offer (agent/deferred.c). The first is
 * SIGSAFE.
 */
extern struct process_page lacking_rest;
struct process_page *lacking_page(void);
void lacking_notes_move(void);

/*
 * Returns why the agent of a program that gets `environment` cannot make files
 * where the recorder of this process looks, or LACKING_NOT: the program runs as
 * another user, or the variables name another directory. Makes system calls:
 * openat, fstat, close, geteuid. Uses a descriptor. SIGSAFE.
 */
enum lacking_why lacking_place(char *const *environment);

/* Notes in the parent's page that this forked child will make files where the
 * recorder of the parent does not look: the path of the runtime directory leads
 * to another one now. Returns true if so. Opens a file. */
bool lacking_note_child(void);

/* Why an agent stays off, as recorders are told. */
struct lacking_off {
	enum cause_id id;	/* LACKS_... */
	int error;		/* an errno above 0, or 0 */
};

/* Tells the recorders that TAFFRAIL_JOIN names, or only one of them, that the
 * agent stays off in this program, or cannot begin the session, and why. `only`
 * is a name or NULL; `text` goes with causes that have one. With CAUSE_NONE
 * tells the recorders to which the path of the runtime directory does not lead.
 * Call it at start, after the settings are read. */
void lacking_tell(struct lacking_off off, const char *text, const char *only);

#endif

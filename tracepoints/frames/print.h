/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * gdb's dprintf: a hit at an address prints a text, and no thread stops. The
 * text is an event, gdb:dprintf, of each session whose rules name that, and a
 * line of gdb's console while gdb waits for the program.
 *
 *	hit -> condition -> arguments, by agent expressions
 *	    -> text -> event gdb:dprintf
 *	            -> a slot of the console, of which the stub sends it
 */
#ifndef TRACEPOINTS_FRAMES_PRINT_H
#define TRACEPOINTS_FRAMES_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "tracepoints/conditions/ax.h"
#include "tracepoints/sites/registry.h"

#define PRINTS_MAX		64
#define PRINT_ARGUMENTS_MAX	15
#define PRINT_TEXT_BYTES	512	/* with the NUL; longer ones are cut */

/* A prepared dprintf, which exists until the process exits. */
struct print;

/* The code of gdb's, as packets have it. */
struct print_source {
	uint64_t address;
	const uint8_t *condition;	/* or NULL */
	uint32_t condition_bytes;
	const uint8_t *code;		/* arguments, function, channel, and
					 * AX_PRINTF with the format */
	uint32_t bytes;
};

/* Prepares a dprintf. Returns 0; -EINVAL and the reason in *why; -ENOMEM. The
 * registry's lock is held. */
int print_make(const struct print **print, const struct print_source *source,
	       struct ax_refusal *why);

/* Sets one of PRINTS_MAX places from which hits take what they print; NULL: no
 * more. */
void print_set(uint32_t place, const struct print *print);

/* Returns the address of a place's dprintf; 0: it is free. */
uint64_t print_address(uint32_t place);

/* Has the hits of a marker print, or no more. Returns 0 or a negative errno.
 * The registry's lock is held. */
int print_switch(struct object *object, struct channel *channel, bool on,
		 const struct patcher *patcher);

/* Returns the object of gdb:dprintf, declared by the first call, or NULL. With
 * *came it was this call: the sessions do not know it yet. The registry's lock
 * is held. */
struct object *print_object(bool *came);

/* Whether texts go to the console, too. */
void print_console(bool on);

/* Takes the oldest text of the console. Returns how many bytes it has, or
 * -1. */
int print_take(char text[PRINT_TEXT_BYTES]);

/* Returns how many texts the console had no room for, since the last call. */
uint32_t print_lost(void);

#endif

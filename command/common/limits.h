/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of this command's own process: sizes of files, descriptors, /proc.
 */
#ifndef COMMAND_COMMON_LIMITS_H
#define COMMAND_COMMON_LIMITS_H

#include <stdbool.h>

/* Makes a write over the limit of a file's size (ulimit -f) fail with EFBIG,
 * instead of ending the command. A program that it executes gets the signal as
 * the command got it. */
void limits_prepare(void);

/* Raises the number of descriptors to the hard limit. Not for a command that
 * executes a program. */
void limits_raise_files(void);

/* Descriptors that a command needs at once, for one process. */
#define LIMITS_FILES	8

/* Returns 0 when so many more descriptors can be opened, at most as many as
 * above; else -EMFILE or -ENFILE. Prints nothing. */
int limits_spare_files(int needed);

/* Returns true where /proc is not mounted: then no number of a process can be
 * told from the number of an earlier one. */
bool limits_blind(void);

#define LIMITS_BLIND_FACT                                                \
	"/proc is not mounted here, and processes cannot be told apart " \
	"without it"
#define LIMITS_BLIND_REMEDY "mount it (mount -t proc proc /proc)"

/* Returns strerror(error), and behind it the limit that may be meant:
 * "Too many open files (ulimit -n is 64)". Valid until the next call. */
const char *limits_error(int error);

/* Does the same, and says to raise the limit where that is the remedy. */
const char *limits_raise(int error);

/* Returns how many of `needed` more descriptors (at most LIMITS_FILES) can be
 * opened, and sets *error to why no more. */
int limits_count_files(int needed, int *error);

#endif

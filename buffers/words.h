/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Variables of the environment that hold one of a few words; see words.c. All
 * of it is SIGSAFE.
 */
#ifndef BUFFERS_WORDS_H
#define BUFFERS_WORDS_H

#include <stdint.h>

#define WORDS_VARIABLES		11

/* Returns bit N for each variable N of this environment whose word is unknown.
 * An empty value is no word. */
uint32_t words_unknown(char *const *environment);

/* Return the name of variable N, and the words of that variable as a text: "on,
 * off". */
const char *words_name(int variable);
const char *words_list(int variable);

#endif

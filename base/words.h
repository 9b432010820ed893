/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Variables of the environment that hold one of a few words; see words.c. All
 * of it is SIGSAFE.
 */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <stdint.h>

#define WORDS_VARIABLES		8

/* Bit N is variable N, where its word in this environment is none of its own.
 * An empty value is no word. */
uint32_t words_unknown(char *const *environment);

/* The name of variable N, and its words as a text: "on, off". */
const char *words_name(int variable);
const char *words_list(int variable);

#endif

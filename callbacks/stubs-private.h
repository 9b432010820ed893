/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions that are installed instead of a program's signal handlers
 * (handlers.c). The part before __ASSEMBLER__ is for C and for assembly.
 */
#ifndef CALLBACKS_STUBS_PRIVATE_H
#define CALLBACKS_STUBS_PRIVATE_H

/* So many functions of a program can be handlers. Few programs have 30. */
#define STUBS		1024
#define STUB_BYTES	16

#ifndef __ASSEMBLER__
#include <signal.h>

typedef void action_fn(int number, siginfo_t *info, void *context);

/* The program's functions, by the stub. A word is written once, by any thread
 * or child. One pointer serves both forms of a handler: one of the short form
 * does not look at further arguments. */
extern action_fn *handler_functions[STUBS];
#endif

#endif

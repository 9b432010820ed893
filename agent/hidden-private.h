/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The compiler reads this before the agent's cold files (Makefile.am). Names
 * that such a file declares from here on are in the same library.
 *
 * The option -fvisibility=hidden concerns definitions. For a name that a file
 * only declares, the compiler expects another library, and reads the address
 * from a table: a byte more for each call, an instruction more for each
 * variable. Names that the agent takes from libc are declared here, before
 * that.
 */
#ifndef AGENT_HIDDEN_PRIVATE_H
#define AGENT_HIDDEN_PRIVATE_H

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <unistd.h>

/* sanitizers have memory functions of their own, in another library */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#pragma GCC visibility push(hidden)
#endif

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by options.c and misused.c.
 */
#ifndef COMMAND_COMMON_OPTIONS_PRIVATE_H
#define COMMAND_COMMON_OPTIONS_PRIVATE_H

#include "command/common/command.h"

/* Prints what is wrong with the option that getopt has just answered with KEY,
 * '?' or ':', at options->index; LETTER is optopt. `tell` is options_tell().
 * Returns COMMAND_USAGE. */
int options_misused(const struct options *options, int key, int letter,
		    void (*tell)(const struct command *command,
				 void (*take)(const struct options *options,
					      void *priv),
				 void *priv));

#endif

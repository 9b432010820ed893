/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starts programs with the agent where this command itself runs under a seccomp
 * filter, as in a container; see vouch.c.
 */
#ifndef COMMAND_AGENTS_VOUCH_H
#define COMMAND_AGENTS_VOUCH_H

/*
 * Tries, once, whether an agent works under the filters of this process. If it
 * does, sets TAFFRAIL_SECCOMP for the programs that this process will start;
 * otherwise warns that they will have no agent. Does nothing without a filter,
 * or when the user has set the variable. `preload` is the programs' LD_PRELOAD,
 * `directory` a directory for temporary files.
 */
void filtered_vouch(const char *preload, const char *directory);

#endif

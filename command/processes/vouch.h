/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Starting programs with the agent where this command itself is under a seccomp
 * filter, as in a container; see vouch.c.
 */
#ifndef COMMAND_PROCESSES_VOUCH_H
#define COMMAND_PROCESSES_VOUCH_H

/*
 * Tries, once, whether an agent works under the filters of this process, and
 * sets TAFFRAIL_SECCOMP for the programs that it will start; or warns that they
 * will have no agent. Does nothing where there is no filter, or where the user
 * has set the variable. `preload` is their LD_PRELOAD, `directory` one for
 * files that are removed again.
 */
void filtered_vouch(const char *preload, const char *directory);

#endif

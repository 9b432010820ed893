/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Says which files of a process were replaced or removed since it mapped them,
 * so that their USDT probes cannot be had.
 */
#ifndef COMMAND_AGENTS_REPLACED_H
#define COMMAND_AGENTS_REPLACED_H

#include <sys/types.h>

/*
 * Says so of each such file; with a rule (else NULL), of each that was replaced
 * by one with a probe that the rule selects: the user means that probe, and it
 * does not take part. Returns how many there are.
 */
int replaced_tell(pid_t pid, const char *rule);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How much memory rings may take: those of a session in all processes, and all
 * of a user's.
 */
#ifndef CONTROL_SESSIONS_QUOTA_H
#define CONTROL_SESSIONS_QUOTA_H

/* At start, with the value of TAFFRAIL_QUOTA or NULL. Returns 0, or -EINVAL
 * when that is no number of bytes with K, M or G. */
int quota_setup(const char *value);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Programs without an agent, as the process page tells them; see lacking.c.
 */
#ifndef AGENT_LACKING_H
#define AGENT_LACKING_H

#include "buffers/layout.h"

/*
 * Notes in the page of this process (or, in a child that has none, in its
 * parent's) that it executes a program which will have no agent. Returns a mark
 * for lacking_failed(), which takes that back. SIGSAFE; they make no system
 * call, and may be called by a child of vfork(2).
 */
uint32_t lacking_note(enum lacking_why why, const char *path);
void lacking_failed(enum lacking_why why, uint32_t mark);

/* Tells the recorder that this program takes part in (TAFFRAIL_JOIN) that the
 * agent stays off in it, and why. At start, after the settings are read. */
void lacking_tell(const char *why);

#endif

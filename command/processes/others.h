/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sessions in the processes of other users.
 */
#ifndef COMMAND_PROCESSES_OTHERS_H
#define COMMAND_PROCESSES_OTHERS_H

/* Tells root which users have processes with a session of that name in their
 * default places: of the living ones their numbers, and how to read what ended
 * ones have left. Prints nothing for other users. */
void others_tell(const char *name);

#endif

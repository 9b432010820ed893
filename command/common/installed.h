/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds files that were installed with the command: beside it, so an install
 * may be moved; else in the directory that the build was configured with.
 */
#ifndef COMMAND_COMMON_INSTALLED_H
#define COMMAND_COMMON_INSTALLED_H

#include <stddef.h>

enum installed_folder {
	INSTALLED_LIB,			/* lib */
	INSTALLED_DATA,			/* share/taffrail */
};

/*
 * Gives the path of a file in one of our folders, which are looked for beside
 * the folder of the running command. Returns 0, -ENAMETOOLONG, or the error of
 * the last place.
 */
int installed_find(char *path, size_t room, enum installed_folder folder,
		   const char *name);

/* Gives the path of the program that execvp(3) would execute for a name, or the
 * name itself if it has a slash. Returns 0, or -ENOENT: it is not in PATH. */
int installed_program(char *path, size_t room, const char *name);

#endif

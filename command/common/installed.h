/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that were installed with the command: beside it, so that an install
 * may be moved; else where the build meant them to be.
 */
#ifndef COMMAND_COMMON_INSTALLED_H
#define COMMAND_COMMON_INSTALLED_H

#include <stddef.h>

enum installed_folder {
	INSTALLED_LIB,			/* lib */
	INSTALLED_DATA,			/* share/taffrail */
};

/*
 * The path of a file in one of our folders, which are looked for beside the
 * folder that the running command is in. Returns 0, -ENAMETOOLONG, or the
 * error of the last place looked at.
 */
int installed_find(char *path, size_t room, enum installed_folder folder,
		   const char *name);

#endif

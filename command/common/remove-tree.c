/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Removes a directory that this command has made. See remove-tree.h.
 */
#include "command/common/remove-tree.h"

#include <ftw.h>
#include <stdio.h>

#define FOLDERS_OPEN	16

static int remove_one(const char *path, const struct stat *st, int type,
		      struct FTW *at)
{
	return remove(path);
}

void remove_tree(const char *path)
{
	nftw(path, remove_one, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS);
}

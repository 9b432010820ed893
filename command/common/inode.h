/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether two paths, or descriptors, lead to the same file.
 */
#ifndef COMMAND_COMMON_INODE_H
#define COMMAND_COMMON_INODE_H

#include <stdbool.h>
#include <sys/stat.h>

static inline bool inode_same(const struct stat *one, const struct stat *other)
{
	return one->st_ino == other->st_ino && one->st_dev == other->st_dev;
}

#endif

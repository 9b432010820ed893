/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Why a file of a trace cannot be read.
 */
#include "traces/unreadable.h"

#include <errno.h>
#include <string.h>

const char *trace_reason(int error)
{
	switch (error) {
	case -EBADMSG:
		return "it is damaged or cut short";
	case -EPROTO:
		return "it was written by another version of Taffrail";
	case -EINVAL:
	case -ELOOP:
		return "it is not a regular file";
	default:
		return strerror(-error);
	}
}

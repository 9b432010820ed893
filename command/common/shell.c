/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Words for a shell. See shell.h.
 */
#include "command/common/shell.h"

#include <string.h>

bool shell_is_plain(const char *word)
{
	return *word && *word != '-' &&
	       !word[strspn(word, "abcdefghijklmnopqrstuvwxyz"
				  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789/._-+,=:@%")];
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The paths of a process's directories and sockets.
 */
#include "control/sessions/place.h"

#include "base/text.h"

char place_runtime[200];
char place_process[240];

void place_socket_path(char *path, size_t size, const char *name)
{
	struct text text;

	text_open(&text, path, size);
	text_add(&text, place_process);
	text_add_char(&text, '/');
	text_add(&text, name);
}

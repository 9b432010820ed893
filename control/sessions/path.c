/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The paths of a process's directories and sockets, and the faults that the
 * process page gets.
 */
#include "control/sessions/place.h"

#include "base/base.h"
#include "base/text.h"

char place_runtime[PROTOCOL_DIR_BYTES] EARLY;
char place_process[240] EARLY;
char place_faults[PROCESS_FAULT_BYTES];
uint32_t place_fault_bytes;

void place_faults_publish(struct process_page *page)
{
	__builtin_memcpy(page->faults, place_faults, place_fault_bytes);
	/* ENVIRONMENT-FAULT: else a reader could see a part of a line */
	store_release(&page->fault_bytes, place_fault_bytes, ENVIRONMENT_FAULT);
}

void place_socket_path(char *path, size_t size, const char *name)
{
	struct text text;

	text_open(&text, path, size);
	text_add(&text, place_process);
	text_add_char(&text, '/');
	text_add(&text, name);
}

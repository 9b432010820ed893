/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes into a process's page that its agent speaks version 99 of the control
 * protocol.
 */
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "buffers/layout.h"

int main(int argc, char **argv)
{
	const uint32_t version = 99;
	int fd = argc > 1 ? open(argv[1], O_WRONLY) : -1;

	return pwrite(fd, &version, sizeof(version),
		      offsetof(struct process_page, protocol)) !=
	       sizeof(version);
}

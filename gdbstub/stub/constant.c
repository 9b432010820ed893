/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory that cannot have changed since a frame was collected: it is mapped
 * from a file and is not writable. A frame does not hold code and constants;
 * gdb expects to read them here.
 */
#include <fcntl.h>

#include "base/base.h"
#include "base/sys.h"
#include "gdbstub/tracing/frame.h"

/*
 * Takes whole lines out of `text`. Returns how many bytes are left over: the
 * beginning of a line, moved to the start. *end is the end of the mapping that
 * has the address, if a line says that it is constant: mode r-, and a path.
 *
 *	START-END MODE OFFSET DEVICE INODE PATH
 */
static uint32_t lines_take(char *text, uint32_t n, uint64_t address,
			   uint64_t *end)
{
	uint32_t start = 0;

	for (uint32_t i = 0; i < n; i++) {
		const char *p = text + start;
		uint64_t low, high, offset;

		if (text[i] != '\n')
			continue;
		text[i] = 0;
		start = i + 1;
		if (!packet_read_number(&p, &low) ||
		    !packet_read_char(&p, '-') ||
		    !packet_read_number(&p, &high) || address < low ||
		    address >= high || !text_after(p, " r-"))
			continue;
		for (p++; *p && *p != ' '; p++)
			;
		if (!packet_read_char(&p, ' ') ||
		    !packet_read_number(&p, &offset))
			continue;
		while (*p && *p != '/')
			p++;
		if (*p)
			*end = high;
	}
	for (uint32_t i = start; i < n; i++)
		text[i - start] = text[i];
	return n - start;
}

uint64_t constant_bytes(uint64_t address, uint64_t n)
{
	char text[4096 + 512];
	uint64_t end = address;
	uint32_t used = 0;
	long got;
	int fd = (int)sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return 0;
	while (end == address &&
	       (got = sys_read(fd, text + used, sizeof(text) - used)) > 0) {
		used = lines_take(text, used + (uint32_t)got, address, &end);
		if (used == sizeof(text))
			used = 0;	/* a line longer than any path allows */
	}
	sys_close(fd);
	return min_u64(n, end - address);
}

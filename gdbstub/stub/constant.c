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

/* A line of /proc/PID/maps: START-END MODE OFFSET DEVICE INODE PATH */
struct line {
	uint64_t start;
	uint64_t end;
	int constant;		/* mode r-, and mapped from a file */
};

/* Reads a line of /proc/self/maps. `constant` is 1 for a file that is mapped
 * without the right to write. Returns 0 at another form. */
static int line_read(const char *p, struct line *line)
{
	uint64_t number;
	const char *mode;

	if (!packet_read_number(&p, &line->start) ||
	    !packet_read_char(&p, '-') ||
	    !packet_read_number(&p, &line->end) || !packet_read_char(&p, ' '))
		return 0;
	mode = p;
	while (*p && *p != ' ')
		p++;
	line->constant = mode[0] == 'r' && mode[1] == '-' &&
			 packet_read_char(&p, ' ') &&
			 packet_read_number(&p, &number);
	while (*p && *p != '/')
		p++;
	line->constant &= *p == '/';
	return 1;
}

/* Takes whole lines out of `text`. Returns how many bytes are left over. */
static uint32_t lines_take(char *text, uint32_t n, uint64_t address,
			   uint64_t *end)
{
	uint32_t start = 0;
	uint32_t i;

	for (i = 0; i < n; i++) {
		struct line line;

		if (text[i] != '\n')
			continue;
		text[i] = 0;
		if (line_read(text + start, &line) && line.constant &&
		    address >= line.start && address < line.end)
			*end = line.end;
		start = i + 1;
	}
	for (i = start; i < n; i++)
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads /proc/self/maps for one address. A line is
 * "START-END rwxp OFFSET MAJOR:MINOR INODE   PATH"; in a path, the kernel
 * writes a line's end as \012 and leaves all other characters as they are.
 */
#include "tracepoints/program/mapped.h"

#include <errno.h>
#include <fcntl.h>

#include "base/sys.h"
#include "base/text.h"

#define FIELD_START	0
#define FIELD_END	1
#define FIELD_PATH	6	/* behind permissions, offset, device, inode */

struct reading {
	struct mapped *mapped;
	struct text path;
	int field;
	int blank;		/* the last letter was one */
};

/* Prepares for the next line. */
static void line_begin(struct reading *r)
{
	r->mapped->start = r->mapped->end = 0;
	r->field = FIELD_START;
	r->blank = 0;
	text_open(&r->path, r->mapped->path, sizeof(r->mapped->path));
}

/* Takes one letter of a line: fields are counted by runs of blanks. */
static void letter_take(struct reading *r, char c)
{
	uint64_t *number;

	if (r->field == FIELD_PATH && (c != ' ' || r->path.used)) {
		text_add_char(&r->path, c);
		return;
	}
	if (r->field <= FIELD_END && c != '-' && c != ' ') {
		number = r->field ? &r->mapped->end : &r->mapped->start;
		*number = *number << 4 |
			  (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	if (r->field < FIELD_PATH) {
		r->field += (c == '-' && r->field == FIELD_START) ||
			    (c == ' ' && !r->blank);
		r->blank = c == ' ';
	}
}

/* Puts the line's ends back. Returns the result for the line. */
static int path_finish(const struct text *path)
{
	char *from = path->start;
	char *to = from;

	if (path->cut)
		return -ENAMETOOLONG;
	if (*from != '/')
		return -ENOENT;
	while (*from) {
		if (text_after(from, "\\012")) {
			*to++ = '\n';
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return 0;
}

int mapped_find(struct mapped *mapped, uint64_t address)
{
	int fd = (int)sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	struct reading r = { .mapped = mapped };
	char buffer[1024];
	int found = 0;
	long n = 0;
	long i;

	if (fd < 0)
		return fd;
	line_begin(&r);
	while (!found && (n = sys_read(fd, buffer, sizeof(buffer))) > 0) {
		for (i = 0; i < n && !found; i++) {
			if (buffer[i] != '\n')
				letter_take(&r, buffer[i]);
			else if (address >= mapped->start &&
				 address < mapped->end)
				found = 1;
			else
				line_begin(&r);
		}
	}
	sys_close(fd);
	return found ? path_finish(&r.path) : n < 0 ? (int)n : -ENOENT;
}

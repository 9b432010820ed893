/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads /proc/self/maps. A line is
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

int mapped_each(struct mapped *mapped,
		int (*take)(const struct mapped *mapped, void *arg), void *arg)
{
	int fd = (int)sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	struct reading r = { .mapped = mapped };
	char buffer[1024];
	int ret = 0;
	long n = 0;

	if (fd < 0)
		return fd;
	line_begin(&r);
	while (!ret && (n = sys_read(fd, buffer, sizeof(buffer))) > 0) {
		for (long i = 0; i < n && !ret; i++) {
			if (buffer[i] != '\n') {
				letter_take(&r, buffer[i]);
				continue;
			}
			mapped->cut = r.path.cut;
			ret = take(mapped, arg);
			if (!ret)
				line_begin(&r);
		}
	}
	sys_close(fd);
	return ret || n >= 0 ? ret : (int)n;
}

/* Stops at the mapping that has the address. */
static int address_look(const struct mapped *mapped, void *address)
{
	return *(uint64_t *)address >= mapped->start &&
	       *(uint64_t *)address < mapped->end;
}

int mapped_find(struct mapped *mapped, uint64_t address)
{
	int found = mapped_each(mapped, address_look, &address);
	const char *from = mapped->path;
	char *to = mapped->path;

	if (found <= 0)
		return found ? found : -ENOENT;
	if (mapped->cut)
		return -ENAMETOOLONG;
	if (*from != '/')
		return -ENOENT;
	/* puts the ends of lines back */
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

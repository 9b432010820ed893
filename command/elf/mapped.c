/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files that a process has mapped. See mapped-private.h.
 *
 * Invariant: an agent's list is text of unknown form. A line that makes no
 * sense, or is one too many, is left out; the others keep their meaning.
 *
 * Fact: the kernel writes a path's newlines as \012, and backslashes as they
 * are (show_map_vma() and seq_path(), Linux 6.1).
 */
#include "command/elf/mapped-private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/elf/work-private.h"

#define MAPPED_MAX	4096		/* different ones */
#define MAPPED_HEAD	128		/* bytes of a line before the path */
#define ESCAPED_NEWLINE	"\\012"

/* Returns the mapping of a line, which may be new; or NULL: the line is that of
 * no file, or there is no room. "START-END r-xp OFFSET MAJOR:MINOR INODE /PATH"
 */
static struct mapped *take_line(struct mapped_list *list, const char *line,
				size_t bytes)
{
	const char *path = memchr(line, '/', bytes);
	size_t n = path ? (size_t)(path - line) : MAPPED_HEAD;
	unsigned long long start, end, offset, inode;
	struct mapped m = { 0 }, *old;
	char head[MAPPED_HEAD];

	if (n >= sizeof(head))
		return NULL;
	memcpy(head, line, n);
	head[n] = '\0';
	bytes -= n;
	if (sscanf(head, "%llx-%llx %*4s %llx %x:%x %llu", &start, &end,
		   &offset, &m.major, &m.minor, &inode) != 6 ||
	    start >= end || !inode)
		return NULL;
	for (size_t i = 0; i < list->count; i++) {
		old = &list->mapped[i];
		if (old->start == start && old->end == end &&
		    old->offset == offset && old->inode == inode &&
		    old->major == m.major && old->minor == m.minor &&
		    strlen(old->path) == bytes &&
		    !memcmp(old->path, path, bytes))
			return old;
	}
	if (list->count == MAPPED_MAX)
		return NULL;
	m.start = start;
	m.end = end;
	m.offset = offset;
	m.inode = inode;
	m.path = strndup(path, bytes);
	if (!m.path)
		return NULL;
	list->mapped[list->count] = m;
	return &list->mapped[list->count++];
}

void mapped_read(struct mapped_list *list, const struct session_view *session,
		 struct work_share *share)
{
	uint32_t number = 0;

	list->count = 0;
	list->mapped = calloc(MAPPED_MAX, sizeof(*list->mapped));
	for (size_t i = 0; list->mapped && i < session->nmodules &&
	     work_look(share); i++) {
		const struct modules_view *view = session->modules[i];
		const char *p = view->lines;

		number += !view->more;
		for (size_t n; *p && work_look(share);
		     p += n + (p[n] == '\n')) {
			struct mapped_time *time;
			struct mapped *m;
			bool goes_on;

			n = strcspn(p, "\n");
			m = take_line(list, p, n);
			/* it is there from now on, until a telling lacks it */
			goes_on = m && m->seen && m->seen + 1 >= number;
			time = m && !goes_on ? malloc(sizeof(*time)) : NULL;
			if (goes_on || time)
				m->seen = number;
			if (!time)
				continue;
			if (!m->times) {
				m->since = view->head.from;
				m->files = view->files;
			}
			*time = (struct mapped_time){
				m->times, view->head.from, UINT64_MAX };
			m->times = time;
			m->ntimes++;
		}
		if (i + 1 < session->nmodules && session->modules[i + 1]->more)
			continue;
		/* the telling is complete, and ends the time of the others */
		for (size_t k = 0; k < list->count; k++) {
			struct mapped *m = &list->mapped[k];

			if (m->seen != number && m->times &&
			    m->times->end == UINT64_MAX)
				m->times->end = view->head.until ?:
							view->head.from;
		}
	}
	for (size_t i = 0; session->page.modules_end && i < list->count; i++)
		for (struct mapped_time *t = list->mapped[i].times; t;
		     t = t->before)
			if (t->end > session->page.modules_end)
				t->end = session->page.modules_end;
	if (!share->ns)
		mapped_free(list);
}

void mapped_free(struct mapped_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		for (struct mapped_time *t = list->mapped[i].times, *before; t;
		     t = before) {
			before = t->before;
			free(t);
		}
		free((char *)list->mapped[i].path);
	}
	free(list->mapped);
	memset(list, 0, sizeof(*list));
}

bool mapped_unescape(struct mapped *mapped)
{
	char *to = NULL;

	for (char *p = (char *)mapped->path; *p; p++) {
		bool escape = !strncmp(p, ESCAPED_NEWLINE,
				       strlen(ESCAPED_NEWLINE));

		if (escape && !to)
			to = p;
		if (to)
			*to++ = escape ? '\n' : *p;
		if (escape)
			p += strlen(ESCAPED_NEWLINE) - 1;
	}
	if (to)
		*to = '\0';
	return to;
}

bool mapped_during(const struct mapped *mapped, uint64_t first, uint64_t last)
{
	for (const struct mapped_time *t = mapped->times; t; t = t->before)
		if (t->begin <= first && last < t->end)
			return true;
	return false;
}

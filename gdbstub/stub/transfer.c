/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * qXfer: documents that gdb reads in slices. A document is made when gdb asks
 * for the beginning, and kept until gdb asks for another. So the slices fit
 * each other.
 */
#include <fcntl.h>
#include <link.h>

#include "base/base.h"
#include "base/sys.h"
#include "base/text.h"
#include "gdbstub/tracing/frame.h"
#include "gdbstub/wire/connection.h"
#include "tracepoints/program/modules.h"

/* The most libraries that are read: while the list changes, it may be a
 * circle. */
#define LIBRARIES_MAX	4096
#define NAME_BYTES	512

struct document {
	const char *object;
	const char *annex;		/* that it must have; NULL: any */
	void (*make)(struct connection *c, struct text *out);
};

static void make_target(struct connection *c, struct text *out)
{
	registers_describe(out);
}

/* The kernel's own bytes: gdb knows their form. */
static void make_auxv(struct connection *c, struct text *out)
{
	int fd = (int)sys_open("/proc/self/auxv", O_RDONLY | O_CLOEXEC, 0);
	long got;

	if (fd < 0)
		return;
	while ((got = sys_read(fd, out->start + out->used,
			       out->size - out->used)) > 0)
		out->used += (size_t)got;
	sys_close(fd);
}

/* The path as the kernel has it now, also if the file was renamed. */
static void make_exec_file(struct connection *c, struct text *out)
{
	long got = sys4(SYS_readlinkat, -100, "/proc/self/exe", out->start,
			out->size - 1);

	if (got > 0)
		out->used = (size_t)got;
}

/* After `D` the list has no thread: gdb would add it again. */
static void make_threads(struct connection *c, struct text *out)
{
	text_add(out, "<threads>");
	if (!c->detached) {
		text_add(out, "<thread id=\"p");
		text_add_hex(out, (uint64_t)sys_getpid(), 1);
		text_add_char(out, '.');
		text_add_hex(out, (uint64_t)sys_gettid(), 1);
		text_add(out, "\" name=\"taffrail\">agent's own; the program's "
			      "threads run</thread>");
	}
	text_add(out, "</threads>");
}

static void attribute_hex(struct text *out, const char *name, uint64_t value)
{
	text_add_char(out, ' ');
	text_add(out, name);
	text_add(out, "=\"0x");
	text_add_hex(out, value, 1);
	text_add_char(out, '"');
}

/* Adds a library. One whose name is empty or cannot be read as a whole is left
 * out; an object without a name is the program or the vDSO, which gdb finds
 * otherwise. */
static void library_add(struct text *out, const struct link_map *map,
			uint64_t address)
{
	char name[NAME_BYTES];
	uint64_t at = (uint64_t)map->l_name;
	uint64_t page = 4096 - at % 4096;
	uint64_t n = memory_read(at, name, NAME_BYTES);
	const char *p;

	if (!n && page < NAME_BYTES)
		n = memory_read(at, name, page);
	while (n && name[n - 1])
		n--;
	if (!n || !*name)
		return;
	text_add(out, "<library name=\"");
	for (p = name; *p; p++) {
		if (*p == '&')
			text_add(out, "&amp;");
		else if (*p == '<')
			text_add(out, "&lt;");
		else if (*p == '"')
			text_add(out, "&quot;");
		else
			text_add_char(out, *p);
	}
	text_add_char(out, '"');
	attribute_hex(out, "lm", address);
	attribute_hex(out, "l_addr", map->l_addr);
	attribute_hex(out, "l_ld", (uint64_t)map->l_ld);
	attribute_hex(out, "lmid", 0);
	text_add(out, "/>");
}

/* The list may change while it is read, so nothing in it is trusted. */
static void make_libraries(struct connection *c, struct text *out)
{
	struct link_map map;
	struct r_debug debug;
	uint64_t address = 0;
	uint64_t size = sizeof(map);

	if (memory_read((uint64_t)modules_debug(), &debug, sizeof(debug)) ==
	    sizeof(debug))
		address = (uint64_t)debug.r_map;
	text_add(out, "<library-list-svr4 version=\"1.0\"");
	if (address)
		attribute_hex(out, "main-lm", address);
	text_add_char(out, '>');
	for (int i = 0; address && i < LIBRARIES_MAX; i++) {
		if (memory_read(address, &map, size) != size)
			break;
		if (i)		/* the first is the program */
			library_add(out, &map, address);
		address = (uint64_t)map.l_next;
	}
	text_add(out, "</library-list-svr4>");
}

static const struct document documents[] = {
	{ "features", "target.xml", make_target },
	{ "auxv", "", make_auxv },
	{ "exec-file", NULL, make_exec_file },
	{ "threads", "", make_threads },
	{ "libraries-svr4", NULL, make_libraries },
	{ "traceframe-info", "", frame_describe },
	{ "statictrace", "", frame_static },
};

/* Returns the text behind "WORD:", or NULL when something else is there. */
static const char *word_after(const char *p, const char *word)
{
	p = text_after(p, word);
	return p && *p == ':' ? p + 1 : NULL;
}

/* OBJECT:read:ANNEX:OFFSET,LENGTH. Answers with a slice, after it made the
 * document anew at offset 0. */
int serve_transfer(struct connection *c, const char *p)
{
	const struct document *document = documents;
	const struct document *end = documents + ARRAY_SIZE(documents);
	const char *rest = NULL;
	const char *annex;
	struct text out;
	uint64_t offset, n;

	for (; document < end; document++) {
		rest = word_after(p, document->object);
		if (rest)
			break;
	}
	rest = rest ? word_after(rest, "read") : NULL;
	if (!rest)
		return 0;
	annex = rest;
	while (*rest && *rest != ':')
		rest++;
	if ((document->annex &&
	     word_after(annex, document->annex) != rest + 1) ||
	    !packet_read_char(&rest, ':') ||
	    !packet_read_number(&rest, &offset) ||
	    !packet_read_char(&rest, ',') || !packet_read_number(&rest, &n))
		goto failed;
	if (!offset || c->document_of != document) {
		text_open(&out, c->document, sizeof(c->document));
		document->make(c, &out);
		c->document_of = out.cut || !out.used ? NULL : document;
		c->document_bytes = out.used;
	}
	if (!c->document_of || offset > c->document_bytes)
		goto failed;
	n = min_u64(n, CONNECTION_CHUNK_BYTES);
	n = min_u64(n, c->document_bytes - offset);
	packet_add_byte(&c->out, offset + n < c->document_bytes ? 'm' : 'l');
	packet_add_bytes(&c->out, c->document + offset, n);
	return 0;
failed:
	connection_error(c, 0);
	return 0;
}

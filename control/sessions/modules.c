/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tells readers where the program's modules are (RECORD_MODULES), so they can
 * name addresses. Only sessions with a marker that has such a field tell it.
 *
 * All functions here run in the agent's threads.
 */
#include <fcntl.h>
#include <time.h>

#include "base/sys.h"
#include "buffers/clock.h"
#include "control/sessions/private.h"
#include "tracepoints/fields/shown.h"

#define LINES_BYTES	4096
#define EVENT_IDS	(1u << 20)	/* readers refuse larger ones */
#define RECORD_LEAST	64

/* The text of a record: four empty names, and the parts behind them. */
struct telling {
	uint32_t names;
	struct modules_head head;
	char lines[LINES_BYTES];
} __attribute__((packed));

int session_symbols;

/* Drops lines but those of code in files: "55d0-55d1 r-xp ... /PATH". Returns
 * the bytes of complete lines. The rest, a line that ends later, begins there.
 */
static uint32_t lines_keep(char *lines, uint32_t *bytes)
{
	uint32_t line = 0, kept = 0, i, last = 0;
	int file = 0, code = 0;

	for (i = 0; i < *bytes; i++) {
		uint8_t c = (uint8_t)lines[i];

		lines[kept++] = (char)c;
		last = last << 8 | c;
		code |= last == 0x2d787020;	/* "-xp " */
		file |= c == '/';
		if (c != '\n')
			continue;
		if (!(file && code))
			kept = line;
		line = kept;
		file = code = 0;
	}
	*bytes = kept;
	return line;
}

/* If it fails, the page still says that modules are not known. */
static void modules_publish(struct channel *channel)
{
	struct session_page *page = channel->page;
	struct event_record model = { .kind = RECORD_MODULES, .line = 1 };
	int fd = (int)sys_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	uint64_t files = clock_read_kernel(CLOCK_REALTIME_COARSE);
	struct telling telling;
	uint32_t bytes = 0, line;
	long n;

	__builtin_memcpy(model.types, &files, sizeof(files));
	telling.names = 0;
	telling.head.until = page->modules_end;
	telling.head.from = clock_read();
	while ((n = sys_read(fd, telling.lines + bytes,
			     LINES_BYTES - bytes)) > 0) {
		bytes += (uint32_t)n;
		line = lines_keep(telling.lines, &bytes);
		/* each record has a separate place, and so a separate number */
		model.id = EVENT_IDS - 1 -
			   (uint32_t)(page->record_bytes / RECORD_LEAST);
		if (!channel_record_add(channel, &model, (const char *)&telling,
					offsetof(struct telling, lines) + line))
			break;
		model.line = 0;
		bytes -= line;
		__builtin_memmove(telling.lines, telling.lines + line, bytes);
	}
	if (!n)
		page->modules_end = 0;
	sys_close(fd);
}

void session_symbols_need(struct session *session, const struct object *object)
{
	struct shown_bytes shown = shown_of_site(object->site);

	if (!shown_has(&shown, TAFFRAIL_HOW_SYMBOL))
		return;
	session_symbols = 1;
	if (session->symbols)
		return;
	session->symbols = 1;
	session_modules_inherit(session);
}

void session_modules_inherit(struct session *session)
{
	if (!session->symbols)
		return;
	session_modules_end(session);
	modules_publish(session->channel);
}

void session_modules_tell(void)
{
	session_symbols = 0;
	for (uint32_t i = 0; i < SESSIONS_MAX; i++)
		if (session_phase(i) == SESSION_RUNS && sessions[i].symbols) {
			session_symbols = 1;
			modules_publish(sessions[i].channel);
		}
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * taffrail gdbserver: tells gdbserver the addresses of the agent's variables.
 *
 * After it has asked once, gdbserver reads some of them at each stop until it
 * exits; after an execve the new program does not have them yet. gdbserver
 * aborts if it cannot read four of them: the ranges of jump pads and of
 * trampolines. One part of memory exists in each program from its first
 * instruction, and at the same addresses if the stack is not randomised
 * (gdbserver sets that for programs that it starts): the upper end of the
 * stack. No code uses two words there:
 *
 *	end - 8				0; above it there is no address
 *	value of the AT_NULL behind	never read: that entry ends the list
 *	the auxiliary vector
 *
 * The first word holds the end of the pads, the second their start; in a
 * program where both have other values, or zeros, the range is empty. gdbserver
 * need not be able to read three other variables, but must not find other data
 * there: the agent has these in a separate page (struct ipa_far).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "command/elf/process-markers.h"
#include "command/gdbserver/gdbserver.h"
#include "command/procfs/process.h"
#include "control/protocol.h"
#include "gdbstub/ipa/abi.h"

#define PADS_START	"gdb_agent_gdb_jump_pad_buffer"
#define PADS_END	"gdb_agent_gdb_jump_pad_buffer_end"
#define HEAP		"gdb_agent_gdb_tp_heap_buffer"
#define FAR		"taffrail_ipa_far"
#define OFF		"taffrail_ipa_off"
#define LOADER		"ld-linux"	/* and more */
#define STACK_BYTES	(120u << 10)	/* execve makes 128 KiB at least */
#define AT_TYPES	64		/* more than there are */
#define CELLS		"taffrail_ipa_cells"
#define CELLS_READ	256		/* at once */
#define JUMP		0xe9
#define TEST		0xa9
#define NOP		0x0f		/* and more */

/* The addresses of the words that hold the pads' start and end; 0: none. */
struct words {
	uint64_t start, end;
};

static int memory_open(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	return open(path, O_RDWR | O_CLOEXEC);
}

static bool memory_read(pid_t pid, uint64_t address, void *to, size_t n)
{
	int fd = memory_open(pid);
	bool done = fd >= 0 && pread(fd, to, n, (off_t)address) == (ssize_t)n;

	if (fd >= 0)
		close(fd);
	return done;
}

static bool memory_write(pid_t pid, uint64_t address, const void *from,
			 size_t n)
{
	int fd = memory_open(pid);
	bool done = fd >= 0 &&
		    pwrite(fd, from, n, (off_t)address) == (ssize_t)n;

	if (fd >= 0)
		close(fd);
	return done;
}

static bool find_symbol(pid_t pid, const char *name, uint64_t *address)
{
	return !process_symbol(pid, "libtaffrail", name, address) ||
	       !process_symbol(pid, "libinproctrace", name, address);
}

static uint64_t value_of(pid_t pid, const char *name)
{
	uint64_t address, value;

	return find_symbol(pid, name, &address) &&
	       memory_read(pid, address, &value, sizeof(value)) ? value : 0;
}

/* Returns true when the stack is not randomised. */
static bool is_fixed(pid_t pid)
{
	char text[32];

	process_text(pid, 0, "personality", text, sizeof(text));
	return strtoul(text, NULL, 16) & ADDR_NO_RANDOMIZE;
}

/* Returns the end of the stack's mapping, or 0. */
static uint64_t stack_end(pid_t pid)
{
	char path[32], line[512];
	uint64_t end = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "[stack]"))
			sscanf(line, "%*x-%" SCNx64, &end);
	if (f)
		fclose(f);
	return end;
}

/* Returns where the program's stack began: field 28 of /proc/PID/stat. */
static uint64_t stack_start(pid_t pid)
{
	char text[1024];

	process_text(pid, 0, "stat", text, sizeof(text));
	return strtoull(process_stat_field(text, 28), NULL, 10);
}

/* Finds the value of AT_NULL among n words: argc, arguments, 0, environment, 0,
 * pairs up to one of type 0. Returns the index, or 0. */
static size_t find_null(const uint64_t *words, size_t n)
{
	size_t i = n > 1 && words[0] < n ? 1 + words[0] : n;

	if (i >= n || words[i])
		return 0;
	while (++i < n && words[i])
		;
	for (i++; i + 1 < n && words[i] < AT_TYPES; i += 2)
		if (!words[i])
			return i + 1;
	return 0;
}

static struct words words_find(pid_t pid)
{
	static uint64_t words[STACK_BYTES / sizeof(uint64_t)];
	uint64_t start = stack_start(pid), end = stack_end(pid);
	struct words found = { 0, 0 };
	size_t at;

	if (!is_fixed(pid) || !start || start >= end ||
	    end - start > sizeof(words) ||
	    !memory_read(pid, start, words, end - start))
		return found;
	at = find_null(words, (end - start) / sizeof(uint64_t));
	if (at)
		found = (struct words){ start + at * sizeof(uint64_t),
					end - sizeof(uint64_t) };
	return found;
}

/* Writes the range of the pads into the words. */
static bool words_set(pid_t pid, const struct words *words)
{
	uint64_t start = value_of(pid, PADS_START);
	uint64_t end = value_of(pid, PADS_END);

	return words->start && start && end &&
	       memory_write(pid, words->start, &start, sizeof(start)) &&
	       memory_write(pid, words->end, &end, sizeof(end));
}

/* Returns the other address that gdbserver is told for a variable; 0 when the
 * variable's own address is used. */
static uint64_t other_address(const struct gdbserver_agent *agent,
			      const char *name)
{
	static const struct {
		const char *name;
		size_t offset;
	} rows[] = {
		{ "gdb_agent_traceframe_read_count",
		  offsetof(struct ipa_far, read_count) },
		{ "gdb_agent_traceframe_write_count",
		  offsetof(struct ipa_far, write_count) },
		{ "gdb_agent_collecting",
		  offsetof(struct ipa_far, collecting) },
	};

	if (!strcmp(name, PADS_START) ||
	    !strncmp(name, "gdb_agent_gdb_trampoline_buffer", 31))
		return strstr(name, "error") ? 0 : agent->start;
	if (!strcmp(name, PADS_END))
		return agent->end;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(name, rows[i].name) && agent->far)
			return agent->far + rows[i].offset;
	return 0;
}

static void put_symbol(pid_t pid, const char *name, const void *value, size_t n)
{
	uint64_t address;

	if (find_symbol(pid, name, &address))
		memory_write(pid, address, value, n);
}

/* Empties the trace buffer, as gdbserver does with a known agent when gdb
 * begins to define a trace: an earlier gdbserver may have left frames. */
static void buffer_clear(pid_t pid, uint64_t far)
{
	uint64_t low = value_of(pid, "gdb_agent_trace_buffer_lo");
	uint64_t high = value_of(pid, "gdb_agent_trace_buffer_hi");
	uint64_t control[] = { low, low, high, high };
	uint64_t none = 0;

	if (!low || !high)
		return;
	put_symbol(pid, "gdb_agent_trace_buffer_ctrl", control,
		   sizeof(control));
	put_symbol(pid, "gdb_agent_trace_buffer_ctrl_curr", &none, 4);
	memory_write(pid, low, &none, sizeof(struct ipa_frame));
	put_symbol(pid, "gdb_agent_traceframe_write_count", &none, 4);
	put_symbol(pid, "gdb_agent_traceframe_read_count", &none, 4);
	put_symbol(pid, "gdb_agent_traceframes_created", &none, 4);
	if (far)
		memory_write(pid, far, &none, 8);
}

/* Reads the agent's addresses. The process is stopped, and no trace of this
 * gdbserver runs. */
static void learn_addresses(struct gdbserver_agent *agent, pid_t pid)
{
	struct words words = words_find(pid);

	agent->heap = value_of(pid, HEAP);
	agent->pads = value_of(pid, PADS_START);
	agent->far = value_of(pid, FAR);
	agent->start = agent->end = 0;
	buffer_clear(pid, agent->far);
	if (words_set(pid, &words)) {
		agent->start = words.start;
		agent->end = words.end;
	}
}

bool gdbserver_symbol(struct gdbserver *server,
		      const struct filter_thread *thread, const char *name,
		      uint64_t *address)
{
	pid_t pid = gdbserver_process(server, thread);
	struct gdbserver_agent *agent = &server->agent;
	uint64_t place;

	if (!pid || !find_symbol(pid, name, address))
		return false;
	/* gdbserver asks for this variable first */
	if (!strcmp(name, HEAP)) {
		agent->place = *address;
		learn_addresses(agent, pid);
		return true;
	}
	place = other_address(agent, name);
	if (place)
		*address = place;
	return true;
}

/* Returns why the agent is off; NULL: it works, or has not begun. */
static const char *off_reason(pid_t pid)
{
	static char text[160];
	static const char begin[] = "the agent is off in the program: ";
	char *reason = text + sizeof(begin) - 1;
	uint64_t place = value_of(pid, OFF);

	if (!place || !memory_read(pid, place, &place, sizeof(place)) ||
	    !place)
		return NULL;
	memcpy(text, begin, sizeof(begin));
	if (!memory_read(pid, place, reason, sizeof(text) - sizeof(begin)))
		return NULL;
	text[sizeof(text) - 1] = '\0';
	return strcmp(reason, PROTOCOL_NOT_STARTED) ? text : NULL;
}

/* The loader maps the C library and the agent together, so a process without
 * the C library has not set up its agent. */
const char *gdbserver_agent_early(struct gdbserver *server,
				  const struct filter_thread *thread)
{
	static const char early[] = "the program has not set up its agent yet: "
				    "break main, continue, then tstart";
	pid_t pid = gdbserver_process(server, thread);
	const char *why = NULL;
	uint64_t place;

	if (!pid)
		return NULL;
	if (!find_symbol(pid, HEAP, &place))
		return process_maps_beginning(pid, LOADER) &&
		       !process_maps_file(pid, "libc.so.6") ? early : NULL;
	if (!value_of(pid, HEAP))
		why = off_reason(pid) ?: early;
	return why;
}

/* In another program the word for the pads' start may be in use. Then the range
 * is empty: gdbserver recognises threads that collect by the lock that they
 * hold, and stops other threads in a pad as anywhere else. */
static bool words_again(pid_t pid, const struct gdbserver_agent *known)
{
	struct words words = words_find(pid);
	uint64_t none = 0;

	if (!known->start)
		return true;
	if (words.start == known->start && words.end == known->end)
		return words_set(pid, &words);
	return memory_write(pid, known->end, &none, sizeof(none));
}

bool gdbserver_agent_known(struct gdbserver *server,
			   const struct filter_thread *thread)
{
	pid_t pid = gdbserver_process(server, thread);
	const struct gdbserver_agent *known = &server->agent;
	uint64_t place;

	return pid && find_symbol(pid, HEAP, &place) && place == known->place &&
	       value_of(pid, HEAP) == known->heap &&
	       value_of(pid, PADS_START) == known->pads &&
	       value_of(pid, FAR) == known->far &&
	       words_again(pid, known);
}

uint64_t gdbserver_cell(struct gdbserver *server,
			const struct filter_thread *thread, uint64_t site)
{
	pid_t pid = gdbserver_process(server, thread);
	struct ipa_cell some[CELLS_READ];
	uint64_t address, place;
	struct ipa_cells all;

	if (!pid || process_symbol(pid, "libtaffrail", CELLS, &address) ||
	    !memory_read(pid, address, &all, sizeof(all)) || !all.on)
		return 0;
	place = (uint64_t)(uintptr_t)all.cells;
	while (all.n) {
		uint32_t n = all.n < CELLS_READ ? all.n : CELLS_READ;

		if (!memory_read(pid, place, some, n * sizeof(*some)))
			break;
		for (uint32_t i = 0; i < n; i++)
			if (some[i].site == site)
				return place + i * sizeof(*some);
		place += n * sizeof(*some);
		all.n -= n;
	}
	return 0;
}

uint32_t gdbserver_relocate(struct gdbserver *server,
			    const struct filter_thread *thread, uint64_t from,
			    uint64_t to)
{
	pid_t pid = gdbserver_process(server, thread);
	uint8_t code[5];
	int32_t distance;

	if (!pid || !memory_read(pid, from, code, sizeof(code)) ||
	    (code[0] != JUMP && code[0] != TEST && code[0] != NOP))
		return 0;
	if (code[0] == JUMP) {
		memcpy(&distance, code + 1, sizeof(distance));
		distance += (int32_t)(from - to);
		memcpy(code + 1, &distance, sizeof(distance));
	}
	return memory_write(pid, to, code, sizeof(code)) ? sizeof(code) : 0;
}

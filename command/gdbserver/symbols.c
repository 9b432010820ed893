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
#define TRAMPOLINES	"gdb_agent_gdb_trampoline_buffer"
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

/* The addresses of the two words at the end of the stack that hold the pads'
 * start and end; 0: none. */
struct words {
	uint64_t start, end;
};

int gdbserver_memory(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	return open(path, O_RDWR | O_CLOEXEC);
}

/* Reads memory of a process. Returns true when all of it was read. */
static bool memory_read(pid_t pid, uint64_t address, void *to, size_t n)
{
	int fd = gdbserver_memory(pid);
	bool done = fd >= 0 && pread(fd, to, n, (off_t)address) == (ssize_t)n;

	if (fd >= 0)
		close(fd);
	return done;
}

/* Writes memory of a process, also pages that the process itself cannot write.
 * Returns true when all of it was written. */
static bool memory_write(pid_t pid, uint64_t address, const void *from,
			 size_t n)
{
	int fd = gdbserver_memory(pid);
	bool done = fd >= 0 &&
		    pwrite(fd, from, n, (off_t)address) == (ssize_t)n;

	if (fd >= 0)
		close(fd);
	return done;
}

/* Finds a variable of the agent, ours or gdb's own. Returns false when the
 * process has neither. */
static bool find_symbol(pid_t pid, const char *name, uint64_t *address)
{
	return !process_symbol(pid, "libtaffrail", name, address) ||
	       !process_symbol(pid, "libinproctrace", name, address);
}

/* Returns the value of a variable of the agent's, of 8 bytes; 0: there is
 * none. */
static uint64_t value_of(pid_t pid, const char *name)
{
	uint64_t address, value;

	return find_symbol(pid, name, &address) &&
	       memory_read(pid, address, &value, sizeof(value)) ? value : 0;
}

/* Finds the two words of a program whose stack is not randomised; else, or when
 * there are none, both addresses are 0. */
static struct words words_find(pid_t pid)
{
	static uint64_t words[STACK_BYTES / sizeof(uint64_t)];
	struct words found = { 0, 0 };
	char path[32], text[1024];
	uint64_t start, end = 0;
	size_t i, n;
	FILE *f;

	process_text(pid, 0, "personality", text, sizeof(text));
	if (!(strtoul(text, NULL, 16) & ADDR_NO_RANDOMIZE))
		return found;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	while (f && fgets(text, sizeof(text), f))
		if (strstr(text, "[stack]"))
			sscanf(text, "%*x-%" SCNx64, &end);
	if (f)
		fclose(f);
	/* where the program's stack began: field 28 of /proc/PID/stat */
	process_text(pid, 0, "stat", text, sizeof(text));
	start = strtoull(process_stat_field(text, 28), NULL, 10);
	if (!start || start >= end || end - start > sizeof(words) ||
	    !memory_read(pid, start, words, end - start))
		return found;
	/* argc, arguments, 0, environment, 0, pairs up to one of type 0 */
	n = (end - start) / sizeof(uint64_t);
	i = n > 1 && words[0] < n ? 1 + words[0] : n;
	if (i >= n || words[i])
		return found;
	while (++i < n && words[i])
		;
	for (i++; i + 1 < n && words[i] < AT_TYPES; i += 2)
		if (!words[i])
			return (struct words){
				start + (i + 1) * sizeof(uint64_t),
				end - sizeof(uint64_t) };
	return found;
}

/* Writes the range of the pads into the words. Returns false when there are no
 * words, or no pads. */
static bool words_set(pid_t pid, const struct words *words)
{
	uint64_t start = value_of(pid, PADS_START);
	uint64_t end = value_of(pid, PADS_END);

	return words->start && start && end &&
	       memory_write(pid, words->start, &start, sizeof(start)) &&
	       memory_write(pid, words->end, &end, sizeof(end));
}

/* Sets a variable of the agent's, if the process has it. */
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

int gdbserver_symbol(void *arg, const struct filter_thread *thread,
		     const char *name, uint64_t *address)
{
	struct gdbserver *server = arg;
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
	pid_t pid = gdbserver_process(server, thread);
	struct gdbserver_agent *agent = &server->agent;
	uint64_t place = 0;
	struct words words;

	if (!pid || !find_symbol(pid, name, address))
		return false;
	/* gdbserver asks for this variable first; no trace of this gdbserver
	 * runs */
	if (!strcmp(name, HEAP)) {
		*agent = (struct gdbserver_agent){
			.place = *address,
			.heap = value_of(pid, HEAP),
			.pads = value_of(pid, PADS_START),
			.far = value_of(pid, FAR),
		};
		words = words_find(pid);
		buffer_clear(pid, agent->far);
		if (words_set(pid, &words)) {
			agent->start = words.start;
			agent->end = words.end;
		}
		return true;
	}
	/* the words, or the separate page, in place of the variable */
	if (!strcmp(name, PADS_END))
		place = agent->end;
	else if (!strcmp(name, PADS_START) ||
		 (!strncmp(name, TRAMPOLINES, strlen(TRAMPOLINES)) &&
		  !strstr(name, "error")))
		place = agent->start;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(name, rows[i].name) && agent->far)
			place = agent->far + rows[i].offset;
	if (place)
		*address = place;
	return true;
}

/* The loader maps the C library and the agent together, so a process without
 * the C library has not set up its agent. */
const char *gdbserver_early(void *arg, const struct filter_thread *thread)
{
	static const char early[] = "the program has not set up its agent yet: "
				    "break main, continue, then tstart";
	static const char begin[] = "the agent is off in the program: ";
	static char text[160];
	char *reason = text + sizeof(begin) - 1;
	pid_t pid = gdbserver_process(arg, thread);
	uint64_t place;

	if (!pid)
		return NULL;
	if (!find_symbol(pid, HEAP, &place))
		return process_maps_beginning(pid, LOADER) &&
		       !process_maps_file(pid, "libc.so.6") ? early : NULL;
	if (value_of(pid, HEAP))
		return NULL;
	/* a pointer to the words; it is NULL in an agent that has not begun */
	place = value_of(pid, OFF);
	if (!place || !memory_read(pid, place, &place, sizeof(place)) ||
	    !place)
		return early;
	memcpy(text, begin, sizeof(begin));
	if (!memory_read(pid, place, reason, sizeof(text) - sizeof(begin)))
		return early;
	text[sizeof(text) - 1] = '\0';
	return strcmp(reason, PROTOCOL_NOT_STARTED) ? text : early;
}

int gdbserver_known(void *arg, const struct filter_thread *thread)
{
	const struct gdbserver *server = arg;
	const struct gdbserver_agent *known = &server->agent;
	pid_t pid = gdbserver_process(server, thread);
	uint64_t place, none = 0;
	struct words words;

	if (!pid || !find_symbol(pid, HEAP, &place) || place != known->place ||
	    value_of(pid, HEAP) != known->heap ||
	    value_of(pid, PADS_START) != known->pads ||
	    value_of(pid, FAR) != known->far)
		return false;
	if (!known->start)
		return true;
	words = words_find(pid);
	if (words.start == known->start && words.end == known->end)
		return words_set(pid, &words);
	/*
	 * In another program the word for the pads' start may be in use. Then
	 * the range is empty: gdbserver recognises threads that collect by the
	 * lock that they hold, and stops other threads in a pad as anywhere
	 * else.
	 */
	return memory_write(pid, known->end, &none, sizeof(none));
}

uint64_t gdbserver_cell(void *arg, const struct filter_thread *thread,
			uint64_t site)
{
	pid_t pid = gdbserver_process(arg, thread);
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

uint32_t gdbserver_relocate(void *arg, const struct filter_thread *thread,
			    uint64_t from, uint64_t to)
{
	pid_t pid = gdbserver_process(arg, thread);
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The symboliser's child. See protocol-private.h.
 *
 * Facts: where there is no libstdc++, no C++ program runs; the command does not
 * need it otherwise. Itanium C++ ABI, 3.4, "Demangler API".
 *
 * The kernel ends the child when a request takes more than the processor time
 * that it may (SIGPROF), or reads behind the end of a file that was cut
 * (SIGBUS).
 */
#include "command/symboliser/serve-private.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/sys.h"
#include "command/sandbox/child.h"
#include "tracepoints/conditions/rule-split.h"
#include "tracepoints/usdt/plan/note.h"

#define LIBRARY		"libstdc++.so.6"

struct symboliser_libraries symboliser_libraries;

/* __cxa_demangle(), or NULL: there is no libstdc++. */
static char *(*read_cxx)(const char *name, char *buffer, size_t *bytes,
			 int *status);

static struct symboliser_request request;
static struct symboliser_answer answer;
static uint64_t began;			/* processor time, ns */

/* Returns the thread's time in nanoseconds: the process's clock goes on at
 * ticks only while it has a limit. */
static uint64_t processor_time(void)
{
	return (uint64_t)sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Has the kernel end this process after so much processor time; 0: not. */
static void limit_time(uint32_t ms)
{
	const struct itimerval timer = { .it_value = { ms / 1000,
						       ms % 1000 * 1000 } };

	setitimer(ITIMER_PROF, &timer, NULL);
}

/* Sends the items that the answer has so far, and takes them out of the answer.
 * Ends the child if the command is gone. */
static void send_answer(bool last, size_t item_bytes)
{
	answer.what = request.what;
	answer.last = last;
	answer.ns = processor_time() - began;
	if (!child_send(CHILD_SOCKET, &answer,
			ANSWER_HEAD + answer.count * item_bytes, -1))
		_exit(1);
	answer.count = 0;
}

/* Sends the one item of the answer; or `error`, a negative errno. */
static void answer_one(int error, size_t item_bytes)
{
	answer.error = error;
	answer.count = !error;
	send_answer(true, item_bytes);
	answer.error = 0;
}

static void add_frame(const struct symboliser_frame *frame, void *priv)
{
	if (answer.count == SYMBOLISER_ITEMS_MAX)
		send_answer(false, sizeof(*frame));
	answer.frames[answer.count++] = *frame;
}

/* Adds bytes to the stream; sends each answer that is full. */
static void put_bytes(const void *bytes, size_t n)
{
	for (size_t part; n; n -= part, bytes = (const char *)bytes + part) {
		part = SYMBOLISER_BYTES_MAX - answer.count;
		part = part < n ? part : n;
		memcpy(answer.bytes + answer.count, bytes, part);
		answer.count += (uint32_t)part;
		if (answer.count == SYMBOLISER_BYTES_MAX)
			send_answer(false, 1);
	}
}

/* Sends the stream of markers. */
static void answer_markers(const struct symboliser_images *images)
{
	const struct symboliser_image *own = &images->of[FILE_OWN];
	const struct symboliser_image *more = &images->of[FILE_DEBUG];
	const struct usdt_file debug = { .bytes = more->bytes,
					  .size = more->size };
	struct symboliser_markers markers = { 0 };

	symboliser_read_markers(&markers, own->bytes, own->size,
				more->bytes ? &debug : NULL, request.count);
	put_bytes(&markers.verdict, sizeof(markers.verdict));
	for (size_t i = 0; !markers.verdict.error && i < markers.count; i++) {
		const struct symboliser_found *found = &markers.found[i];
		struct symboliser_record record = {
			.marker = found->marker,
			.shown_bytes = (uint32_t)found->shown_bytes };
		size_t n[4];

		for (int k = 0; k < 4; k++) {
			n[k] = strlen(found->strings[k]) + 1;
			record.string_bytes += (uint32_t)n[k];
		}
		put_bytes(&record, sizeof(record));
		for (int k = 0; k < 4; k++)
			put_bytes(found->strings[k], n[k]);
		put_bytes(found->shown, found->shown_bytes);
	}
	symboliser_free_markers(&markers);
	send_answer(true, 1);
}

/*
 * Answers a request about a file.
 *
 * libdw gets a private mapping: it writes into the headers of sections that it
 * decompresses.
 *
 * `elf` is NULL where the section headers make no sense: there are no symbols.
 */
static void serve_file(int fd)
{
	static struct symboliser_symbol *found;
	struct symboliser_images images;
	uint32_t n = request.count;
	size_t bytes = request.file_bytes;
	void *image;
	Elf *elf;

	symboliser_files_map(&images, &request, fd,
			     request.what == ASK_LINES ||
				     request.what == ASK_SPOTS);
	image = images.of[FILE_OWN].bytes;
	if (!image) {
		answer_one(images.error, 0);
		symboliser_files_close(&images);
		return;
	}
	elf = elf_memory(image, bytes);
	switch (request.what) {
	case ASK_MODULE:
		answer_one(symboliser_read_module(&answer.module, image, bytes,
						  elf),
			   sizeof(answer.module));
		break;
	case ASK_NAMES:
		if (!found)
			found = malloc(SYMBOLISER_ADDRESSES_MAX *
				       sizeof(*found));
		if (!found) {
			answer_one(-ENOMEM, 0);
			break;
		}
		memset(found, 0, n * sizeof(*found));
		symboliser_find_names(found, request.addresses, n, elf);
		for (uint32_t i = 0; i < n; i++) {
			answer.symbols[answer.count++] = found[i];
			if (answer.count == SYMBOLISER_ITEMS_MAX || i + 1 == n)
				send_answer(i + 1 == n, sizeof(*found));
		}
		break;
	case ASK_LINES:
		symboliser_find_lines(request.addresses, n, elf, add_frame,
				      NULL);
		send_answer(true, sizeof(struct symboliser_frame));
		break;
	case ASK_MARKERS:
		answer_markers(&images);
		break;
	case ASK_SPOTS:
		if (rule_kind(request.words) == RULE_FUNCTIONS)
			symboliser_read_calls(request.words, request.count,
					      &images, put_bytes);
		else
			symboliser_read_spots(request.words, request.count,
					      &images, put_bytes);
		send_answer(true, 1);
		break;
	case ASK_LIBRARY:
		answer.unfit = symboliser_read_unfit(bytes, elf);
		answer_one(0, sizeof(answer.unfit));
		break;
	default:
		answer_one(symboliser_find_address(&answer.address,
						   request.name, elf),
			   sizeof(answer.address));
	}
	elf_end(elf);
	symboliser_files_close(&images);
}

void symboliser_load(void)
{
	void *library, *symbol;

	if (symboliser_libraries.lines)
		symboliser_load_lines();
	if (!symboliser_libraries.cxx)
		return;
	library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
	symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
	memcpy(&read_cxx, &symbol, sizeof(symbol));
}

void symboliser_serve(void)
{
	int fd, status;
	sigset_t set;
	char *text;
	ssize_t n;

	/* the parent's handler is not for this process */
	signal(SIGPROF, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGPROF);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	elf_version(EV_CURRENT);
	while ((n = child_receive(CHILD_SOCKET, &request, sizeof(request), &fd,
				  -1)) > 0 &&
	       symboliser_request_valid(&request, (size_t)n, fd >= 0)) {
		began = processor_time();
		limit_time(request.ms);
		if (fd >= 0) {
			serve_file(fd);
		} else {
			text = read_cxx ? read_cxx(request.name, NULL, NULL,
						   &status) : NULL;
			memset(&answer.text, 0, sizeof(answer.text));
			if (text) {
				answer.text.length = strlen(text);
				strncpy(answer.text.text, text,
					SYMBOLISER_CXX_BYTES - 1);
			}
			free(text);
			answer_one(0, sizeof(answer.text));
		}
		limit_time(0);
	}
}

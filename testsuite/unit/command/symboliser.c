/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The symboliser (command/symboliser/): this program's own names and lines, C++
 * names, files that make no sense or are cut, requests and answers that make
 * none. What ends the child ends nothing else.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "command/symboliser/protocol-private.h"
#include "testsuite/unit/command/elf-made.h"
#include "testsuite/unit/command/made.h"

#define SECOND	1000000000u

extern const char __executable_start[];

static volatile int sink;
static struct symboliser_file self;
static uint64_t shift;			/* of this program */

/* The two functions are one, and the line of the inner one is told by `where`.
 */
enum { INNER_LINE = __LINE__ + 9, CALL_LINE = __LINE__ + 17 };

__attribute__((noinline)) static void *called_from(void)
{
	return (char *)__builtin_return_address(0) - 1;
}

static inline __attribute__((always_inline)) void inlined_here(void **where)
{
	*where = called_from();
}

__attribute__((noinline)) static void *named_here(void)
{
	void *where;

	sink++;
	inlined_here(&where);
	sink++;
	return where;
}

static uint64_t own(const volatile void *address)
{
	return (uint64_t)(uintptr_t)address - shift;
}

static struct symboliser_file open_file(const char *path)
{
	struct symboliser_file file = { .fd = open(path,
						   O_RDONLY | O_CLOEXEC) };
	struct stat st;

	if (!fstat(file.fd, &st))
		file.bytes = (uint64_t)st.st_size;
	return file;
}

static void check_module(void)
{
	struct symboliser_module module;
	uint64_t ns = SECOND;

	self = open_file("/proc/self/exe");
	unit_equal(symboliser_module(&module, &self, &ns), 0, "this program");
	unit_check(module.nsegments > 1 && module.nsegments < 16,
		   "its segments");
	shift = (uint64_t)(uintptr_t)__executable_start -
		module.segments[0].address;
	unit_check(ns < SECOND && ns > SECOND / 4, "it took some time");
	unit_check(symboliser_needs(&module, "libc.so"), "it needs libc");
	unit_check(!module.library && *module.interpreter == '/',
		   "it is a program");
	ns = 0;
	unit_equal(symboliser_module(&module, &self, &ns), -ETIMEDOUT,
		   "no time is left");
}

static int by_value(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

static void check_names(void)
{
	static uint64_t many[SYMBOLISER_ADDRESSES_MAX + 1];
	static struct symboliser_symbol symbols[SYMBOLISER_ADDRESSES_MAX];
	uint64_t addresses[] = { own((void *)named_here),
				 own((char *)named_here + 1), own(&sink),
				 own((void *)check_module) };
	uint64_t at = addresses[0], ns = SECOND;
	size_t n = sizeof(addresses) / sizeof(addresses[0]);

	qsort(addresses, n, sizeof(*addresses), by_value);
	unit_equal(symboliser_names(symbols, addresses, n, &self, &ns), 0,
		   "names");
	for (size_t i = 0; i < n; i++) {
		if (addresses[i] == at || addresses[i] == at + 1) {
			unit_equal_string(symbols[i].name, "named_here",
					  "a function's name");
			unit_equal((long long)symbols[i].before,
				   (long long)(addresses[i] - at),
				   "the distance from its beginning");
		}
		if (addresses[i] == own(&sink))
			unit_equal_string(symbols[i].name, "sink",
					  "a name of data");
	}
	for (size_t i = 0; i < SYMBOLISER_ADDRESSES_MAX; i++)
		many[i] = at + i;
	unit_equal(symboliser_names(symbols, many, SYMBOLISER_ADDRESSES_MAX,
				    &self, &ns), 0, "all that may be asked");
	unit_equal_string(symbols[0].name, "named_here", "the first of them");
	unit_equal(symboliser_names(symbols, many,
				    SYMBOLISER_ADDRESSES_MAX + 1, &self, &ns),
		   -E2BIG, "one more");
	many[1] = many[0];
	unit_equal(symboliser_names(symbols, many, 2, &self, &ns), -EPIPE,
		   "addresses that are not in order");
	unit_equal((long long)ns, 0, "a child that ends takes all time");
	ns = SECOND;
	unit_equal(symboliser_names(symbols, many, 1, &self, &ns), 0,
		   "another child answers");
	unit_equal_string(symbols[0].name, "named_here", "with the name");
	many[0] = UINT64_MAX;
	unit_equal(symboliser_names(symbols, many, 1, &self, &ns), 0,
		   "an address that is nowhere");
	unit_equal(symbols[0].rank, 0, "it has no name");
}

/* Returns whether a text ends so. */
static bool ends_so(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

static void check_lines(void)
{
	const uint64_t addresses[] = { own(named_here()), UINT64_MAX };
	const char *file = "unit/command/symboliser.c";
	struct symboliser_frame frames[4];
	uint64_t ns = SECOND;
	size_t n = 0;
	int ret = symboliser_lines(frames, 4, &n, addresses, 2, &self, &ns);

	unit_equal(ret, 0, "lines");
	if (!n) {
		unit_skip("lines", "the program has no DWARF");
		return;
	}
	unit_equal((long long)n, 2, "frames");
	unit_equal_string(frames[0].function, "inlined_here",
			  "the function that was inlined");
	unit_check(ends_so(frames[0].file, file), "its file");
	unit_equal(frames[0].line, INNER_LINE, "its line");
	unit_equal_string(frames[1].function, "named_here", "its caller");
	unit_check(ends_so(frames[1].file, file), "the caller's file");
	unit_equal(frames[1].line, CALL_LINE, "the call's line");
	unit_equal(symboliser_lines(frames, 1, &n, addresses, 1, &self, &ns),
		   -EPIPE, "no room for all frames");
	unit_equal((long long)n, 0, "no frame then");
}

static void check_cxx(void)
{
	static const struct {
		const char *name, *text;
	} rows[] = {
		{ "_ZN5store3getEi", "store::get(int)" },
		{ "_Z1fv", "f()" },
		{ "main", NULL },
		{ "_Z", NULL },
		{ "_ZN5store3getEi.cold", "store::get(int) [clone .cold]" },
		/* gcc 12 reads it without end */
		{ "_Z1fIXsrU", NULL },
		{ "_Z1gv", "g()" },
	};
	char longest[SYMBOLISER_LINKER_BYTES + 1];
	uint64_t ns = SECOND;
	size_t length;
	char *text;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		text = symboliser_cxx(rows[i].name, &length, &ns);
		unit_equal_string(text, rows[i].text, "C++ name %s",
				  rows[i].name);
		if (text)
			unit_equal((long long)length,
				   (long long)strlen(rows[i].text),
				   "C++ name %s: length", rows[i].name);
		free(text);
	}
	memset(longest, 'i', sizeof(longest));
	memcpy(longest, "_Z1f", 4);
	longest[sizeof(longest) - 1] = '\0';
	unit_check(!symboliser_cxx(longest, &length, &ns) && !length,
		   "a C++ name that is too long");
	text = symboliser_cxx(longest + 1, &length, &ns);
	unit_check(!text, "no C++ name");
	memcpy(longest + 1, "_Z1f", 4);
	text = symboliser_cxx(longest + 1, &length, &ns);
	unit_check(text && length > strlen(text), "the longest one is cut");
	free(text);
	unit_check(ns > SECOND / 4, "names that take long are not counted");
}

static struct elf_made made;

static void check_damaged(void)
{
	const char *path = made_path("file");
	struct symboliser_module module;
	struct symboliser_symbol symbol;
	struct symboliser_file file;
	const uint64_t address = own((void *)named_here);
	uint64_t ns = SECOND;

	made_file("file", "text\n");
	file = open_file(path);
	unit_equal(symboliser_module(&module, &file, &ns), -ENOEXEC, "a text");
	close(file.fd);
	made_file("file", "");
	file = open_file(path);
	unit_equal(symboliser_module(&module, &file, &ns), -ENOEXEC,
		   "an empty file");
	close(file.fd);
	elf_begin_file(&made);
	elf_segment(&made, PT_LOAD, 0x1000, 0x2000)->p_flags = PF_X;
	made.file.header.e_shoff = UINT64_MAX;
	made_bytes("file", &made.file, elf_bytes(&made));
	file = open_file(path);
	unit_equal(symboliser_module(&module, &file, &ns), 0,
		   "a file without sections");
	unit_check(module.nsegments == 1 && module.segments[0].code &&
		   module.segments[0].offset == 0x1000, "its segment");
	unit_equal(symboliser_names(&symbol, &address, 1, &file, &ns), 0,
		   "its names");
	unit_equal(symbol.rank, 0, "there is none");
	/* the file has fewer bytes than it had: the child is gone */
	file.bytes = 1 << 20;
	if (truncate(path, 0) || symboliser_module(&module, &file, &ns) !=
					 -EPIPE)
		unit_check(false, "a file that was cut");
	else
		unit_check(ns <= SECOND / 2, "a file that was cut takes all "
			   "that one may");
	close(file.fd);
	ns = SECOND;
	file = (struct symboliser_file){ .fd = self.fd,
					 .bytes = self.bytes / 2 };
	unit_equal(symboliser_names(&symbol, &address, 1, &file, &ns), 0,
		   "half of a program");
	unit_equal(symbol.rank, 0, "half of a program has no names");
	unit_equal(symboliser_names(&symbol, &address, 1, &self, &ns), 0,
		   "a whole one");
	unit_equal_string(symbol.name, "named_here", "a whole one has names");
}

/* A copy of this program that has more bytes than a child has memory. */
static void check_large(void)
{
	const uint64_t address = own((void *)named_here);
	struct symboliser_symbol symbol = { 0 };
	struct symboliser_file file;
	uint64_t ns = SECOND, at = 0;
	char bytes[4096];
	ssize_t n;

	file.fd = open(made_path("large"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	while ((n = pread(self.fd, bytes, sizeof(bytes), (off_t)at)) > 0 &&
	       pwrite(file.fd, bytes, (size_t)n, (off_t)at) == n)
		at += (uint64_t)n;
	file.bytes = 5ull << 30;
	if (ftruncate(file.fd, (off_t)file.bytes)) {
		unit_skip("a large file", "none can be made");
	} else {
		unit_equal(symboliser_names(&symbol, &address, 1, &file, &ns),
			   0, "a file of 5 GiB");
		unit_equal_string(symbol.name, "named_here",
				  "a file of 5 GiB has names");
		unit_equal(symboliser_names(&symbol, &address, 1, &self, &ns),
			   0, "and a small one after it");
	}
	close(file.fd);
}

static void check_more(void)
{
	struct symboliser_more more = { .bytes = 1, .kind = FILE_SPLIT,
					.name = "a.dwo" };

	unit_check(symboliser_more_valid(&more, sizeof(more)), "a second file");
	unit_check(!symboliser_more_valid(&more, sizeof(more) - 1),
		   "one that is cut");
	more.kind = FILE_OWN;
	unit_check(!symboliser_more_valid(&more, sizeof(more)),
		   "one of no kind");
	more.kind = FILE_KINDS;
	unit_check(!symboliser_more_valid(&more, sizeof(more)),
		   "one of an unknown kind");
	more.kind = FILE_SPLIT;
	memset(more.name, 'a', sizeof(more.name));
	unit_check(!symboliser_more_valid(&more, sizeof(more)),
		   "a name without an end");
}

static void check_requests(void)
{
	static struct symboliser_request r;

	r = (struct symboliser_request){ .what = ASK_NAMES, .count = 2,
		.ms = 1, .addresses = { 1, 2 } };
	unit_check(symboliser_request_valid(&r, REQUEST_HEAD + 16, true),
		   "a request");
	unit_check(!symboliser_request_valid(&r, REQUEST_HEAD + 16, false),
		   "a request without a file");
	unit_check(!symboliser_request_valid(&r, REQUEST_HEAD + 15, true) &&
		   !symboliser_request_valid(&r, 3, true),
		   "a request that is cut");
	r.more = 1;
	unit_check(!symboliser_request_valid(&r, REQUEST_HEAD + 16, true),
		   "a request for names with a second file");
	r.more = 0;
	check_more();
	r.ms = 0;
	unit_check(!symboliser_request_valid(&r, REQUEST_HEAD + 16, true),
		   "a request without time");
	r.ms = 1;
	r.what = ASK_END;
	unit_check(!symboliser_request_valid(&r, REQUEST_HEAD + 16, true),
		   "a request of an unknown kind");
	r.what = ASK_CXX;
	r.count = 2;
	memcpy(r.name, "ab", 2);
	unit_check(!symboliser_request_valid(&r, REQUEST_HEAD + 2, false),
		   "a name that does not end");
}

static void check_answers(void)
{
	static struct symboliser_answer a;
	const size_t item = sizeof(a.symbols[0]);

	a = (struct symboliser_answer){ .what = ASK_NAMES, .count = 2 };
	unit_check(symboliser_answer_valid(&a, ANSWER_HEAD + 2 * item,
					   ASK_NAMES), "an answer");
	unit_check(!symboliser_answer_valid(&a, ANSWER_HEAD + item,
					    ASK_NAMES) &&
		   !symboliser_answer_valid(&a, 5, ASK_NAMES),
		   "an answer that is cut");
	unit_check(!symboliser_answer_valid(&a, ANSWER_HEAD + 2 * item,
					    ASK_LINES), "one to another");
	a.symbols[1].rank = 1;
	unit_check(!symboliser_answer_valid(&a, ANSWER_HEAD + 2 * item,
					    ASK_NAMES), "an empty name");
	memset(a.symbols[1].name, 'a', sizeof(a.symbols[1].name));
	unit_check(!symboliser_answer_valid(&a, ANSWER_HEAD + 2 * item,
					    ASK_NAMES),
		   "an answer's name that does not end");
	a = (struct symboliser_answer){ .what = ASK_LIBRARY, .count = 1,
					.last = 1, .unfit = UNFIT_NOTE };
	unit_check(symboliser_answer_valid(&a, ANSWER_HEAD + 8, ASK_LIBRARY),
		   "a library's answer");
	a.unfit = UNFIT_END;
	unit_check(!symboliser_answer_valid(&a, ANSWER_HEAD + 8, ASK_LIBRARY),
		   "a reason that there is not");
	a = (struct symboliser_answer){ .what = ASK_NAMES, .error = 1,
					.last = 1 };
	unit_check(!symboliser_answer_valid(&a, ANSWER_HEAD, ASK_NAMES),
		   "an error that is none");
	a.error = -EIO;
	unit_check(symboliser_answer_valid(&a, ANSWER_HEAD, ASK_NAMES),
		   "an error");
}

int main(void)
{
	made_open();
	check_module();
	check_names();
	check_lines();
	check_cxx();
	check_damaged();
	check_large();
	check_requests();
	check_answers();
	symboliser_end();
	made_close();
	return unit_end();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sites before every instruction that begins a source line of optimised code
 * (spots-load.c), and before every instruction: each is hit as often as a
 * debugger that steps comes there, all of them and some, and the code computes
 * the same while they are switched. So it is with sites that come one by one,
 * in any order, under threads and beside sites that are on: these miss no hit.
 * readelf tells where lines begin.
 *
 *	usdt-spots [ORDERS]: so many random orders of all instructions, 3 by
 *	default
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracepoints/program/patch.h"
#include "tracepoints/usdt/jumps/jumps.h"
#include "tracepoints/usdt/plan/calls.h"
#include "tracepoints/usdt/plan/debug.h"
#include "tracepoints/usdt/plan/image.h"

#define SPOTS_MAX	2048
#define ROUNDS		40	/* of the code that is stepped */
#define SHARE		98.0	/* % of them that can be had */
#define SHARE_LATER	80.0	/* the same of such as come one by one */
#define THREADS		3
#define SWITCHES	300
#define ORDERS		3
#define CODE_BYTES	0x8000u	/* of all lines, at most */

uint64_t spots_load(uint64_t rounds);
void __wrap_usdt_hit(struct usdt_spot *spot, const struct usdt_state *state);

/* The spots of lines, then those of instructions. */
static struct usdt_spot all_spots[2][SPOTS_MAX], *spots = all_spots[0];
static struct usdt_request requests[SPOTS_MAX];
static uint64_t hits[SPOTS_MAX], steps[SPOTS_MAX], wrong_rsp;
static uint32_t count;
static uint64_t base;
static struct usdt_file file;

static uint64_t expected;	/* of the code */
static bool stepped;		/* how often a step came to each address from */
static uint64_t low;		/* this one on, without sites */
static uint64_t visits[CODE_BYTES];

/* Counts a hit, as the stubs call it. */
void __wrap_usdt_hit(struct usdt_spot *spot, const struct usdt_state *state)
{
	if (state->general[7] & 7)
		__atomic_fetch_add(&wrong_rsp, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&hits[spot - spots], 1, __ATOMIC_RELAXED);
}

static int base_find(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	base = info->dlpi_addr;
	return 1;
}

static int address_order(const void *a, const void *b)
{
	const struct usdt_spot *one = a, *other = b;

	return one->address < other->address ? -1 :
	       one->address > other->address;
}

/* Fills in the spots by the table of lines. Returns how many there are. */
static uint32_t lines_read(void)
{
	FILE *lines = popen("readelf --wide --debug-dump=decodedline "
			    "/proc/$PPID/exe 2>/dev/null", "r");
	uint32_t n = 0, kept = 0;
	char line[512], name[256], number[32];
	unsigned long at;

	while (lines && fgets(line, sizeof(line), lines) && n < SPOTS_MAX)
		if (sscanf(line, "%255s %31s %lx", name, number, &at) == 3 &&
		    strstr(name, "spots-load.c") && number[0] != '-' &&
		    strrchr(line, 'x') > strstr(line, "0x") + 1)
			spots[n++].address = base + at;
	if (lines)
		pclose(lines);
	qsort(spots, n, sizeof(*spots), address_order);
	for (uint32_t i = 0; i < n; i++)
		if (!kept || spots[kept - 1].address != spots[i].address)
			spots[kept++].address = spots[i].address;
	return kept;
}

/* Fills in the second spots: every instruction from the first line to the last
 * one. Returns how many there are. */
static uint32_t instructions_read(void)
{
	uint64_t at = spots[0].address - base, left;
	uint64_t end = spots[count - 1].address - base;
	struct usdt_decoded insn;
	struct usdt_image image;
	const uint8_t *bytes;
	uint32_t n = 0;

	if (usdt_image_open(&image, &file))
		return 0;
	for (spots = all_spots[1]; at <= end && n < SPOTS_MAX;) {
		bytes = usdt_image_at(&image, at, 1, PF_X, &left);
		if (!bytes ||
		    !usdt_decode(usdt_zydis(), bytes, left, at, &insn))
			return 0;
		if (!insn.padding)
			spots[n++].address = base + at;
		at += insn.length;
	}
	return n;
}

/* Steps through the code in a child, and counts how often it comes to each
 * address from the first spot to the last. Returns false if it cannot. */
static bool visits_count(void)
{
	struct user_regs_struct registers;
	pid_t child;
	int status;

	low = spots[0].address;
	if (spots[count - 1].address - low >= CODE_BYTES)
		return false;
	child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		spots_load(ROUNDS);
		_exit(0);
	}
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		if (ptrace(PTRACE_GETREGS, child, NULL, &registers))
			return false;
		if (registers.rip - low < CODE_BYTES)
			visits[registers.rip - low]++;
		if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL))
			return false;
	}
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Asks for a spot at a place of this file. */
static void request_make(struct usdt_request *request, struct usdt_spot *spot)
{
	*request = (struct usdt_request){
		.spot = spot, .target.offset = spot->address - base,
	};
	request->target.build_id = usdt_build_id(&file, &request->target.bytes);
}

/* Switches the spots i with i % every == which on or off. Returns how many were
 * refused. */
static uint32_t spots_switch(uint32_t every, uint32_t which, int on)
{
	struct patcher patcher;
	uint32_t refused = 0;

	patch_open(&patcher);
	for (uint32_t i = which; i < count; i += every)
		if (!requests[i].why)
			usdt_place_switch(&patcher, &spots[i], on);
	patch_close(&patcher);
	for (uint32_t i = which; i < count; i += every)
		refused += !requests[i].why && spots[i].refused;
	return refused;
}

/* Runs the code, and checks each count of the spots that are on. */
static void hits_check(uint32_t every, uint32_t which, const char *name,
		       const char *some)
{
	uint32_t wrong = 0, hit = 0;
	char full[64];

	snprintf(full, sizeof(full), "%s: %s", name, some);
	memset(hits, 0, sizeof(hits));
	unit_equal(spots_switch(every, which, 1), 0, "%s: on", full);
	unit_check(spots_load(ROUNDS) == expected, "%s: the same", full);
	unit_equal(spots_switch(every, which, 0), 0, "%s: off", full);
	for (uint32_t i = 0; i < count; i++) {
		bool on = i % every == which && !requests[i].why;

		hit += hits[i] > 0;
		if (hits[i] == (on ? steps[i] : 0))
			continue;
		printf("# spot %u at %#lx: %lu hits, %lu steps\n", i,
		       (unsigned long)(spots[i].address - base),
		       (unsigned long)hits[i], (unsigned long)steps[i]);
		wrong++;
	}
	unit_equal(wrong, 0, "%s: as often as a step comes there", full);
	unit_check(hit > 0, "%s: some are hit", full);
}

static int stopped, wrong_sums;
static uint32_t runs;

static void *thread_work(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&stopped, __ATOMIC_RELAXED)) {
		if (spots_load(ROUNDS) != expected)
			__atomic_fetch_add(&wrong_sums, 1, __ATOMIC_RELAXED);
		__atomic_fetch_add(&runs, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* Switches some spots after others under threads that run the code. */
static void switches_check(const char *name)
{
	pthread_t threads[THREADS];
	uint32_t refused = 0;
	uint64_t all = 0;

	stopped = 0;
	memset(hits, 0, sizeof(hits));
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread_work, NULL);
	for (uint32_t i = 0; i < SWITCHES; i++) {
		uint32_t every = i % 7 + 1;

		refused += spots_switch(every, i % every, !(i % 3));
	}
	spots_switch(1, 0, 1);
	__atomic_store_n(&stopped, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	spots_switch(1, 0, 0);
	for (uint32_t i = 0; i < count; i++)
		all += hits[i];
	unit_equal(refused, 0, "%s: switched under threads", name);
	unit_equal(wrong_sums, 0, "%s: under threads: the same", name);
	unit_check(all > 0, "%s: under threads: hits", name);
}

/* Gives all back. */
static void spots_give(void)
{
	struct patcher patcher;

	patch_open(&patcher);
	for (uint32_t i = 0; i < count; i++)
		if (!requests[i].why)
			usdt_spot_give(&patcher, &spots[i]);
	patch_close(&patcher);
	unit_check(spots_load(ROUNDS) == expected, "all given back: the same");
}

/* Spots that were given back make room for others. */
static void giving_check(void)
{
	static struct usdt_spot others[1];
	struct usdt_request again[1];
	struct patcher patcher;
	struct index taken = { 0 };
	uint8_t id[USDT_BUILD_ID_MAX];
	uint32_t i = 0;

	while (requests[i].why || !steps[i])
		i++;
	others[0].address = spots[i].address;
	request_make(again, others);
	memcpy(id, again->target.build_id, again->target.bytes);
	id[again->target.bytes - 1] ^= 1;
	again->target.build_id = id;
	patch_open(&patcher);
	unit_equal(usdt_spots_place(&file, base, again, 1, NULL, &patcher),
		   -ESTALE, "a place in another file");
	patch_close(&patcher);
	request_make(again, others);
	usdt_bytes_take(&taken, spots[i].address, 1);
	patch_open(&patcher);
	unit_equal(usdt_spots_place(&file, base, again, 1, &taken, &patcher), 0,
		   "a place that is taken");
	unit_equal(again[0].why, USDT_OVERLAPS, "why not");
	patch_close(&patcher);
	index_clear(&taken);
	spots_give();
	patch_open(&patcher);
	unit_equal(usdt_spots_place(&file, base, again, 1, NULL, &patcher), 1,
		   "a place that was given back");
	patch_close(&patcher);
	unit_equal(again[0].why, 0, "it is had");
	unit_equal(usdt_spot_regain(&spots[i]), USDT_OVERLAPS,
		   "the one before does not get it back");
	patch_open(&patcher);
	unit_equal(usdt_place_switch(&patcher, &spots[i], 1), 0,
		   "and is not switched");
	usdt_spot_give(&patcher, &others[0]);
	patch_close(&patcher);
	unit_equal(spots[i].refused, USDT_OVERLAPS, "why it is not");
	unit_equal(usdt_spot_regain(&spots[i]), 0, "it gets it back");
	patch_open(&patcher);
	usdt_spot_give(&patcher, &spots[i]);
	patch_close(&patcher);
}

/* Places all spots, and checks their hits. */
static void spots_check(const char *name)
{
	struct patcher patcher;
	int placed;

	for (uint32_t i = 0; i < count; i++)
		request_make(&requests[i], &spots[i]);
	for (uint32_t i = 0; i < count; i++)
		steps[i] = visits[spots[i].address - low];
	unit_check(stepped, "%s: the code is stepped", name);
	patch_open(&patcher);
	placed = usdt_spots_place(&file, base, requests, count, NULL,
				  &patcher);
	patch_close(&patcher);
	printf("# %d of %u %s, %.2f %%\n", placed, count, name,
	       placed * 100.0 / count);
	for (uint32_t i = 0; i < count; i++)
		if (requests[i].why)
			printf("# %#lx: %d %s\n",
			       (unsigned long)(spots[i].address - base),
			       requests[i].why,
			       requests[i].why > 0 ?
				       usdt_reason_text((enum usdt_reason)
							requests[i].why) : "");
	unit_check(placed * 100.0 >= count * SHARE, "%s: can be had", name);
	unit_check(spots_load(ROUNDS) == expected, "%s: off: the same", name);
	hits_check(1, 0, name, "all");
	hits_check(2, 1, name, "each second");
	hits_check(3, 0, name, "each third");
	hits_check(count, count / 2, name, "one");
	switches_check(name);
	hits_check(1, 0, name, "all again");
	unit_equal(wrong_rsp, 0, "%s: stack pointers", name);
}

/* Places a spot, and switches it on or not. Returns false if it is refused. */
static bool spot_come(uint32_t i, bool on)
{
	struct patcher patcher;

	patch_open(&patcher);
	usdt_spots_place(&file, base, &requests[i], 1, NULL, &patcher);
	if (!requests[i].why && on)
		usdt_place_switch(&patcher, &spots[i], 1);
	patch_close(&patcher);
	return requests[i].why || !spots[i].refused;
}

/* Places the spots one by one in a random order, under threads that run the
 * code. The first ones are on, and miss no hit. */
static void later_check(const char *name)
{
	uint32_t order[SPOTS_MAX], refused = 0, placed = 0, missed = 0;
	uint32_t first = count / 8;
	pthread_t threads[THREADS];
	struct usdt_spot *old = spots;

	/* those that were given back stay */
	spots = calloc(count, sizeof(*spots));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t k = (uint32_t)random() % (i + 1);

		order[i] = order[k];
		order[k] = i;
		spots[i].address = old[i].address;
		request_make(&requests[i], &spots[i]);
	}
	for (uint32_t i = 0; i < first; i++)
		refused += !spot_come(order[i], true);
	memset(hits, 0, sizeof(hits));
	stopped = 0;
	runs = 0;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, thread_work, NULL);
	for (uint32_t i = first; i < count; i++)
		refused += !spot_come(order[i], random() % 2);
	__atomic_store_n(&stopped, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t k = order[i];

		placed += !requests[k].why;
		if (i >= first || requests[k].why || hits[k] == steps[k] * runs)
			continue;
		printf("# spot %u at %#lx: %lu hits, not %lu\n", k,
		       (unsigned long)(spots[k].address - base),
		       (unsigned long)hits[k], (unsigned long)steps[k] * runs);
		missed++;
	}
	printf("# %u of %u %s, one by one, %.2f %%, %u runs\n", placed, count,
	       name, placed * 100.0 / count, runs);
	unit_check(placed * 100.0 >= count * SHARE_LATER,
		   "%s: one by one: can be had", name);
	unit_equal(refused, 0, "%s: one by one: switched", name);
	unit_equal(wrong_sums, 0, "%s: one by one: the same", name);
	unit_check(runs > 0, "%s: one by one: threads run", name);
	unit_equal(missed, 0, "%s: one by one: no hit is missing", name);
	spots_switch(1, 0, 0);
	hits_check(1, 0, name, "one by one");
	hits_check(2, 1, name, "one by one, each second");
	switches_check(name);
	spots_give();
}

/* Root, too, gets no page that a null pointer leads to. */
static void low_check(void)
{
	unit_equal(usdt_page_take(0), -EADDRINUSE, "the first page");
	unit_equal(usdt_page_take(0x80000), -EADDRINUSE, "a page below 1 MiB");
}

int main(int argc, char **argv)
{
	int orders = argc > 1 ? atoi(argv[1]) : ORDERS;
	struct stat st;
	int fd;

	if (UNIT_SANITIZED || !usdt_place_decoder()) {
		puts("UNSUPPORTED: spots: a build without libzydis-dev, or with a sanitizer");
		return unit_end();
	}
	low_check();
	dl_iterate_phdr(base_find, NULL);
	count = lines_read();
	if (!count) {
		puts("UNSUPPORTED: spots: readelf tells no lines");
		return unit_end();
	}
	fd = open("/proc/self/exe", O_RDONLY);
	fstat(fd, &st);
	file.size = (uint64_t)st.st_size;
	file.bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
	expected = spots_load(ROUNDS);
	patch_setup();
	patch_flush = usdt_place_flush;
	unit_check(count > 50, "lines");
	stepped = visits_count();
	spots_check("lines");
	giving_check();
	later_check("lines");
	spots = all_spots[0];
	count = instructions_read();
	unit_check(count > 300, "instructions");
	spots_check("instructions");
	spots_give();
	for (int i = 0; i < orders; i++)
		later_check("instructions");
	return unit_end();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writer records: a thread is stopped at each instruction of each way to write
 * one, another thread writes into the same ring there, and the first one goes
 * on. Each event must then be its writer's. And what else could make an event
 * another thread's: stale content, a fork, a packet without a record.
 *
 *	writer-steps [all]: all: at each instruction, not in sections alone
 *
 * The program's text has breakpoints only while one thread runs. A thread that
 * a breakpoint stops in a section is sent back, as by any signal.
 */
#include "testsuite/unit/expect.h"
#include "testsuite/unit/buffers/tracee.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/prctl.h>

#include "base/sys.h"
#include "buffers/clock.h"
#include "buffers/cursor.h"
#include "buffers/reader/reader.h"
#include "buffers/writers/pieces-x86_64.h"
#include "buffers/writers/private.h"

#define STEPS_RING	(32u << 10)
#define OTHERS		1000000u	/* numbers of the other thread's */
#define SPINS		200000000

static struct report {
	volatile uint32_t self, other;	/* threads */
	volatile uint32_t order;	/* events that the other one writes */
	volatile uint32_t made;		/* by both, but for the last one */
} *report;

static struct text_map text;
static struct write_slot slot;
static const struct write_shape shape = { .fixed_bytes = 8 };
static uint32_t flags;
static uint32_t before;			/* events of the other thread */
static int alone;			/* it writes none at the stop */

static void write_number(uint64_t number)
{
	slot.hit(&slot, number, NULL);
}

/* The other thread: writes as many events as it is told to. */
static void *other_run(void *none)
{
	uint32_t n = 0;

	report->other = (uint32_t)sys_gettid();
	for (;;) {
		/* in libc: the text here has breakpoints meanwhile */
		while (!report->order)
			syscall(SYS_futex, &report->order, FUTEX_WAIT, 0, NULL,
				NULL, 0);
		while (n < before || report->order) {
			write_number(OTHERS + n++);
			report->made++;
			if (n >= before)
				report->order = 0;
		}
	}
	return none;
}

static void channel_begin(void)
{
	if (bed_open(NULL, 1) ||
	    channel_create(channel, 0, "steps", flags, CONTEXT_WRITER,
			   STEPS_RING, bed.cpus))
		_exit(1);
	channel_expect(channel, bed.first_locked);
	channel_start(channel, bed.first_locked);
	bed_slot(&slot, &shape);
	bed_slot_on(&slot, channel, 1);
}

static void be_child(void)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	channel_begin();
	report->self = (uint32_t)sys_gettid();
	report->order = 1;
	if (pthread_create(&thread, NULL, other_run, NULL))
		_exit(1);
	while (report->order)
		sched_yield();
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(1);
	raise(SIGSTOP);
	write_number(7);
	raise(SIGSTOP);
	_exit(1);
}

/* Found in the rings. */
static struct {
	uint32_t events;
	uint32_t mine;
	uint32_t wrong;
	uint32_t bare;			/* packets that begin with an event */
} sum;

static int judge_packet(const struct packet *packet, void *priv)
{
	struct cursor c = {
		.p = packet->events,
		.end = (const uint8_t *)packet->events + packet->event_bytes,
		.clock = packet->head.timestamp_begin,
	};
	struct writer_record writer = { .vtid = 0 };
	uint64_t number;

	(void)priv;
	while (c.p < c.end) {
		if (cursor_header(&c, CURSOR_WIDE))
			return -EBADMSG;
		if (c.id == WRITER_ID) {
			memcpy(&writer, c.p, sizeof(writer));
			c.p += sizeof(writer);
			continue;
		}
		memcpy(&number, c.p, sizeof(number));
		c.p += sizeof(number);
		sum.events++;
		sum.mine += number == 7;
		sum.bare += !writer.vtid;
		sum.wrong += writer.vtid != (number == 7 ? report->self :
							   report->other);
	}
	return 0;
}

static struct event_shape shapes[BED_WIDE_ID + 2] = {
	[1] = { { 8 }, 1, 0 },
	[WRITER_ID] = { { sizeof(struct writer_record) }, 1, 0 },
	[BED_WIDE_ID + 1] = { { 8 }, 1, 0 },
};

/* A packet whose first event has no record before it. */
static void test_nameless(void)
{
	struct packet_format format = {
		.shapes = shapes, .nshapes = ARRAY_SIZE(shapes),
		.kind = CURSOR_WIDE, .writers = true,
	};
	unsigned char bytes[12 + 18 + 12] = { 1, [12] = 30, [16] = 30,
					      [30] = 1 };
	struct packet_walk walk;

	unit_equal(packet_walk(&format, 0, bytes, sizeof(bytes), &walk), 0,
		   "a packet without a first record");
	unit_equal((long long)walk.count, 2, "its events");
	unit_equal((long long)walk.records, 1, "its records");
	unit_equal((long long)walk.nameless, 1, "events before the first");
}

static int judge_ring(const char *name, void *priv)
{
	struct packet_format format = {
		.shapes = shapes, .nshapes = ARRAY_SIZE(shapes),
		.writers = true,
		.kind = CURSOR_WIDE,
	};
	struct ring_reader ring;
	struct ring_copy copy;
	int ret = ring_open(&ring, *(int *)priv, 0, name, false);

	if (ret)
		return ret == -EAGAIN ? 0 : ret;
	ret = ring_copy_make(&copy, &ring);
	if (ret > 0) {
		ret = ring_copy_each(&copy, &format, judge_packet, NULL);
		ring_copy_free(&copy);
	}
	ring_close(&ring);
	return ret;
}

static int judge(pid_t pid)
{
	char path[BED_PATH_BYTES];
	int image;
	int ret;

	memset(&sum, 0, sizeof(sum));
	snprintf(path, sizeof(path), "/dev/shm/taffrail-stress-%d/0", pid);
	image = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ret = rings_each(image, 0, judge_ring, &image);
	close(image);
	return ret ? ret : sum.wrong ? -EILSEQ :
	       sum.events != report->made + 1 || sum.mine != 1 ? -ENODATA : 0;
}

/* Waits until the other thread sleeps: it then executes nothing of the text. */
static void other_sleeps(pid_t pid)
{
	char path[64], line[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%u/stat", pid,
		 report->other);
	while (!strstr(line, ") S ")) {
		file = fopen(path, "re");
		if (!file || !fgets(line, sizeof(line), file))
			abort();
		fclose(file);
		sched_yield();
	}
}

/* Returns 0 when the other thread has done its work. */
static int other_writes(void)
{
	long spins = 0;

	report->order = 1;
	syscall(SYS_futex, &report->order, FUTEX_WAKE, 1, NULL, NULL, 0);
	while (report->order && spins++ < SPINS)
		sched_yield();
	return !!report->order;
}

static void remove_child(pid_t pid)
{
	char path[BED_PATH_BYTES];

	tracee_kill(pid);
	snprintf(path, sizeof(path), "/dev/shm/taffrail-stress-%d", pid);
	bed_clear(path);
}

extern const uint64_t __start_taffrail_rseq_cs[][4]
	__attribute__((visibility("hidden")));
extern const uint64_t __stop_taffrail_rseq_cs[][4]
	__attribute__((visibility("hidden")));

/* Marks all instructions outside sections as known. A struct rseq_cs has the
 * begin and the length as its second and third word. */
static void known_make(uint8_t *known, int all)
{
	const uint64_t(*cs)[4] = __start_taffrail_rseq_cs;

	memset(known, !all, text.bytes);
	for (; !all && cs < __stop_taffrail_rseq_cs; cs++)
		memset(known + ((*cs)[1] - (uintptr_t)text.start), 0, (*cs)[2]);
}

/* Stops a child at the first instruction where none was stopped before. Returns
 * 0 when it came to its end without such an instruction. */
static int stop_next(uint8_t *known, uint8_t *mined, int *bad)
{
	enum tracee_stop stop;
	uint64_t at = 0;
	int memory, ret;
	size_t i;
	pid_t pid;

	memset(report, 0, sizeof(*report));
	pid = fork();
	if (!pid)
		be_child();
	if (tracee_wait(pid, &at) != TRACEE_STOPPED)
		abort();
	memory = tracee_memory(pid);
	other_sleeps(pid);
	for (i = 0; i < text.bytes; i++)
		mined[i] = text.begins[i] && !known[i] ? INT3 : text.start[i];
	if (tracee_poke(memory, text.start, mined, text.bytes))
		abort();
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	stop = tracee_wait(pid, &at);
	if (tracee_poke(memory, text.start, text.start, text.bytes))
		abort();
	i = at - 1 - (uintptr_t)text.start;
	if (stop == TRACEE_TRAP) {
		struct user_regs_struct registers;

		known[i] = 1;
		if (!alone && other_writes())
			abort();
		ptrace(PTRACE_GETREGS, pid, NULL, &registers);
		registers.rip = at - 1;
		ptrace(PTRACE_SETREGS, pid, NULL, &registers);
		ptrace(PTRACE_CONT, pid, NULL, NULL);
		if (tracee_wait(pid, &at) != TRACEE_STOPPED)
			abort();
		ret = judge(pid);
		if (ret && !(*bad)++)
			printf("# stopped at text + %#zx: %s, %u wrong\n", i,
			       strerror(-ret), sum.wrong);
	}
	close(memory);
	remove_child(pid);
	return stop == TRACEE_TRAP;
}

/* `fill`: the other thread's first events fill the packet but for `left`
 * bytes, so the last event needs a switch. */
static void test_steps(const char *name, uint32_t first, uint32_t wide,
		       int all)
{
	uint8_t *known = malloc(text.bytes);
	uint8_t *mined = malloc(text.bytes);
	uint32_t stops = 0;
	int bad = 0;

	if (!known || !mined)
		abort();
	before = first;
	flags = wide;
	known_make(known, all);
	while (stop_next(known, mined, &bad))
		stops++;
	printf("# ran: %u\n", stops);
	unit_check(!bad && stops > 60, "%s: stopped at each instruction", name);
	free(known);
	free(mined);
}

/* In a child: what a section must refuse, and what a fork changes. */
static int hole_child(int (*fn)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		flags = 0;
		before = 0;
		channel_begin();
		status = fn();
		bed_close();
		_exit(status);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       !WEXITSTATUS(status);
}

/* The content was made for another process: nothing is written. */
static int hole_content(void)
{
	struct writer writer = {
		.generation = channel->rings->generation,
	};
	struct ring *ring = ring_here();
	uint64_t head;

	write_number(1);
	head = ring->head;
	writer_fill(&writer, channel);
	/* as a handler would leave it that forked, in the child */
	channel->rings->base += 1ull << 32;
	if (section_writer(&slot, WRITE_COMPACT, &writer, 100) != WRITE_AGAIN ||
	    ring->head != head)
		return 1;
	write_number(2);
	return ring->writer >> 32 != channel->rings->base >> 32 ||
	       ring_records(ring->records, ring->head) != 2;
}

/* A switch, by any thread, leaves a packet without a writer. */
static int hole_switch(void)
{
	struct ring *ring = ring_here();

	write_number(1);
	if (!ring->writer)
		return 1;
	if (section_switch(&slot, WRITE_COMPACT, ring->sub_bytes) !=
	    WRITE_FITS)
		return 2;
	if (ring->writer)
		return 3;
	write_number(2);
	return ring_records(ring->records, ring->head) != 2 || !ring->writer;
}

/* An event that fits an empty packet, but not behind a record: it is lost, and
 * counted, and the writer does not go round for ever. */
static int hole_large(void)
{
	static unsigned char bytes[STEPS_RING];
	static uint64_t oversize, *counts[CHANNELS_MAX] = { &oversize };
	static struct write_shape large = {
		.nvar = 1,
		.var = { { .element_bytes = 1 } },
		.oversize = counts,
	};
	struct ring *ring = ring_here();
	uint32_t fits = ring->sub_bytes - PACKET_HEAD_BYTES - 1 - 4 - 4;
	struct write_var var = { bytes, 0 };
	struct write_slot other;
	uint32_t n;

	bed_slot(&other, &large);
	bed_slot_on(&other, channel, 1);
	for (n = fits - 60; n <= fits + 10; n++) {
		uint64_t events = RING_EVENTS(ring->head);
		uint64_t lost = ring->lost;

		var.n = n;
		other.hit(&other, 0, &var);
		if (RING_EVENTS(ring->head) - events + ring->lost - lost != 1)
			return 1;
		/* a reader takes all */
		ring->tail = RING_POSITION(ring->head) &
			     ~(uint64_t)(ring->sub_bytes - 1);
		if (n < fits - WRITER_BYTES_MAX && ring->lost)
			return 2;
	}
	return !ring->lost || ring->lost != oversize;
}

/* A record that was left in the middle does not count. */
static int hole_count(void)
{
	struct ring *ring = ring_here();
	uint64_t end;

	write_number(1);
	/* as if it had been left before the store of head, word cleared */
	end = RING_POSITION(ring->head) + 16;
	ring->records = 2ull << 32 | end;
	ring->writer = 0;
	if (ring_records(ring->records, ring->head) != 1)
		return 1;
	write_number(2);
	if (ring_records(ring->records, ring->head) != 2)
		return 2;
	ring->records = 3ull << 32 | (RING_POSITION(ring->head) + 16);
	ring->writer = 0;
	section_switch(&slot, WRITE_COMPACT, ring->sub_bytes);
	return ring_records(ring->records, ring->head) != 2;
}

/* A thread without a number never is the writer of a ring that has none. */
static int hole_number(void)
{
	return !(channel->rings->base >> 32) || (uint32_t)channel->rings->base;
}

int main(int argc, char **argv)
{
	int all = argc > 1 && !strcmp(argv[1], "all");
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
	report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	test_nameless();
	if (!write_rseq_test()) {
		unit_skip("rseq", "no rseq");
		return unit_end();
	}
	unit_check(hole_child(hole_content), "content of another process");
	unit_check(hole_child(hole_switch), "a switch clears the writer");
	unit_check(hole_child(hole_large), "events larger than a packet's rest");
	unit_check(hole_child(hole_count), "a record that was not written");
	unit_check(hole_child(hole_number), "a base is never 0");
	if (UNIT_SANITIZED || text_open(&text)) {
		unit_skip("instructions", "a sanitizer's, or no libZydis");
		return unit_end();
	}
	/* measured once, and not in each child */
	clock_select(NULL);
	clock_settle(0);
	test_steps("record", 1, 0, all);
	alone = 1;
	test_steps("record, sent back", 1, 0, all);
	alone = 0;
	test_steps("record, wide header", 1, BED_WIDE, all);
	/* 3,992 bytes: a record of 25, a first event of 12 */
	test_steps("switch", (4096 - PACKET_HEAD_BYTES - 25) / 12, 0, all);
	return unit_end();
}

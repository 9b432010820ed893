/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A writer that is killed at each instruction of each way to write that may
 * store: between two of those, nothing that it leaves changes. Its rings must
 * then hold every event before, the last one wholly or not at all, and nothing
 * else. Where the rings are shared, another process then goes on in them, and
 * must lose nothing.
 *
 *	kill-steps [EVERY [WORD]]: every EVERYth way only, 4 by default; with
 *	WORD, those that begin so
 *
 * Breakpoints on these find those of a way: the next child is killed at the
 * first one where no child was killed before. The kernel sends a thread that
 * stops in a section back to the section's beginning. So the test also takes
 * the way of a thread that is sent back each time, and at last writes to a
 * locked ring. A thread that a debugger steps takes that way, too: there, the
 * rings are read after every step that may have written to them.
 */
#include "testsuite/unit/expect.h"
#include "testsuite/unit/buffers/tracee.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/prctl.h>

#include "base/sys.h"
#include "buffers/clock.h"
#include "buffers/ctf.h"
#include "buffers/reader/reader.h"
#include "buffers/writers/pieces-x86_64.h"

#define STEPS_MAX	20000
#define BEFORE_MAX	8000
#define STEPS_RING	(32u << 10)
#define TEXT_BYTES	40

/* The moment of the event that the test looks at. */
enum moment {
	THIRD,		/* with nothing special */
	FIRST,		/* when there is no ring yet */
	SWITCH,		/* when the packet is full */
	LAPPED,		/* the same, in a ring that has been lapped */
	FULL,		/* when the ring is full, and the others are held */
	ELSEWHERE,	/* when the ring is full, and another is not */
	LATE,		/* when the header's clock does not reach */
};

struct way {
	const char *name;
	enum moment moment;
	uint32_t flags;
	uint32_t contexts;
	uint32_t id;
	struct write_shape shape;
};

/* In `contexts`: another thread has written all events before. */
#define BY_OTHER	(1u << 31)
#define OTHER		(CONTEXT_WRITER | BY_OTHER)
#define CONTEXTS	(way->contexts & ~BY_OTHER)

#define SURVIVOR_EVENTS	3
#define IDS		70000	/* more than a wide header has */

#define BLOCK(n)	{ .fixed_bytes = (n) }
#define STRING		{ .fixed_bytes = 8, .nvar = 1, \
			  .var = { { .fixed_before = 8 } } }
#define SHORTS		{ .fixed_bytes = 8, .nvar = 1, \
			  .var = { { .fixed_before = 8, .element_bytes = 2 } } }
#define BOTH		{ .fixed_bytes = 8, .nvar = 2, \
			  .var = { { .fixed_before = 8 }, \
				   { .fixed_before = 8, .element_bytes = 2 } } }

static const struct way ways[] = {
	{ "word", THIRD, 0, 0, 1, BLOCK(8) },
	{ "word, wide header", THIRD, 0, 0, 1000, BLOCK(8) },
	{ "block of 16", THIRD, 0, 0, 1, BLOCK(16) },
	{ "block of 60", THIRD, 0, 0, 1, BLOCK(60) },
	{ "block of 250", THIRD, 0, 0, 1, BLOCK(250) },
	{ "block of 300", THIRD, 0, 0, 1, BLOCK(300) },
	{ "string", THIRD, 0, 0, 1, STRING },
	{ "sequence", THIRD, 0, 0, 1, SHORTS },
	{ "both", THIRD, 0, 0, 1, BOTH },
	{ "contexts", THIRD, 0, 31, 1, BLOCK(8) },
	{ "extended id", THIRD, 0, 0, IDS - 1, BLOCK(8) },
	{ "clock", LATE, 0, 0, 1, BLOCK(8) },
	{ "clock, wide header", LATE, 0, 0, 1000, BLOCK(60) },
	{ "first", FIRST, 0, 0, 1, BLOCK(8) },
	{ "switch", SWITCH, 0, 0, 1, BLOCK(8) },
	{ "switch, string", SWITCH, 0, 0, 1, STRING },
	{ "elsewhere, both", ELSEWHERE, 0, 0, 1, BOTH },
	{ "switch, wide header", SWITCH, 0, 0, 1000, BLOCK(60) },
	{ "lap", LAPPED, SESSION_OVERWRITE, 0, 1, BLOCK(8) },
	{ "lap, contexts", LAPPED, SESSION_OVERWRITE, 31, 1, BLOCK(60) },
	{ "full", FULL, 0, 0, 1, BLOCK(8) },
	{ "full, both", FULL, 0, 0, 1, BOTH },
	{ "elsewhere", ELSEWHERE, 0, 0, 1, BLOCK(8) },
	{ "record", THIRD, 0, OTHER, 1, BLOCK(8) },
	{ "record, wide header", THIRD, 0, OTHER, 1000, STRING },
	{ "record, clock", LATE, 0, OTHER, 1, BLOCK(8) },
	{ "record, first", FIRST, 0, CONTEXT_WRITER, 1, BLOCK(8) },
	{ "record, switch", SWITCH, 0, CONTEXT_WRITER, 1, BLOCK(8) },
	{ "record, switch, other", SWITCH, 0, OTHER, 1, BLOCK(60) },
	{ "record, lap", LAPPED, SESSION_OVERWRITE, OTHER, 1, SHORTS },
	{ "record, full", FULL, 0, OTHER, 1, BLOCK(8) },
	{ "record, elsewhere", ELSEWHERE, 0, CONTEXT_WRITER, 1, BLOCK(8) },
	{ "shared", THIRD, SESSION_SHARED, CONTEXT_WRITER, 1, BLOCK(8) },
	{ "shared, other", THIRD, SESSION_SHARED, OTHER, 1, BOTH },
	{ "shared, clock", LATE, SESSION_SHARED, OTHER, 1, BLOCK(8) },
	{ "shared, first", FIRST, SESSION_SHARED, CONTEXT_WRITER, 1, STRING },
	{ "shared, switch", SWITCH, SESSION_SHARED, OTHER, 1, BLOCK(60) },
	{ "shared, lap", LAPPED, SESSION_SHARED | SESSION_OVERWRITE, OTHER, 1,
	  SHORTS },
	{ "shared, full", FULL, SESSION_SHARED, OTHER, 1, BLOCK(8) },
	{ "shared, wide header", THIRD, SESSION_SHARED, OTHER, 1000, BLOCK(8) },
	{ "shared, wide, clock", LATE, SESSION_SHARED, OTHER, 1000, STRING },
	{ "shared, wide, switch", SWITCH, SESSION_SHARED, OTHER, 1000, SHORTS },
	{ "shared, extended id", THIRD, SESSION_SHARED, OTHER, IDS - 1,
	  BLOCK(8) },
};

/* The child's report. */
static struct report {
	volatile uint32_t cpus;
	volatile uint32_t before;	/* events, of a rehearsal */
	volatile int after;		/* the last one is written */
	volatile uint32_t self, other;	/* threads: of the last event, of those
					 * before it */
	volatile uint32_t survivor;	/* of the process that goes on; 0 */
} *report;

static struct text_map text;
static struct write_slot slot;
static int rseq;
static const struct way *way;

/* Makes event n: its number comes first, the rest is always the same. */
static void event_make(uint32_t n, unsigned char *fixed, struct write_var *var)
{
	static char string[TEXT_BYTES] = "the quick brown fox jumps over it";
	static uint16_t shorts[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	uint32_t i;

	memset(fixed, 0x5a, way->shape.fixed_bytes);
	memcpy(fixed, &n, sizeof(n));
	for (i = 0; i < way->shape.nvar; i++) {
		int sequence = !!way->shape.var[i].element_bytes;

		var[i].p = sequence ? (void *)shorts : string;
		var[i].n = sequence ? ARRAY_SIZE(shorts) : WRITE_STRING;
	}
}

static void write_one(uint32_t n)
{
	unsigned char fixed[512];
	struct write_var var[16];

	event_make(n, fixed, var);
	hit(&slot, fixed, var);
}

static void remove_files(pid_t pid);

/* The directory of shared rings that process `pid` has made. */
static void shared_path(char path[BED_PATH_BYTES], pid_t pid)
{
	snprintf(path, BED_PATH_BYTES, "/dev/shm/taffrail-stress-%d/1", pid);
}

static void child_share(void)
{
	char path[BED_PATH_BYTES];

	shared_path(path, getpid());
	if (mkdir(path, 0700) ||
	    shared_make(&channel->shared, path, process.page, "steps",
			way->flags, STEPS_RING, bed.cpus, false))
		_exit(1);
}

static void child_open(void)
{
	uint32_t k;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* of a run that was killed: it takes a third of all process ids */
	remove_files(getpid());
	if (bed_open(NULL, rseq))
		_exit(1);
	report->cpus = bed.cpus;
	if (way->flags & SESSION_SHARED)
		child_share();
	if (channel_create(channel, 0, "steps", way->flags, CONTEXTS,
			   STEPS_RING, bed.cpus))
		_exit(1);
	channel_expect(channel, bed.first_locked);
	if (way->moment == FIRST)
		channel_resume(channel);
	else
		channel_start(channel, bed.first_locked);
	if (channel->page->roomless)
		_exit(1);
	for (k = 0; !bed.cpus && way->moment == FULL &&
		    k < channel->locked_max; k++)
		if (channel->locked[k] != ring_here())
			channel->locks[k].holder = *fork_mark;
	bed_slot(&slot, &way->shape);
	bed_slot_on(&slot, channel, way->id);
}

/* Returns 1 when the event just written was the one at the moment. */
static int is_moment(uint32_t n, const struct ring *ring, uint32_t packet)
{
	uint32_t now = RING_POSITION(ring->head) / ring->sub_bytes;

	switch (way->moment) {
	case SWITCH:
		return now != packet;
	case LAPPED:
		return now != packet && now == RING_SUB_BUFFERS + 1;
	case FULL:
		return !!ring->lost;
	case ELSEWHERE:
		return RING_EVENTS(ring->head) == n;
	default:
		return n == 2;
	}
}

/* Counts, in a rehearsal, the events before the moment. */
static void rehearse(void)
{
	struct ring *ring;
	uint32_t n;

	child_open();
	ring = ring_here();
	for (n = 0; n < BEFORE_MAX; n++) {
		uint32_t packet = RING_POSITION(ring->head) / ring->sub_bytes;

		write_one(n);
		if (is_moment(n, ring, packet))
			break;
	}
	report->before = n;
	bed_close();
	_exit(n == BEFORE_MAX);
}

static void *before_write(void *none)
{
	uint32_t n;

	report->other = (uint32_t)sys_gettid();
	for (n = 0; n < report->before; n++)
		write_one(n);
	return none;
}

/* Is the child: stops before its last event, and after it. */
static void be_child(void)
{
	unsigned char fixed[512];
	struct write_var var[16];
	pthread_t thread;

	child_open();
	report->self = (uint32_t)sys_gettid();
	if (!(way->contexts & BY_OTHER))
		before_write(NULL);
	else if (pthread_create(&thread, NULL, before_write, NULL) ||
		 pthread_join(thread, NULL))
		_exit(1);
	event_make(report->before, fixed, var);
	if (way->moment == LATE)
		ring_here()->ts_limit = 1;
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(1);
	raise(SIGSTOP);
	hit(&slot, fixed, var);
	report->after = 1;
	raise(SIGSTOP);
	_exit(1);
}

/* Is another process, which goes on in the rings of the one that was killed. */
static void survive(pid_t dead)
{
	char path[BED_PATH_BYTES];
	uint32_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	remove_files(getpid());
	shared_path(path, dead);
	if (bed_open(NULL, 1) || shared_join(&channel->shared, path) ||
	    channel_create(channel, 0, "steps", way->flags, CONTEXTS,
			   STEPS_RING, bed.cpus))
		_exit(1);
	channel_expect(channel, bed.first_locked);
	channel_start(channel, bed.first_locked);
	bed_slot(&slot, &way->shape);
	bed_slot_on(&slot, channel, way->id);
	report->survivor = (uint32_t)sys_gettid();
	for (n = 0; n < SURVIVOR_EVENTS; n++)
		write_one(report->before + 1 + n);
	_exit(0);
}

/* The description of the events for the readers. */
static struct event_shape steps;
static struct event_shape *shapes;
static struct packet_format format;
static struct event_shape record_steps = {
	.steps = { sizeof(struct writer_record) },
	.known = 1,
};

static void format_make(void)
{
	uint32_t i;

	memset(&steps, 0, sizeof(steps));
	steps.known = 1;
	steps.steps[0] = way->shape.fixed_bytes;
	for (i = 0; i < way->shape.nvar; i++)
		steps.steps[i + 1] = way->shape.var[i].element_bytes ?
					     STEP_SEQUENCE | 2 :
					     STEP_STRING;
	shapes[way->id] = steps;
	shapes[WRITER_ID] = record_steps;
	format = (struct packet_format){
		.shapes = shapes,
		.nshapes = IDS,
		.context_bytes = (uint32_t)context_bytes(CONTEXTS),
		.kind = CURSOR_WIDE,
		.writers = !!(way->contexts & CONTEXT_WRITER),
	};
}

/* The packet's last writer record; zero: it has none. */
static struct writer_record writer;

/* Events of the process that goes on, so far. */
static uint32_t survived;

/* Returns whether the next event is of the thread that the record names. */
static int is_writers(void)
{
	if (next > report->before)
		return writer.vtid == report->survivor;
	return writer.vtid == (next == report->before ? report->self :
							report->other);
}

/* Compares an event, but not its contexts. */
static size_t judge_event(const struct oracle_event *event, void *priv)
{
	struct oracle_event inner = *event;
	uint32_t n, before = next;
	size_t bytes;

	if (event->end - event->payload < (ptrdiff_t)format.context_bytes)
		return ORACLE_WRONG;
	if (format.writers && event->id == WRITER_ID) {
		memcpy(&writer, event->payload, sizeof(writer));
		return sizeof(writer);
	}
	memcpy(&n, event->payload + format.context_bytes, sizeof(n));
	/* what it writes comes behind all else in a ring of a CPU, and before
	 * the last event in another one */
	if (n > report->before)
		next = report->before + 1 + survived;
	if (format.writers && !is_writers()) {
		printf("# event %u: its writer is %u\n", next, writer.vtid);
		return ORACLE_WRONG;
	}
	inner.payload += format.context_bytes;
	bytes = compare(&inner, priv);
	if (n > report->before) {
		survived++;
		next = before;
	}
	return bytes == ORACLE_WRONG ? bytes : bytes + format.context_bytes;
}

static int judge_packet(const struct packet *packet, void *priv)
{
	static unsigned char whole[STEPS_RING];
	struct oracle oracle = { .check = judge_event };
	uint32_t bytes = PACKET_HEAD_BYTES + packet->event_bytes;

	(void)priv;
	memcpy(whole, &packet->head, PACKET_HEAD_BYTES);
	memcpy(whole + PACKET_HEAD_BYTES, packet->events, packet->event_bytes);
	memset(&writer, 0, sizeof(writer));
	if (oracle_packet(&oracle, whole, bytes) ||
	    oracle.events != packet->count + packet->records)
		return -EBADMSG;
	return oracle_tail(&packet->head, oracle.clock, STEPS_RING) ?
		       -EBADMSG :
		       0;
}

/* Judges the events of one ring, in order, after those of the last ring. */
static int judge_ring(const char *name, int image, uint64_t *lost)
{
	struct ring_reader ring;
	struct ring_count count;
	struct ring_copy copy;
	uint64_t overwritten;
	uint32_t from = next + survived;
	int ret = ring_open(&ring, image, 0, name, false);

	if (ret)
		return ret == -EAGAIN ? 0 : ret;
	ret = ring_count_all(&ring, &count, &overwritten);
	if (!ret && count.committed) {
		next += (uint32_t)overwritten;
		ret = ring_copy_make(&copy, &ring);
		if (ret > 0) {
			ret = ring_copy_each(&copy, &format, judge_packet,
					     NULL);
			ring_copy_free(&copy);
		}
	}
	if (!ret && next + survived - from != count.committed)
		ret = -ENODATA;
	*lost += count.lost;
	ring_close(&ring);
	return ret;
}

/* Rings in the order in which they are judged: of CPUs, the locked one of this
 * CPU, the other locked ones. */
enum group { OF_CPUS, OWN, OTHERS };

struct judged {
	int image;
	enum group group;
	uint64_t lost;
};

static int judge_named(const char *name, void *priv)
{
	struct judged *judged = priv;
	enum group group = *name != 'L' ? OF_CPUS :
			   atoi(name + 1) == sched_getcpu() ? OWN :
							      OTHERS;

	return group == judged->group ?
		       judge_ring(name, judged->image, &judged->lost) :
		       0;
}

/* Judges the rings that the child has left, or has at this moment; another
 * process has written `more` events since. */
static int judge_pid(pid_t pid, uint32_t more)
{
	char path[BED_PATH_BYTES];
	struct judged judged = { 0 };
	uint64_t got;
	int ret;

	next = survived = 0;
	for (ret = 0; !ret && judged.group <= OTHERS; judged.group++) {
		snprintf(path, sizeof(path), "/dev/shm/taffrail-stress-%d/%d",
			 pid, judged.group == OF_CPUS &&
			 way->flags & SESSION_SHARED);
		judged.image = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		ret = rings_each(judged.image, 0, judge_named, &judged);
		close(judged.image);
	}
	got = next + survived + judged.lost - more;
	if (!ret && way->moment != FULL && survived != more)
		ret = -ENOENT;
	if (!ret && (got < report->before + (uint32_t)report->after ||
		     got > report->before + 1))
		ret = -ENODATA;
	if (!ret && judged.lost && way->moment != FULL)
		ret = -ENOSPC;
	return ret;
}

static void remove_files(pid_t pid)
{
	char path[BED_PATH_BYTES];
	struct dirent *entry;
	DIR *dir;
	int i;

	for (i = 1; i >= 0; i--) {
		snprintf(path, sizeof(path), "/dev/shm/taffrail-stress-%d/%d",
			 pid, i);
		dir = opendir(path);
		while (dir && (entry = readdir(dir)) != NULL)
			unlinkat(dirfd(dir), entry->d_name, 0);
		if (dir)
			closedir(dir);
		rmdir(path);
	}
	*strrchr(path, '/') = '\0';
	rmdir(path);
}

/* Starts a child and waits until it is before its last event. */
static pid_t child_start(int *memory)
{
	uint64_t at;
	pid_t pid;

	report->after = 0;
	pid = fork();
	if (!pid)
		be_child();
	if (tracee_wait(pid, &at) != TRACEE_STOPPED)
		abort();
	*memory = tracee_memory(pid);
	return pid;
}

static void child_end(pid_t pid, int memory)
{
	close(memory);
	tracee_kill(pid);
	remove_files(pid);
}

/* Returns 1 when the child is in the middle of a section: the kernel will send
 * it away. *begins is the section's beginning. The child has the same addresses
 * as this program. */
static int in_section(pid_t pid, uint64_t at, uint64_t *begins)
{
	char *own = (char *)__builtin_thread_pointer() + rseq_offset;
	const uint64_t *section;

	if (!report->cpus)
		return 0;
	section = (const uint64_t *)ptrace(PTRACE_PEEKDATA, pid, own + 8, NULL);
	if (!section || at < section[1] || at - section[1] >= section[2])
		return 0;
	*begins = section[1];
	return 1;
}

/* Facts known of each byte of .text. */
enum known { KILLED = 1, SECTION = 2 };

/* Has another process go on where the rings are shared, and judges them. */
static int go_on(pid_t dead)
{
	int status;
	pid_t pid;

	if (!(way->flags & SESSION_SHARED))
		return judge_pid(dead, 0);
	pid = fork();
	if (!pid)
		survive(dead);
	if (waitpid(pid, &status, 0) != pid)
		abort();
	remove_files(pid);
	if (status)
		return -ECHILD;
	return judge_pid(dead, SURVIVOR_EVENTS);
}

/*
 * Kills a child at the first such instruction where none was killed before.
 * With `aborted`, the child is sent away from each section that it reaches.
 * Returns 0 when the child reached its end without such an instruction.
 */
static int kill_next(uint8_t *known, uint8_t *mined, int aborted, int *bad)
{
	enum tracee_stop stop;
	uint64_t begins;
	uint64_t at = 0;
	int memory;
	int ret;
	size_t i;
	pid_t pid = child_start(&memory);

	for (i = 0; i < text.bytes; i++)
		mined[i] = (text.begins[i] & INSN_WRITES && !known[i]) ||
					   (aborted && known[i] & SECTION) ?
				   INT3 :
				   text.start[i];
	if (tracee_poke(memory, text.start, mined, text.bytes))
		abort();
	do {
		ptrace(PTRACE_CONT, pid, NULL, NULL);
		stop = tracee_wait(pid, &at);
		i = at - 1 - (uintptr_t)text.start;
	} while (stop == TRACEE_TRAP && known[i]);
	if (stop == TRACEE_TRAP) {
		known[i] |= KILLED;
		if (in_section(pid, at - 1, &begins))
			known[begins - (uintptr_t)text.start] |= SECTION;
	}
	close(memory);
	tracee_kill(pid);
	ret = go_on(pid);
	if (ret && !(*bad)++)
		printf("# %s: killed at text + %#zx: %s\n", way->name, i,
		       strerror(-ret));
	remove_files(pid);
	return stop == TRACEE_TRAP;
}

static void test_kill(uint8_t *known, uint8_t *mined)
{
	uint32_t kills = 0;
	int aborted;
	int bad = 0;

	memset(known, 0, text.bytes);
	for (aborted = 0; aborted < 2; aborted++)
		while (kill_next(known, mined, aborted, &bad))
			kills++;
	printf("# ran: %u\n", kills);
	unit_check(!bad && kills > 20, "%s %s: killed at each instruction",
		   variant, way->name);
}

/* Tells whether the instruction at an offset in .text may write to a ring. */
static bool may_write(uint64_t offset)
{
	return offset >= text.bytes || text.begins[offset] & INSN_WRITES;
}

/* Judges nothing in the vDSO, where an anchor is taken: the vDSO starts again
 * at each tick of its clock, so slow steps would never get out of it. Nor after
 * an instruction that writes nothing: the rings are as they were judged. */
static void test_step(void)
{
	uint64_t at = (uintptr_t)text.start;
	bool wrote = true;
	uint32_t count = 0;
	int bad = 0;
	int memory;
	pid_t pid = child_start(&memory);
	enum tracee_stop stop;

	do {
		if (wrote && at - (uintptr_t)text.start < text.bytes &&
		    judge_pid(pid, 0) && !bad++)
			printf("# %s: after %u steps\n", way->name, count);
		wrote = may_write(at - (uintptr_t)text.start);
		ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
		stop = tracee_wait(pid, &at);
	} while (stop == TRACEE_TRAP && ++count < STEPS_MAX);
	child_end(pid, memory);
	printf("# ran: %u\n", count);
	unit_check(!bad && stop == TRACEE_STOPPED,
		   "%s %s: stepped, read at each instruction", variant,
		   way->name);
}

static void expect_all(void)
{
	static struct write_slot model;
	unsigned char fixed[512];
	struct write_var var[16];
	uint32_t n;

	bed_slot(&model, &way->shape);
	model.id = way->id;
	nexpected = next = arena_used = 0;
	for (n = 0; n <= report->before + SURVIVOR_EVENTS; n++) {
		event_make(n, fixed, var);
		expect(&model, fixed, var);
	}
	format_make();
}

/* Returns 0 when rseq cannot be tested. */
static int test_way(uint8_t *known, uint8_t *mined)
{
	int status;
	pid_t pid;

	report->before = 0;
	if (way->moment != FIRST) {
		pid = fork();
		if (!pid)
			rehearse();
		if (waitpid(pid, &status, 0) != pid || status) {
			unit_check(false, "%s %s: a rehearsal", variant,
				   way->name);
			return 1;
		}
		if (rseq && !report->cpus)
			return 0;
	}
	expect_all();
	test_kill(known, mined);
	test_step();
	return 1;
}

static void test_all(uint32_t every, const char *word)
{
	uint8_t *known = malloc(text.bytes);
	uint8_t *mined = malloc(text.bytes);
	uint32_t i;

	if (!known || !mined)
		abort();
	for (i = 0; i < ARRAY_SIZE(ways); i += every) {
		way = &ways[i];
		if (strncmp(way->name, word, strlen(word)))
			continue;
		/* with rseq, a CPU has one ring */
		if (rseq && way->moment == ELSEWHERE)
			continue;
		/* locked rings are not shared */
		if (!rseq && way->flags & SESSION_SHARED)
			continue;
		if (!test_way(known, mined)) {
			unit_skip("rseq", "no rseq, or no usable TSC");
			break;
		}
	}
	free(known);
	free(mined);
}

int main(int argc, char **argv)
{
	uint32_t every = argc > 1 ? (uint32_t)atoi(argv[1]) : 4;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
	report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	arena = malloc(ARENA_BYTES);
	shapes = calloc(IDS, sizeof(*shapes));
	if (UNIT_SANITIZED || text_open(&text)) {
		unit_skip("instructions", "a sanitizer's, or no libZydis");
		return unit_end();
	}
	write_rseq_test();
	/* measured once, and not in each child */
	clock_select(NULL);
	clock_settle(0);
	for (rseq = 1; rseq >= 0; rseq--) {
		variant = rseq ? "rseq" : "locked";
		test_all(every ? every : 1, argc > 2 ? argv[2] : "");
	}
	return unit_end();
}

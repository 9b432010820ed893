/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The numbers of processes and the table of types that processes share. A
 * process is stopped at each instruction at which it takes a number and adds a
 * type; another process adds types there; and the first one is killed, or goes
 * on. Each type must then be in the table once, whole, with the number of the
 * place as the id, and no process has waited.
 *
 *	shared-types [EVERY]: stops at every EVERYth instruction only
 */
#include "testsuite/unit/unit.h"
#include "testsuite/unit/buffers/tracee.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

#include "base/tunables.h"
#include "buffers/rings/channel.h"
#include "testsuite/stress/bed.h"

#define STEPS_MAX	20000
#define TYPES		40		/* of the crowd */
#define CROWD		6
#define ROUNDS		30
#define TRIES		1000
#define FEW		1000

static struct shared shared;

static struct report {
	volatile uint32_t id;		/* of the child's type */
	volatile uint32_t number;	/* of the child */
} *report;

static void type_make(uint32_t n, struct event_record *model, char text[16])
{
	*model = (struct event_record){ .kind = 1, .line = 100 + n };
	memset(text, 0, 16);
	text[0] = 'c';
	snprintf(text + 2, 8, "n%u", n);
}

static const struct event_record *record_at(uint64_t at)
{
	return (const void *)((const char *)shared.types +
			      EVENT_RECORDS_OFFSET + at);
}

/* Finds or adds a type, as an agent does. Returns the id; ~0: there is no
 * room, or it took too many tries. */
static uint32_t type_put_made(struct event_record model, const char text[16])
{
	const struct event_record *record;
	uint64_t at, end;
	int tries;

	for (tries = 0; tries < TRIES; tries++) {
		end = shared_types_end(&shared);
		model.id = 0;
		for (at = 0; at < end; at += record->bytes, model.id++) {
			record = record_at(at);
			if (!memcmp(record->text, text, 16))
				return model.id;
		}
		if (!shared_type_add(&shared, end, &model, text, 16))
			return model.id;
	}
	return ~0u;
}

static uint32_t type_put(uint32_t n)
{
	struct event_record model;
	char text[16];

	type_make(n, &model, text);
	return type_put_made(model, text);
}

/* Returns how many types the table has; -1: one is not whole, stands twice, or
 * has an id that is not the number of the place. */
static int table_count(void)
{
	uint64_t at, end = shared_types_end(&shared), other;
	const struct event_record *record, *second;
	int n = 0;

	for (at = 0; at < end; at += record->bytes, n++) {
		record = record_at(at);
		if (record->bytes != sizeof(*record) + 16 ||
		    record->id != (uint32_t)n || record->text[0] != 'c' ||
		    record->text[2] != 'n' ||
		    record->line != 100 + (uint32_t)atoi(record->text + 3))
			return -1;
		for (other = 0; other < at; other += second->bytes) {
			second = record_at(other);
			if (!memcmp(second->text, record->text, 16))
				return -1;
		}
	}
	return at == end && TYPES_END(shared.members->types) == end &&
	       !TYPES_STAGED(shared.members->types) ? n : -1;
}

/* As a new session has it. */
static void table_empty(void)
{
	shared.members->types = shared.members->staged = 0;
	shared.members->given = 0;
	shared.types->record_bytes = 0;
	shared.staged_bytes = 0;
	memset(shared.members->members, 0,
	       4 * sizeof(*shared.members->members));
	memset((char *)shared.types + EVENT_RECORDS_OFFSET, 0xa5, 4096);
	report->id = report->number = 0;
}

static void be_child(void)
{
	struct event_record model;
	char text[16];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	type_make(7, &model, text);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(1);
	raise(SIGSTOP);
	report->number = shared_enter(&shared, process.page);
	report->id = type_put_made(model, text);
	raise(SIGSTOP);
	_exit(1);
}

/* Stops a child after `steps` instructions, adds types, and kills it or lets it
 * go on. Returns true while the child had not come to the end. */
static bool run_trial(uint32_t steps, bool killed, int *bad)
{
	enum tracee_stop stop;
	uint32_t number, mine, count = 0;
	uint64_t at;
	pid_t pid;

	table_empty();
	/* a process was stopped when it had named a type: the child comes to
	 * add it, and it adds others from its place when the child goes on */
	type_put(5);
	shared.types->record_bytes = 0;
	shared.members->types = (uint64_t)sizeof(struct members_page) << 32;
	pid = fork();
	if (!pid)
		be_child();
	stop = tracee_wait(pid, &at);
	if (stop != TRACEE_STOPPED)
		abort();
	do {
		ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
		stop = tracee_wait(pid, &at);
	} while (stop == TRACEE_TRAP && ++count < steps);
	if (killed)
		tracee_kill(pid);
	*bad += type_put(8) > 2;
	mine = type_put(7);
	*bad += mine > 2 || type_put(9) != 3 || type_put(7) != mine;
	number = shared_enter(&shared, process.page);
	*bad += table_count() != 4 || type_put(5) || report->number == number;
	if (!killed) {
		ptrace(PTRACE_CONT, pid, NULL, NULL);
		if (stop == TRACEE_TRAP && tracee_wait(pid, &at) !=
		    TRACEE_STOPPED)
			(*bad)++;
		*bad += report->id != mine || report->number == number ||
			!report->number;
		*bad += table_count() != 4;
		tracee_kill(pid);
	}
	return stop == TRACEE_TRAP && count < STEPS_MAX;
}

static void test_steps(bool killed, uint32_t every)
{
	uint32_t steps = 1;
	int bad = 0;

	while (run_trial(steps, killed, &bad) && !bad)
		steps += every;
	printf("# ran: %u\n", steps);
	unit_check(!bad && steps > 50, "%s at each instruction, others go on",
		   killed ? "killed" : "stopped");
}

/* All add the same types in another order, and some are killed meanwhile. */
static void test_crowd(void)
{
	struct timespec pause = { .tv_nsec = 0 };
	int round, i, k, bad = 0, status;
	pid_t pids[CROWD];

	for (round = 0; round < ROUNDS; round++) {
		table_empty();
		for (i = 0; i < CROWD; i++) {
			pids[i] = fork();
			if (pids[i])
				continue;
			shared_enter(&shared, process.page);
			for (k = 0; k < TYPES; k++)
				if (type_put((uint32_t)(k * (2 * i + 1) +
							round) % TYPES) >=
				    TYPES)
					_exit(1);
			_exit(0);
		}
		pause.tv_nsec = 20000 * round;
		nanosleep(&pause, NULL);
		for (i = 0; i < CROWD; i++) {
			if (i % 2)
				kill(pids[i], SIGKILL);
			waitpid(pids[i], &status, 0);
			bad += i % 2 ? 0 : status != 0;
		}
		bad += table_count() != TYPES;
	}
	unit_equal(bad, 0, "processes add types, half of them are killed");
}

static void test_full(void)
{
	struct event_record model;
	const uint64_t *room = shared.members->room;
	uint64_t end = 0;
	uint32_t n = 0;
	char text[16];

	table_empty();
	for (; n < FEW && type_put(n) == n; n++)
		;
	unit_check(table_count() == FEW && room[0] >= FEW * sizeof(model) &&
			   room[0] < 2 * SHARED_ROOM_STEP && room[1] == room[0],
		   "room comes as types do");
	for (;; n++) {
		end = shared_types_end(&shared);
		type_make(n, &model, text);
		model.id = n;
		if (shared_type_add(&shared, end, &model, text, 16))
			break;
	}
	unit_equal(n, SHARED_TYPES_BYTES / (sizeof(struct event_record) + 16),
		   "types until there is no room");
	unit_check(room[0] == SHARED_TYPES_BYTES && room[1] == room[0] &&
			   end + sizeof(model) + 16 > SHARED_TYPES_BYTES,
		   "all of it is used then");
}

static uint64_t bytes_of(const char *directory, const char *name)
{
	char path[BED_PATH_BYTES + 32];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return stat(path, &st) ? 0 : (uint64_t)st.st_blocks * 512;
}

/* Files that are allocated late have little memory until a member asks. */
static void test_late(void)
{
	struct shared made = { .cpus = 0 }, other = { .cpus = 0 };
	char path[BED_PATH_BYTES + 8];

	snprintf(path, sizeof(path), "%s/2", bed.base);
	mkdir(path, 0700);
	unit_equal(shared_make(&made, path, process.page, "late", 0,
			       1u << 20, 2, true), 0, "made late");
	unit_equal(shared_join(&other, path), 0, "a member joins");
	unit_check(!shared_allocated(&other) &&
			   bytes_of(path, "ring.0.0") < 64 << 10 &&
			   bytes_of(path, "members") < 256 << 10,
		   "it finds files with little memory");
	made.members->given = SHARED_SLOTS - 1;
	shared_enter(&other, process.page);
	unit_check(other.member, "the last slot that has memory");
	shared_enter(&other, process.page);
	unit_check(!other.member && other.number == SHARED_SLOTS + 1,
		   "later members have a number alone");
	unit_equal(shared_allocate(&other), 0, "a member allocates them");
	unit_check(shared_allocated(&made) &&
			   bytes_of(path, "ring.0.1") > 1 << 20 &&
			   !shared_allocate(&made),
		   "all members find them so");
	shared_enter(&made, process.page);
	unit_check(made.member, "later members have a slot");
	made.members->allocated = 0;
	made.directory[0] = '.';
	unit_equal(shared_allocate(&made), -ENOENT, "they are not there");
	shared_leave(&made);
	shared_leave(&other);
}

int main(int argc, char **argv)
{
	uint32_t every = argc > 1 ? (uint32_t)atoi(argv[1]) : 0;
	char path[BED_PATH_BYTES + 8];
	struct shared other = { .cpus = 0 };

	report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (UNIT_SANITIZED) {
		unit_skip("instructions", "a sanitizer's");
		return unit_end();
	}
	if (!unit_equal(bed_open(NULL, 1), 0, "set up"))
		return unit_end();
	snprintf(path, sizeof(path), "%s/1", bed.base);
	unit_equal(shared_join(&other, path), -ENOENT, "no directory");
	mkdir(path, 0700);
	unit_equal(shared_join(&other, path), -ENOENT, "an empty one");
	unit_equal(shared_make(&shared, path, process.page, "types", 0,
			       RING_MIN_BYTES, 2, false), 0, "made");
	unit_equal(shared_join(&other, path), 0, "joined");
	unit_check(other.rings[1]->cpu == 1 && other.types->rings == 2,
		   "it has the rings");
	shared_leave(&other);
	chmod(path, 0777);
	unit_equal(shared_join(&other, path), -EPERM, "open to others");
	chmod(path, 0700);
	test_steps(true, every ? every : 1);
	test_steps(false, every ? every : 1);
	test_crowd();
	test_full();
	test_late();
	/* a record that another process makes up leads nowhere */
	table_empty();
	shared.members->types = 12345ull << 32 | 8;
	unit_equal(type_put(1), ~0u, "garbage in the table");
	shared.members->cpus = CHANNEL_CPUS_MAX + 1;
	unit_equal(shared_join(&other, path), -EBADMSG, "too many rings");
	shared_leave(&shared);
	bed_close();
	return unit_end();
}

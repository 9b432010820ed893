/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From rings to a directory that babeltrace2 reads without a warning: metadata,
 * streams, index, ledger, all types, both headers, losses, snapshots.
 */
#include "testsuite/unit/unit.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <signal.h>

#include "command/record/consumer.h"
#include "testsuite/unit/rings.h"
#include "traces/idx.h"
#include "traces/verify.h"

#define SUB	4096u
#define NSUB	8u

static char out_path[300];

static struct rundir_process process_of(const struct fake *fake)
{
	struct rundir_process process = { .fd = fake->fd, .alive = true };

	return process;
}

/* Gets the output of a command, at most `room` bytes. */
static void run(const char *command, char *text, size_t room)
{
	FILE *f = popen(command, "r");
	size_t n = f ? fread(text, 1, room - 1, f) : 0;

	text[n] = '\0';
	if (f)
		pclose(f);
}

static int have_babeltrace(void)
{
	return !system("command -v babeltrace2 >/dev/null 2>&1");
}

/* Returns babeltrace2's warnings about the output directory. */
static const char *complaints(void)
{
	static char text[4096];
	char command[400];

	snprintf(command, sizeof(command),
		 "babeltrace2 %s 2>&1 >/dev/null", out_path);
	run(command, text, sizeof(text));
	return text;
}

static const char *events(const char *options)
{
	static char text[1 << 16];
	char command[400];

	snprintf(command, sizeof(command), "babeltrace2 %s %s 2>/dev/null",
		 options, out_path);
	run(command, text, sizeof(text));
	return text;
}

static long count_lines(const char *pattern)
{
	char command[400];
	char text[64];

	snprintf(command, sizeof(command),
		 "babeltrace2 %s 2>/dev/null | grep -c '%s'", out_path,
		 pattern);
	run(command, text, sizeof(text));
	return atol(text);
}

static void open_output(struct trace_set *set, const struct fake *fake)
{
	snprintf(out_path, sizeof(out_path), "%s/out", fake->path);
	unit_equal(trace_set_open(set, out_path), 0, "output directory");
}

static int verified(void)
{
	struct verify_result result;

	return verify_directory(&result, out_path, NULL, NULL);
}

static const char types_text[] =
	"app\0types\0a, b, c, d, e, f, g, h, i, j, k, l, name, seq, fseq, raw"
	"\0dir/*evil*/\"x\".c";
static const uint8_t types[] = {
	TAFFRAIL_T_S8, TAFFRAIL_T_U8, TAFFRAIL_T_S16, TAFFRAIL_T_U16,
	TAFFRAIL_T_S32, TAFFRAIL_T_U32, TAFFRAIL_T_S64, TAFFRAIL_T_U64,
	TAFFRAIL_T_F32, TAFFRAIL_T_F64, TAFFRAIL_T_PTR, TAFFRAIL_T_BOOL,
	TAFFRAIL_T_STRING, TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_S16,
	TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_F64,
	TAFFRAIL_T_SEQUENCE | TAFFRAIL_T_U8, 0
};
static const char mark_text[] = "app\0we\"ird\\na\nme\0id %d mask %x\0m.c";
static const uint8_t mark_types[] = { TAFFRAIL_T_S32, TAFFRAIL_T_U32, 0 };
static const char empty_text[] = "app\0empty\0\0m.c";
static const uint8_t no_types[] = { 0 };

struct bytes {
	char data[512];
	uint32_t n;
};

static void put(struct bytes *b, const void *p, size_t n)
{
	memcpy(b->data + b->n, p, n);
	b->n += (uint32_t)n;
}

#define PUT(b, type, value) put(b, &(type){ value }, sizeof(type))

static void put_contexts(struct bytes *b)
{
	static const char name[16] = "worker";

	PUT(b, int32_t, 4243);
	PUT(b, int32_t, 4242);
	put(b, name, 16);
	PUT(b, uint32_t, 5);
	PUT(b, uint64_t, 0x7f0012345678);
}

static void put_types(struct bytes *b)
{
	PUT(b, int8_t, -1);
	PUT(b, uint8_t, 200);
	PUT(b, int16_t, -2);
	PUT(b, uint16_t, 60000);
	PUT(b, int32_t, -3);
	PUT(b, uint32_t, 4000000000u);
	PUT(b, int64_t, -4);
	PUT(b, uint64_t, 1ull << 63);
	PUT(b, float, 1.5f);
	PUT(b, double, -2.25);
	PUT(b, uint64_t, 0xdeadbeef);
	PUT(b, uint8_t, 1);
	put(b, "hello \"w\"", 10);
	PUT(b, uint32_t, 2);
	PUT(b, int16_t, -7);
	PUT(b, int16_t, 8);
	PUT(b, uint32_t, 1);
	PUT(b, double, 0.5);
	PUT(b, uint32_t, 0);
}

static const char *const wanted_texts[] = {
	"a = -1, b = 200, c = -2, d = 60000, e = -3, f = 4000000000",
	"g = -4, h = 9223372036854775808, i = 1.5, j = -2.25",
	"k = 0xDEADBEEF, l = 1",
	"name = \"hello \\\"w\\\"\"",
	"seq_length = 2, seq = [ [0] = -7, [1] = 8 ]",
	"fseq_length = 1, fseq = [ [0] = 0.5 ]",
	"raw_length = 0, raw = [ ]",
	("vtid = 4243, vpid = 4242, procname = \"worker\", cpu = 5, "
	 "ip = 139638282147448"),
	"cpu_id = 3",
	"host:fake:(4242) app:types",
	"id = -5, mask = 0xFF",
};

static void check_texts(const char *what)
{
	const char *text;
	size_t i;

	if (!have_babeltrace()) {
		unit_skip(what, "no babeltrace2");
		return;
	}
	unit_equal_string(complaints(), "", "%s: no complaint", what);
	text = events("");
	for (i = 0; i < sizeof(wanted_texts) / sizeof(wanted_texts[0]); i++)
		unit_check(strstr(text, wanted_texts[i]), "%s: text %d", what,
			   (int)i);
	unit_check(strstr(text, "app:we\"ird\\na\nme"), "%s: a wild name",
		   what);
	unit_check(strstr(text, "+8.589934592) host:fake:(4242) app:empty"),
		   "%s: time", what);
}

static void test_types(uint32_t flags, const char *what)
{
	struct bytes payload = { .n = 0 };
	struct bytes mark = { .n = 0 };
	struct bytes empty = { .n = 0 };
	struct rundir_process process;
	struct consumer *consumer;
	struct fake_ring ring;
	struct trace_set set;
	struct fake fake;

	fake_open(&fake, flags, CONTEXT_VTID | CONTEXT_VPID | CONTEXT_PROCNAME |
				CONTEXT_CPU | CONTEXT_IP);
	fake_event(&fake, 0, TAFFRAIL_KIND_EVENT, types_text,
		   sizeof(types_text), types);
	fake_event(&fake, 1, TAFFRAIL_KIND_MARK, mark_text, sizeof(mark_text),
		   mark_types);
	fake_event(&fake, 40, TAFFRAIL_KIND_MARK, empty_text,
		   sizeof(empty_text), no_types);
	fake_ring_open(&ring, &fake, "3", 3, SUB, NSUB, 0);
	put_contexts(&payload);
	put_types(&payload);
	put_contexts(&mark);
	PUT(&mark, int32_t, -5);
	PUT(&mark, uint32_t, 0xff);
	put_contexts(&empty);
	fake_write(&ring, 0, 10, payload.data, payload.n);
	fake_write(&ring, 1, 10, mark.data, mark.n);
	fake_write(&ring, 40, 1ull << 33, empty.data, empty.n);
	fake_write(&ring, 0, 10, payload.data, payload.n);
	process = process_of(&fake);
	open_output(&set, &fake);
	unit_equal(consume_open(&consumer, &set, &process, 0, "none", true),
		   -ENOENT, "%s: no such session", what);
	unit_equal(consume_open(&consumer, &set, &process, 0, "test", true), 0,
		   "%s: consumer", what);
	unit_equal(consume_finish(consumer), 0, "%s: finish", what);
	unit_equal(trace_set_finish(&set), 0, "%s: metadata", what);
	unit_equal(set.kept, 4, "%s: four events", what);
	check_texts(what);
	unit_equal(verified(), 0, "%s: verify", what);
	consume_close(consumer);
	trace_set_close(&set);
	fake_ring_close(&ring);
	fake_close(&fake);
}

static const char number_text[] = "app\0number\0n\0app.c";
static const char late_text[] = "app\0late\0n\0app.c";
static const uint8_t number_types[] = { TAFFRAIL_T_U64, 0 };

static void write_numbers(struct fake_ring *r, uint32_t id, uint64_t n)
{
	uint64_t i;

	for (i = 0; i < n; i++)
		fake_write(r, id, 100, &i, sizeof(i));
}

/* Opens a recording of numbers, which has no ring yet. */
static struct consumer *live_open(struct trace_set *set, struct fake *fake,
				  struct rundir_process *process,
				  const char *what)
{
	struct consumer *consumer = NULL;

	fake_open(fake, SESSION_CONSUMED, 0);
	fake_event(fake, 1, TAFFRAIL_KIND_EVENT, number_text,
		   sizeof(number_text), number_types);
	*process = process_of(fake);
	open_output(set, fake);
	unit_equal(consume_open(&consumer, set, process, 0, "test", true), 0,
		   "%s: consumer", what);
	return consumer;
}

/* Live: two rings, an event that appears late, losses. */
static void test_live(void)
{
	struct rundir_process process;
	struct consumer *consumer;
	struct fake_ring ring;
	struct fake_ring other;
	struct trace_set set;
	struct fake fake;
	int i;

	consumer = live_open(&set, &fake, &process, "live");
	unit_equal(consume_poll(consumer, UINT64_MAX), 0, "live: no ring");
	fake_ring_open(&ring, &fake, "0", 0, SUB, NSUB, 0);
	fake_ring_open(&other, &fake, "L1", 600, SUB, NSUB, 0);
	unit_equal(consume_scan(consumer), 0, "live: scan");
	for (i = 0; i < 20; i++) {
		if (i == 10)
			fake_event(&fake, 2, TAFFRAIL_KIND_EVENT, late_text,
				   sizeof(late_text), number_types);
		write_numbers(&ring, i < 10 ? 1 : 2, 1000);
		write_numbers(&other, 1, 500);
		unit_equal(consume_poll(consumer, UINT64_MAX), 1, "live: poll %d", i);
		if (i == 12 && have_babeltrace())
			unit_equal_string(complaints(), "",
					  "live: readable while it grows");
	}
	write_numbers(&ring, 2, 10000);		/* overflows */
	unit_equal(consume_finish(consumer), 0, "live: finish");
	unit_equal(trace_set_finish(&set), 0, "live: metadata");
	unit_equal(set.kept + set.lost, 40000, "live: all counted");
	unit_equal(set.lost, ring.ring->lost, "live: lost");
	if (have_babeltrace()) {
		unit_equal(count_lines("app:late"),
			   20000 - (long)ring.ring->lost,
			   "live: late events");
		unit_equal(count_lines("app:number"), 20000, "live: others");
		unit_check(strstr(complaints(), "Tracer discarded"),
			   "live: babeltrace2 tells of the losses");
	}
	unit_equal(verified(), 0, "live: verify");
	consume_close(consumer);
	trace_set_close(&set);
	fake_ring_close(&ring);
	fake_ring_close(&other);
	fake_close(&fake);
}

/* Changes a byte on disk; verify must see it. */
static void damage(const char *name, off_t at, const char *byte,
		   const char *what)
{
	char path[400];
	char saved;
	int fd;

	snprintf(path, sizeof(path), "%s/fake-4242-777/%s", out_path, name);
	fd = open(path, O_RDWR);
	unit_equal(pread(fd, &saved, 1, at), 1, "damage: %s is there", name);
	unit_equal(pwrite(fd, byte, 1, at), 1, "damage: %s", what);
	unit_check(verified() > 0, "damage: %s is seen", what);
	unit_equal(pwrite(fd, &saved, 1, at), 1, "damage: undone");
	close(fd);
}

/* A flight recorder, twice; then something is changed on disk. */
static void test_snapshot(void)
{
	struct rundir_process process;
	struct consumer *consumer;
	struct fake_ring ring;
	struct trace_set set;
	struct fake fake;
	char path[400];
	int round;

	fake_open(&fake, SESSION_OVERWRITE, 0);
	fake_event(&fake, 1, TAFFRAIL_KIND_EVENT, number_text,
		   sizeof(number_text), number_types);
	fake_ring_open(&ring, &fake, "0", 0, SUB, NSUB, 0);
	process = process_of(&fake);
	for (round = 0; round < 2; round++) {
		write_numbers(&ring, 1, 30000);
		open_output(&set, &fake);
		unit_equal(consume_open(&consumer, &set, &process, 0, "test",
					false),
			   0, "snapshot: consumer");
		unit_equal(consume_finish(consumer), 0, "snapshot: finish");
		unit_equal(trace_set_finish(&set), 0, "snapshot: metadata");
		unit_equal(set.overwritten, ring.lapped, "snapshot: lapped");
		unit_equal(set.kept, ring.committed - ring.lapped,
			   "snapshot: kept");
		if (have_babeltrace()) {
			unit_equal_string(complaints(), "",
					  "snapshot: no complaint");
			unit_equal(count_lines("app:number"), set.kept,
				   "snapshot: events");
		}
		unit_equal(verified(), 0, "snapshot: verify");
		consume_close(consumer);
		trace_set_close(&set);
		if (!round) {
			snprintf(path, sizeof(path), "rm -rf %s", out_path);
			unit_equal(system(path), 0, "snapshot: again");
		}
	}
	unit_equal(trace_set_open(&set, out_path), -ENOTEMPTY,
		   "snapshot: a used directory is refused");
	damage("stream_0", 40, "\1", "an earlier end");
	damage("stream_0", 64, "\1", "another number");
	damage("stream_0", 72, "\1", "a loss");
	damage("stream_0", 84, "\2", "an unknown event");
	damage("index/stream_0.idx", 20, "\1", "an index entry");
	damage("index/ledger", 52, "9", "another count");
	unit_equal(verified(), 0, "damage: repaired");
	fake_ring_close(&ring);
	fake_close(&fake);
}

/* Starts a process that was asked to stop and does not: it loses events until
 * it is killed. */
static pid_t loser_start(struct ring *ring)
{
	volatile uint64_t *lost = &ring->lost;
	uint64_t before = *lost;
	pid_t pid = fork();

	while (!pid)
		++*lost;
	while (pid > 0 && *lost == before)
		usleep(100);
	return pid;
}

/* The ledger counts the losses that the process's last packet tells. */
static void test_goes_on(void)
{
	struct rundir_process process;
	struct consumer *consumer;
	struct fake_ring ring;
	struct trace_set set;
	struct fake fake;
	pid_t loser;

	consumer = live_open(&set, &fake, &process, "goes on");
	fake_ring_open(&ring, &fake, "0", 0, SUB, NSUB, 0);
	unit_equal(consume_scan(consumer), 0, "goes on: scan");
	write_numbers(&ring, 1, 10);
	loser = loser_start(ring.ring);
	unit_equal(consume_finish(consumer), 0, "goes on: finish");
	kill(loser, SIGKILL);
	waitpid(loser, NULL, 0);
	unit_equal(trace_set_finish(&set), 0, "goes on: metadata");
	unit_equal(set.kept, 10, "goes on: the events");
	unit_check(set.lost > 0, "goes on: the losses");
	unit_equal(verified(), 0, "goes on: verify");
	consume_close(consumer);
	trace_set_close(&set);
	fake_ring_close(&ring);
	fake_close(&fake);
}

/* A full disk: the written events stay readable, the rest is counted. */
static void test_disk_full(void)
{
	struct rlimit limit = { 60000, 60000 };
	struct rundir_process process;
	struct consumer *consumer;
	struct fake_ring ring;
	struct trace_set set;
	struct rlimit saved;
	struct fake fake;
	int i;

	fake_open(&fake, SESSION_CONSUMED, 0);
	fake_event(&fake, 1, TAFFRAIL_KIND_EVENT, number_text,
		   sizeof(number_text), number_types);
	fake_ring_open(&ring, &fake, "0", 0, SUB, NSUB, 0);
	process = process_of(&fake);
	open_output(&set, &fake);
	unit_equal(consume_open(&consumer, &set, &process, 0, "test", true), 0,
		   "full disk: consumer");
	unit_equal(consume_scan(consumer), 0, "full disk: scan");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &saved);
	limit.rlim_max = saved.rlim_max;
	setrlimit(RLIMIT_FSIZE, &limit);
	for (i = 0; i < 20; i++) {
		write_numbers(&ring, 1, 1000);
		consume_poll(consumer, UINT64_MAX);
	}
	setrlimit(RLIMIT_FSIZE, &saved);
	unit_check(consume_finish(consumer) <= 0, "full disk: finish");
	unit_equal(trace_set_finish(&set), -EFBIG, "full disk: is told");
	unit_check(set.kept > 1000 && set.kept < 6000, "full disk: some kept");
	unit_equal(set.kept + set.lost, 20000, "full disk: rest counted");
	unit_equal(ring.ring->lost, 0, "full disk: the writer did not notice");
	if (have_babeltrace()) {
		unit_equal(count_lines("app:number"), set.kept,
			   "full disk: readable");
		unit_check(strstr(complaints(), "Tracer discarded"),
			   "full disk: babeltrace2 tells of the losses");
	}
	unit_equal(verified(), 0, "full disk: verify");
	consume_close(consumer);
	trace_set_close(&set);
	fake_ring_close(&ring);
	fake_close(&fake);
}

int main(void)
{
	int i;

	test_types(0, "compact");
	test_types(SESSION_LARGE_HEADER, "large");
	test_types(SESSION_WIDE, "wide");
	test_live();
	for (i = 0; i < 20; i++)
		test_goes_on();
	test_snapshot();
	test_disk_full();
	return unit_end();
}

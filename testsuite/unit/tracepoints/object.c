/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events that begin before the channels of a marker change and end after: a
 * thread takes a writer from the site before the change, and calls it after.
 * Each event is in every channel that was on all the time, once, if its
 * condition holds. And conditions of an object with no memory behind it.
 */
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "buffers/clock.h"
#include "testsuite/stress/bed.h"
#include "testsuite/unit/unit.h"
#include "tracepoints/conditions/expr.h"
#include "tracepoints/sites/registry.h"

#define SMALL	3	/* a value for which the condition holds */
#define GREAT	300	/* a value for which it does not */

static const struct ax_program up_to_9 = { .quick = 1, .span = 9 };
static const struct patcher patcher = { .mem = -1 };
static struct channel *const first = &channels[0];
static struct channel *const second = &channels[1];
static struct taffrail_site site;
static struct object object __attribute__((aligned(64)));
static const char *variant;

static uint64_t written(const struct channel *channel)
{
	uint64_t events = 0;
	uint32_t i;

	for (i = 0; i < channel->cpus; i++)
		events += RING_EVENTS(channel->rings->tab[i]->head);
	for (i = 0; i < channel->locked_max && channel->locked[i]; i++)
		events += RING_EVENTS(channel->locked[i]->head);
	return events + channel->page->lost_unplaced;
}

/* A marker of one u64. */
static void object_open(void)
{
	memset(&site, 0, sizeof(site));
	memset(&object, 0, sizeof(object));
	site.kind_ = TAFFRAIL_KIND_EVENT;
	site.fixed_bytes_ = object.shape.fixed_bytes = 8;
	object.site = &site;
	bed_slot((struct write_slot *)&site, &object.shape);
}

static void enable(struct channel *channel, const struct ax_program *condition)
{
	struct object_use use = { .channel = channel, .id = 1,
				  .condition = condition };

	object_enable(&object, &use, &patcher);
}

static void disable(struct channel *channel)
{
	object_disable(&object, channel, &patcher);
}

/* Does the next step of a thread that has taken `hit` from the site. */
static void arrive(taffrail_hit_fn *hit, uint64_t value)
{
	hit(&site, value, NULL);
}

static void expect(uint64_t one, uint64_t two, const char *name)
{
	unit_check(written(first) == one && written(second) == two, "%s: %s",
		   variant, name);
}

static void test_condition(void)
{
	taffrail_hit_fn *direct;

	object_open();
	enable(first, NULL);
	direct = site.hit_;
	arrive(site.hit_, GREAT);
	expect(1, 0, "without a condition");
	enable(first, &up_to_9);
	arrive(direct, SMALL);
	expect(2, 0, "under way when a condition comes: it holds");
	arrive(direct, GREAT);
	expect(2, 0, "under way when a condition comes: it does not");
	arrive(site.hit_, SMALL);
	arrive(site.hit_, GREAT);
	expect(3, 0, "with a condition");
	direct = site.hit_;
	enable(first, NULL);
	arrive(direct, GREAT);
	expect(4, 0, "under way when a condition goes");
	disable(first);
	arrive(direct, SMALL);
	expect(4, 0, "off");
}

static void test_second(void)
{
	uint64_t one = written(first);
	taffrail_hit_fn *direct;

	object_open();
	enable(first, NULL);
	direct = site.hit_;
	enable(second, &up_to_9);
	arrive(direct, SMALL);
	expect(one + 1, 0, "under way when another channel comes");
	arrive(site.hit_, SMALL);
	expect(one + 2, 1, "two channels");
	disable(first);
	arrive(direct, SMALL);
	expect(one + 2, 2, "under way when the other is left, conditional");
	arrive(direct, GREAT);
	expect(one + 2, 2, "its condition counts");
	enable(second, NULL);
	arrive(direct, GREAT);
	expect(one + 2, 3, "under way when the other is left");
	disable(second);
	arrive(direct, GREAT);
	expect(one + 2, 3, "both off");
}

static void test_pause(void)
{
	uint64_t one = written(first), two = written(second);

	object_open();
	enable(first, NULL);
	object_pause(&object, first);
	arrive(site.hit_, SMALL);
	expect(one, two, "a pause");
	enable(first, NULL);
	arrive(site.hit_, SMALL);
	expect(one + 1, two, "the same id again");
	disable(first);
}

/* An object has memory up to the end of the strings that it has; a condition
 * is made for one behind which there is none. */
static void test_end(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = align_up(offsetof(struct object, shape.var), 16);
	char *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct ax_program *program = NULL;
	struct expr_error error;
	struct object *last;

	if (map == MAP_FAILED || mprotect(map + page, page, PROT_NONE))
		abort();
	last = (struct object *)(map + page - bytes);
	memset(&site, 0, sizeof(site));
	site.kind_ = TAFFRAIL_KIND_EVENT;
	site.nfields_ = 1;
	site.types_[0] = last->types[0] = TAFFRAIL_T_U64;
	site.fixed_bytes_ = last->shape.fixed_bytes = 8;
	last->site = &site;
	last->format = "n";
	last->id = map;
	unit_equal(condition_make(last, "n > 9", &program, &error), 0,
		   "a condition for an object at the end of its memory");
	unit_check(program, "it has a program");
	munmap(map, 2 * page);
}

static void run(const char *name)
{
	variant = name;
	if (bed_channel(first, 0, 0, 0, 0) ||
	    bed_channel(second, 1, BED_WIDE, 0, 0))
		abort();
	test_condition();
	test_second();
	test_pause();
	unit_check(!bed_channel_end(first) && !bed_channel_end(second),
		   "%s: channels end", variant);
}

int main(void)
{
	if (!unit_equal(bed_open(NULL, 1), 0, "set up"))
		return unit_end();
	object_setup();
	test_end();
	if (bed.cpus)
		run("rseq");
	else
		unit_skip("rseq", "no rseq, or no usable TSC");
	bed.cpus = 0;
	run("locked");
	bed_close();
	return unit_end();
}

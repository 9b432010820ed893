/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fields that are shown in a way of their own, in C and C++. With an argument,
 * the program prints "ready" and hits its markers until its input ends.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <taffrail/marker.h>

enum state { IDLE, RUNNING = 5, STOPPED, LAST = -1 };
#define STATES IDLE, RUNNING, STOPPED, LAST
TAFFRAIL_ENUM_NAMES(enum state, STATES);

enum bit { LOW = 1, HIGH = 0x40000000, TOP = 2147483647 };
TAFFRAIL_ENUM_NAMES(enum bit, LOW, HIGH, TOP);

struct job {
	enum state state;
	int id;
	unsigned int mode : 3;
};

#define LOG(...)	TAFFRAIL_EVENT(app, wrapped, __VA_ARGS__)

static void work(const struct job *job, unsigned char flags, char letter)
{
	enum bit bit = job->id & 1 ? HIGH : TOP;

	TAFFRAIL_EVENT(app, step, job->id, TAFFRAIL_ENUM(job->state, STATES),
		       "text", (job->id + 1) * 2);
	TAFFRAIL_EVENT(app, bases, TAFFRAIL_HEX(flags), TAFFRAIL_OCT(job->id),
		       TAFFRAIL_HEX(-job->id - 1), TAFFRAIL_HEX(job->mode));
	TAFFRAIL_EVENT(app, words, TAFFRAIL_BOOL(job->id),
		       TAFFRAIL_BOOL(!job->state), TAFFRAIL_CHAR(letter),
		       TAFFRAIL_CHAR('"'));
	TAFFRAIL_EVENT(app, error, TAFFRAIL_ERRNO(job->id),
		       TAFFRAIL_ERRNO(-EAGAIN), TAFFRAIL_ERRNO(flags));
	TAFFRAIL_EVENT(app, bit, TAFFRAIL_ENUM(bit, LOW, HIGH, TOP), flags);
	TAFFRAIL_EVENT(app, named,
		       TAFFRAIL_ENUM(TAFFRAIL_FIELD(now, job->state), STATES));
	LOG(TAFFRAIL_ENUM(job->state, STATES), TAFFRAIL_HEX(flags));
	TAFFRAIL_EVENT(app, field,
		       TAFFRAIL_FIELD(now, TAFFRAIL_ENUM(job->state, STATES)),
		       TAFFRAIL_FIELD(sum, (flags) + 1));
	LOG(TAFFRAIL_FIELD(inner, TAFFRAIL_HEX(flags)),
	    TAFFRAIL_HEX(TAFFRAIL_FIELD(outer, (flags))),
	    TAFFRAIL_FIELD(plain, flags));
}

int main(int argc, char **argv)
{
	struct pollfd input = { 0, POLLIN, 0 };
	struct job job = { RUNNING, 8, 5 };

	(void)argv;
	work(&job, 0xa5, 'a');
	job.state = LAST;
	job.id = 1;
	work(&job, 0, 'z');
	job.state = (enum state)3;
	work(&job, 255, '7');
	if (argc > 1) {
		job.state = STOPPED;
		printf("ready\n");
		fflush(stdout);
		while (!poll(&input, 1, 1))
			work(&job, 7, 'x');
	}
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arrays that are recorded whole, without their length, in C and C++. With an
 * argument, the program prints "ready" and hits its markers until its input
 * ends.
 */
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <taffrail/marker.h>

struct job {
	int id;
	float f[2];
	volatile short s[1];
};

static int many[20];
static const unsigned char bytes[3] = { 1, 2, 255 };
static bool flags[2] = { true, false };
static double large[480];		/* the largest */
static int evaluated;

static struct job *once(struct job *job)
{
	evaluated++;
	return job;
}

#define LOG(...)	TAFFRAIL_EVENT(app, wrapped, __VA_ARGS__)

static void hit(struct job *job)
{
	const void *p[2] = { 0, (const void *)16 };

	TAFFRAIL_EVENT(app, many, TAFFRAIL_ELEMENTS(many));
	TAFFRAIL_EVENT(app, mixed, job->id, TAFFRAIL_ELEMENTS(once(job)->f),
		       "text", TAFFRAIL_ELEMENTS(bytes), 7,
		       TAFFRAIL_ARRAY(bytes, 2), TAFFRAIL_ELEMENTS(p),
		       TAFFRAIL_ELEMENTS(job->s), TAFFRAIL_ELEMENTS(flags));
	LOG(TAFFRAIL_FIELD(named, TAFFRAIL_ELEMENTS(bytes)), job->id);
	TAFFRAIL_EVENT(app, large, 1, TAFFRAIL_ELEMENTS(large), 2);
}

int main(int argc, char **argv)
{
	struct pollfd input = { 0, POLLIN, 0 };
	struct job job = { 5, { 0.5f, 1.5f }, { -7 } };
	int i;

	(void)argv;
	for (i = 0; i < 20; i++)
		many[i] = i * i;
	hit(&job);
	printf("%d\n", evaluated);
	if (argc > 1) {
		printf("ready\n");
		fflush(stdout);
		while (!poll(&input, 1, 1))
			hit(&job);
	}
	return 0;
}

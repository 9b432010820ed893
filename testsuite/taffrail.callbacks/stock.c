/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program with a callback, in which a debugger stops:
 *
 *	stock		40 hits in four rounds; prints "called 40"
 *	stock lines	"hit N": prints "called SUM"; "end" ends it
 *
 * gdb calls by names: `seen` is the callback's count, round_done() comes behind
 * each round.
 */
#include <stdio.h>
#include <string.h>

#include <taffrail/marker.h>
#include <taffrail/probe.h>

volatile int seen;

void count(const struct taffrail_event *event, void *priv);
void round_done(int number);

__attribute__((noinline, noipa)) void
count(const struct taffrail_event *event, void *priv)
{
	int64_t value;

	if (taffrail_field_i64(event, taffrail_field(event, "i"), &value))
		++*(volatile int *)priv;
}

__attribute__((noinline, noipa)) void round_done(int number)
{
	__asm__ volatile("" : : "r"(number));
}

static void hit(int n)
{
	for (int i = 0; i < n; i++)
		TAFFRAIL_EVENT(app, hit, i);
}

int main(int argc, char **argv)
{
	char line[64];
	int n;

	(void)argv;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (taffrail_probe_attach("app/hit", count, (void *)&seen) != 1)
		return 2;
	if (argc == 1) {
		for (n = 0; n < 4; n++) {
			hit(10);
			round_done(n);
		}
		printf("called %d\n", seen);
		return seen == 40 ? 0 : 1;
	}
	printf("ready\n");
	while (fgets(line, sizeof(line), stdin) && strcmp(line, "end\n"))
		if (sscanf(line, "hit %d", &n) == 1) {
			hit(n);
			printf("called %d\n", seen);
		}
	printf("right\n");
	return 0;
}

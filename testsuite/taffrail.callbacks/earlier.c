/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that knows nothing of callbacks and has signal handlers which hit
 * app/hit:
 *
 *	raise		SIGUSR1 (from the start): prints "raised N"
 *	chain		installs a handler of SIGUSR1 that calls the one before,
 *			which is in force afterwards; "chained"
 *	hit N		without a handler; "hits SUM"
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <taffrail/marker.h>

static volatile int raised, depth;
static struct sigaction before;

static void hit(int n)
{
	for (int i = 0; i < n; i++)
		TAFFRAIL_EVENT(app, hit, i);
}

static void on_usr1(int number)
{
	raised += number == SIGUSR1;
	hit(1);
}

static void on_usr2(int number, siginfo_t *info, void *context)
{
	raised += number == SIGUSR2 && info->si_signo == number && context;
	hit(1);
}

static void on_chained(int number)
{
	if (depth++ < 3)
		before.sa_handler(number);
	depth--;
}

int main(void)
{
	struct sigaction usr1 = { .sa_handler = on_usr1 };
	struct sigaction usr2 = { .sa_sigaction = on_usr2,
				  .sa_flags = SA_SIGINFO };
	struct sigaction chained = { .sa_handler = on_chained };
	char line[64];
	int n;

	sigaction(SIGUSR1, &usr1, NULL);
	sigaction(SIGUSR2, &usr2, NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("ready\n");
	while (fgets(line, sizeof(line), stdin) && strcmp(line, "end\n")) {
		if (!strcmp(line, "raise\n")) {
			raise(SIGUSR1);
			raise(SIGUSR2);
			printf("raised %d\n", raised);
		} else if (!strcmp(line, "chain\n")) {
			sigaction(SIGUSR1, &chained, &before);
			printf("chained\n");
		} else if (sscanf(line, "hit %d", &n) == 1) {
			hit(n);
			printf("hits %d\n", n);
		}
	}
	printf("right\n");
	return 0;
}

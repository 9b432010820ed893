/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * switch SOCKET NAME RULE N: asks an agent to have the session NAME's RULE
 * enabled, then disabled and enabled N times. Prints, by its own clock,
 *
 *	enabled MATCHED US	the first time
 *	switched N US		all others, each on the average
 *
 * and fails when the agent refuses once.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "control/protocol.h"

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int take(int fd, void *to, size_t n)
{
	char *p = to;

	while (n) {
		ssize_t got = read(fd, p, n);

		if (got <= 0)
			return -1;
		p += got;
		n -= (size_t)got;
	}
	return 0;
}

/* Returns how many markers match, or -1. */
static long ask(int fd, int type, const char *name, const char *rule)
{
	struct {
		struct message head;
		char text[512];
	} m = { { PROTOCOL_MAGIC, PROTOCOL_VERSION, (uint16_t)type, 0, 0 },
		"" };
	const char *matched;

	m.head.bytes = (uint32_t)snprintf(m.text, sizeof(m.text),
					  "name=%s\nrule=%s\n", name, rule);
	if (m.head.bytes >= sizeof(m.text) ||
	    send(fd, &m, sizeof(m.head) + m.head.bytes, MSG_NOSIGNAL) < 0 ||
	    take(fd, &m.head, sizeof(m.head)) ||
	    m.head.bytes >= sizeof(m.text) ||
	    take(fd, m.text, m.head.bytes))
		return -1;
	m.text[m.head.bytes] = 0;
	if (m.head.status) {
		fprintf(stderr, "switch: %d: %s\n", m.head.status, m.text);
		return -1;
	}
	matched = strstr(m.text, "matched=");
	return matched ? atol(matched + 8) : 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	long n = argc == 5 ? atol(argv[4]) : -1;
	double begin;
	long matched;
	long i;

	if (n < 0 || strlen(argv[1]) >= sizeof(address.sun_path))
		return 2;
	strcpy(address.sun_path, argv[1]);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return 1;
	begin = now_us();
	matched = ask(fd, MESSAGE_ENABLE, argv[2], argv[3]);
	if (matched < 0)
		return 1;
	printf("enabled %ld %.0f\n", matched, now_us() - begin);
	begin = now_us();
	for (i = 0; i < n; i++)
		if (ask(fd, MESSAGE_DISABLE, argv[2], argv[3]) != matched ||
		    ask(fd, MESSAGE_ENABLE, argv[2], argv[3]) != matched)
			return 1;
	if (n)
		printf("switched %ld %.1f\n", 2 * n,
		       (now_us() - begin) / (double)(2 * n));
	return 0;
}

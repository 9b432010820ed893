/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program with arrays whose lengths are other variables. It says on standard
 * output what rules at the line of the first printf() must record.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct packet {
	uint16_t count;
	const char *name;
	long bytes;
	char *body;
	short *sizes;
	float rates[4];
	int most;
};

__attribute__((noinline)) static int take(struct packet *p, const int *v,
					  int n, unsigned char few)
{
	int own[few], sum = p->most;

	for (int i = 0; i < few; i++)
		own[i] = v[0] - i;
	printf("%d %d:", n, p->count);
	for (int i = 0; i < n; i++)
		printf(" %d", v[i]);
	for (int i = 0; i < p->count && n >= 0; i++)
		printf(" %d", p->sizes[i]);
	printf(" own:");
	for (int i = 0; i < few; i++)
		printf(" %d", own[i]);
	printf(";");
	printf(" %.*s\n", (int)p->bytes, n < 0 ? "none" : p->body);
	return sum;
}

int main(void)
{
	short sizes[] = { 1, -2, 3, -4, 5, -6, 7, -8 };
	int v[] = { 100, -200, 300, 400, 500 };
	char body[] = "no end of itself";

	for (int i = 0; i < 5; i++) {
		struct packet p = { (uint16_t)(2 * i), "name", 3 * i, body,
				    sizes, { 0.5, 1, 1.5, 2 }, i };

		take(&p, v, 4 - i, (unsigned char)i);
	}
	struct packet bad = { 3, "bad", 4, (char *)16, (short *)16,
			      { 1, 2, 3, 4 }, 0 };
	return take(&bad, v, -1, 0) != 0;
}

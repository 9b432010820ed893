/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds marker ids similar to a rule. See nearest.h.
 */
#include "command/common/nearest.h"

#include <stdio.h>
#include <string.h>

/* Returns the lesser of two. */
static unsigned int least_of(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * rows[i % 3][j]: distance between the first i characters of the glob and the
 * first j of the id. A swap needs the row before the previous one.
 */
unsigned int nearest_distance(const char *glob, const char *id)
{
	unsigned int rows[3][NEAREST_LENGTH_MAX + 1];
	size_t n = strnlen(glob, NEAREST_LENGTH_MAX);
	size_t m = strnlen(id, NEAREST_LENGTH_MAX);

	for (size_t j = 0; j <= m; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		unsigned int *row = rows[i % 3], *above = rows[(i + 2) % 3];
		unsigned int *swap = rows[(i + 1) % 3];
		int star = glob[i - 1] == '*';

		row[0] = above[0] + !star;
		for (size_t j = 1; j <= m; j++) {
			int same = glob[i - 1] == '?' ||
				   glob[i - 1] == id[j - 1];

			row[j] = least_of(above[j] + !star, row[j - 1] + !star);
			if (star)
				continue;
			row[j] = least_of(row[j], above[j - 1] + !same);
			if (i > 1 && j > 1 && glob[i - 1] == id[j - 2] &&
			    glob[i - 2] == id[j - 1])
				row[j] = least_of(row[j], swap[j - 2] + 1);
		}
	}
	return rows[n % 3][m];
}

static void add_at(struct nearest *nearest, const char *id,
		   unsigned int distance)
{
	int at = 0;

	for (int i = 0; i < NEAREST_IDS && nearest->ids[i]; i++)
		if (!strcmp(nearest->ids[i], id))
			return;
	while (at < NEAREST_IDS && nearest->ids[at] &&
	       nearest->distances[at] <= distance)
		at++;
	for (int i = NEAREST_IDS - 1; i > at; i--) {
		nearest->ids[i] = nearest->ids[i - 1];
		nearest->distances[i] = nearest->distances[i - 1];
	}
	if (at < NEAREST_IDS) {
		nearest->ids[at] = id;
		nearest->distances[at] = distance;
	}
}

void nearest_add(struct nearest *nearest, const char *id)
{
	/* providers that LTTng-UST has in each program */
	static const char own[] = "lttng_ust_";
	unsigned int distance = nearest_distance(nearest->rule, id);

	if (!strncmp(id, own, strlen(own)) &&
	    strncmp(nearest->rule, own, strlen("lttng")))
		distance += NEAREST_LENGTH_MAX;
	add_at(nearest, id, distance);
}

void nearest_add_copy(struct nearest *nearest, const char *id,
		      unsigned int distance)
{
	unsigned int last = NEAREST_IDS - 1;
	const char *copy;

	if (nearest->ids[last] && distance >= nearest->distances[last])
		return;
	copy = strdup(id);
	if (copy)
		add_at(nearest, copy, distance);
}

void nearest_text(const struct nearest *nearest, char *text, size_t room)
{
	size_t n = 0;

	text[0] = '\0';
	for (int i = 0; i < NEAREST_IDS && nearest->ids[i]; i++) {
		int last = i + 1 == NEAREST_IDS || !nearest->ids[i + 1];

		n += snprintf(text + n, room - n, "%s%s",
			      !i ? "" : last ? " or " : ", ",
			      nearest->ids[i]);
		if (n >= room)
			return;
	}
}

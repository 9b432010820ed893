/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads ledgers, for verify. directory.c and limit.c write them.
 *
 * Invariant: a ledger whose checksum is wrong has no rows.
 */
#include "traces/ledger.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffers/reader/reader.h"
#include "traces/checksum.h"

void ledger_open(struct ledger *ledger, int dirfd, const char *name)
{
	struct file_map map;
	size_t bytes;
	int ret = file_map_open(&map, dirfd, name, 1, 0);

	memset(ledger, 0, sizeof(*ledger));
	/* a file without a byte: it is made empty, and written at the end */
	ledger->empty = ret == -EBADMSG;
	ledger->damaged = ret && ret != -ENOENT && !ledger->empty;
	if (ret)
		return;
	bytes = map.bytes;
	ledger->damaged = !checksum_right(map.address, &bytes, LEDGER_CHECKSUM,
					  "");
	if (!ledger->damaged)
		ledger->text = strndup(map.address, bytes);
	file_map_close(&map);
}

void ledger_close(struct ledger *ledger)
{
	free(ledger->text);
	ledger->text = NULL;
}

bool ledger_next(const struct ledger *ledger, const char **at,
		 struct ledger_row *row)
{
	const char *line = *at;
	bool found = false;

	while (!found) {
		line = line ? strchr(line, '\n') : ledger->text;
		if (line && *line == '\n')
			line++;
		if (!line || !*line)
			return false;
		memset(row, 0, sizeof(*row));
		found = *line != '#' &&
			sscanf(line, "%63s %llu %llu %llu %llu %llu", row->name,
			       &row->n[0], &row->n[1], &row->n[2], &row->n[3],
			       &row->n[4]) >= 2;
	}
	*at = line;
	return true;
}

bool ledger_find(const struct ledger *ledger, const char *name,
		 struct ledger_row *row)
{
	const char *at = NULL;

	while (ledger_next(ledger, &at, row))
		if (!strcmp(row->name, name))
			return true;
	memset(row, 0, sizeof(*row));
	return false;
}

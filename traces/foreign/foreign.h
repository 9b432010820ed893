/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Traces that other tracers wrote: LTTng, barectf, perf and others.
 *
 * Directories that are parts of one trace are read together, as babeltrace2
 * does. The events of a trace come in the order in which babeltrace2 has them.
 */
#ifndef TRACES_FOREIGN_FOREIGN_H
#define TRACES_FOREIGN_FOREIGN_H

#include "traces/read/merge.h"

/* Makes reader_add_directory() add such traces as well. Without libbabeltrace2
 * they are problems, which name the package to install. */
void reader_read_foreign(struct reader *reader);

#endif

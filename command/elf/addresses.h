/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names the addresses of a trace (traces/symbols.h) by the files that the
 * process had mapped there: "on_reply in server", "on_reply+0x4 in server", or,
 * where no symbol is known, "server+0x1139", the file's own address.
 */
#ifndef COMMAND_ELF_ADDRESSES_H
#define COMMAND_ELF_ADDRESSES_H

#include <sys/types.h>

#include "traces/symbols.h"
#include "traces/trace.h"

/*
 * Gives names to the addresses that were noted, and forgets these. An address
 * gets no name if it may have meant something else at the time of an event, or
 * if the file was changed or replaced since it was mapped, or, where root reads
 * the session of another user (`owner`), if this user may not read the file.
 */
void addresses_name(struct trace_symbols *symbols,
		    const struct session_view *session,
		    const struct process_page *process,
		    const struct metadata_clock *clock, uid_t owner);

#endif

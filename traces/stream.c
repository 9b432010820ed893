/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Takes the packets of a trace's streams, and counts kept, lost and overwritten
 * events. file.c writes the files.
 *
 * Invariant: once a stream is finished, emitted = kept + overwritten + lost,
 * whatever went wrong before; verify recounts that.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "traces/array.h"
#include "traces/private.h"

int trace_stream_open(struct trace_stream **result, struct trace *trace,
		      const char *name)
{
	struct trace_stream *stream = calloc(1, sizeof(*stream));

	if (!stream || !array_grow(&trace->streams, trace->nstreams,
				   sizeof(stream))) {
		free(stream);
		return -ENOMEM;
	}
	trace->streams[trace->nstreams++] = stream;
	stream->trace = trace;
	stream->fd = -1;
	stream->idx = -1;
	snprintf(stream->name, sizeof(stream->name), "stream_%s", name);
	snprintf(stream->file, sizeof(stream->file), "%s", stream->name);
	*result = stream;
	return 0;
}

int trace_packet(struct trace_stream *stream, const struct packet *packet)
{
	int ret;

	if (stream->failed)
		return -EIO;
	if (!trace_limit_admit(stream, packet)) {
		stream->dropped += packet->count;
		stream->refused_end = packet->head.timestamp_end;
		return 0;
	}
	/* counted as kept only when a reader can see it */
	ret = trace_file_append(stream, packet);
	if (ret)
		return trace_packet_unwritten(stream, packet, ret);
	stream->kept += packet->count;
	stream->trace->set->records += packet->records;
	ret = trace_limit_count(stream, packet);
	stream->failed = ret;
	return trace_failed(stream->trace, ret);
}

int trace_packet_unwritten(struct trace_stream *stream,
			   const struct packet *packet, int error)
{
	if (error == -ENOSPC || error == -EDQUOT) {
		stream->skipped++;
		stream->unwritten += packet->count;
	} else {
		stream->failed = true;
	}
	return error == -EFAULT ? error : trace_failed(stream->trace, error);
}

void trace_stream_count(struct trace_stream *stream, uint64_t committed,
			uint64_t lost)
{
	stream->emitted = committed + lost;
	stream->lost = lost;
}

/*
 * Counts each emitted event of a stream as kept, lost or overwritten, and
 * completes the file. The events in a file that another program spoilt count as
 * lost; with a limit, which may still drop them, they stay as they were
 * counted. Returns 0 or -errno.
 */
static int finish_stream(struct trace_stream *stream, bool overwrite)
{
	struct trace_set *set = stream->trace->set;
	uint64_t taken, missing, unwritten;

	if (trace_file_spoilt(stream)) {
		if (!set->spoilt++)
			snprintf(set->spoilt_name, sizeof(set->spoilt_name),
				 "%s/%s", stream->trace->name, stream->file);
		if (!set->limit) {
			stream->emitted = max_u64(stream->emitted,
						  stream->kept + stream->lost);
			stream->lost += stream->kept;
			stream->kept = 0;
		}
	}
	taken = stream->kept + stream->dropped;
	if (stream->emitted < taken + stream->lost)
		stream->emitted = taken + stream->lost;
	missing = stream->emitted - taken - stream->lost;
	unwritten = missing;
	if (overwrite && !stream->failed)
		unwritten = min_u64(stream->unwritten, missing);
	stream->lost += unwritten;
	missing -= unwritten;
	/* before the file ends, as it changes the last packet */
	trace_file_tell_losses(stream);
	stream->overwritten = missing + stream->dropped;
	set->kept += stream->kept;
	set->lost += stream->lost;
	set->overwritten += stream->overwritten;
	set->bytes += stream->bytes;
	return trace_file_end(stream);
}

size_t trace_losses_read(struct trace_member_loss **losses,
			 const struct session_view *session)
{
	struct member_view member = { .number = 0 };
	size_t n = 0;

	while (session_view_member(session, &member)) {
		if (!member.lost)
			continue;
		if (!array_grow(losses, n, sizeof(**losses)))
			break;
		(*losses)[n++] = (struct trace_member_loss){
			member.number, member.pid, member.lost };
	}
	return n;
}

int trace_finish(struct trace *trace, bool overwrite)
{
	int ret = 0;

	for (size_t i = 0; i < trace->nstreams; i++) {
		int error = finish_stream(trace->streams[i], overwrite);

		ret = ret ? ret : error;
	}
	/* events too large for a ring are among those that rings lost */
	trace->set->lost += trace->unplaced;
	if (!ret)
		ret = trace_ledger_write(trace);
	if (close(trace->ledger) && !ret)
		ret = -errno;
	trace->ledger = -1;
	close(trace->fd);
	trace->fd = -1;
	trace_limit_finished(trace);
	return trace_failed(trace, ret);
}

void trace_lose_late(struct trace *trace, uint64_t lost)
{
	trace->set->lost += lost;
	trace->unplaced += lost;
	if (trace->gone) {
		trace->set->gone.emitted += lost;
		trace->set->gone.lost += lost;
		return;
	}
	trace_failed(trace, trace_ledger_raise(trace));
}

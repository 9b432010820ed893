/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recounts traces on disk: steps over each event of each packet, and compares
 * every number that a trace states with the events themselves.
 *
 * Invariant: nothing on disk is trusted; unreadable bytes are a problem, not a
 * crash.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/array.h"
#include "traces/checksum.h"
#include "traces/follow.h"
#include "traces/idx.h"
#include "traces/ledger.h"
#include "traces/metadata.h"
#include "traces/verify.h"

#define CTF_HEAD_BYTES	(PACKET_HEAD_BYTES - PACKET_PRIVATE_BYTES)
#define EARLIER		"an earlier build of Taffrail wrote it, without " \
			"checksums, so changes cannot be seen: babeltrace2 " \
			"reads it; record anew for verify"

/* One trace under check. The texts and tables are there only while
 * check_trace() runs. */
struct verifier {
	struct verify_result *result;
	void (*report)(const char *where, const char *fact, void *priv);
	void *priv;
	bool recorded;			/* a recorder writes it now */
	int fd;				/* the trace */
	const char *trace;		/* the trace's name */
	struct session_view session;
	struct packet_format format;
	struct event_shape *shapes;
	struct ledger ledger;
	char *metadata;
	uint64_t *kept;			/* of processes that share the rings, by
					 * number */
	size_t nkept;
};

/* A stream is a file stream_CPU, or files stream_CPU_N in the order of N. */
struct stream {
	struct verifier *v;
	char name[NAME_MAX + 1];	/* stream_CPU */
	const char *file;
	struct file_map map;
	struct file_map idx;		/* address NULL: none */
	uint64_t offset;
	uint64_t packets;		/* in this file */
	uint64_t before;		/* packets in earlier files */
	uint64_t kept;
	uint64_t first;			/* number of the first packet */
	struct packet_head last;
};

/* Counts a problem, and reports it under the trace's name and the part's; under
 * the trace's alone, if `name` is NULL. Returns -EBADMSG. */
static int report_problem(struct verifier *v, const char *name,
			  const char *format, va_list ap)
{
	char where[2 * NAME_MAX], fact[256];

	v->result->problems++;
	if (!v->report)
		return -EBADMSG;
	snprintf(where, sizeof(where), "%s%s%s", v->trace, name ? "/" : "",
		 name ? name : "");
	vsnprintf(fact, sizeof(fact), format, ap);
	v->report(where, fact, v->priv);
	return -EBADMSG;
}

/* Reports a problem of a part of a trace. Returns -EBADMSG. */
static __attribute__((format(printf, 3, 4)))
int bad_part(struct verifier *v, const char *name, const char *format, ...)
{
	va_list ap;
	int ret;

	va_start(ap, format);
	ret = report_problem(v, name, format, ap);
	va_end(ap);
	return ret;
}

/* Reports a problem of a stream's open file. Returns -EBADMSG. */
static __attribute__((format(printf, 2, 3)))
int bad_file(struct stream *s, const char *format, ...)
{
	va_list ap;
	int ret;

	va_start(ap, format);
	ret = report_problem(s->v, s->file, format, ap);
	va_end(ap);
	return ret;
}

/* Returns why the parts that a recorder writes last are missing. */
static const char *why_incomplete(const struct verifier *v)
{
	return v->recorded ? "it is being recorded" :
			     "was the recording killed?";
}

/* Checks the sizes and times of a packet, and then the packet against the one
 * before it in the stream. Returns 0 or -EBADMSG after the report. Nothing else
 * of a packet is used before: the sizes say where its events are. */
static int check_head(struct stream *s, const struct packet_head *head)
{
	unsigned long long number = head->packet_seq_num;
	unsigned long long offset = s->offset;
	const struct packet_head *last = &s->last;
	uint64_t room = s->map.bytes - offset;

	if (head->magic != CTF_PACKET_MAGIC || head->stream_id)
		return bad_file(s, "no packet at byte %llu", offset);
	/* the last packet of a file that grew calls the rest padding */
	if ((head->content_size != head->packet_size &&
	     (head->packet_size != room * 8 || s->idx.address)) ||
	    (head->content_size & 7) ||
	    head->content_size / 8 < CTF_HEAD_BYTES ||
	    head->content_size / 8 > room)
		return bad_file(s, "packet %llu at byte %llu is incomplete",
				number, offset);
	if (head->timestamp_end < head->timestamp_begin)
		return bad_file(s, "packet %llu ends before it begins", number);
	if (!s->packets && !s->before) {
		s->first = number;
		return metadata_has_uuid(s->v->metadata, head->uuid) ? 0 :
		       bad_file(s, "its uuid is not that of the metadata");
	}
	if (memcmp(head->uuid, last->uuid, sizeof(head->uuid)) ||
	    head->cpu_id != last->cpu_id ||
	    head->stream_instance_id != last->stream_instance_id)
		return bad_file(s, "packet %llu is of another stream", number);
	if (head->packet_seq_num != last->packet_seq_num + 1)
		return bad_file(s, "packet %llu follows packet %llu", number,
				(unsigned long long)last->packet_seq_num);
	if (head->timestamp_begin < last->timestamp_end)
		return bad_file(s, "packet %llu begins before the end of the "
				"one before it", number);
	if (head->events_discarded < last->events_discarded)
		return bad_file(s, "packet %llu has fewer lost events than "
				"the one before it", number);
	return 0;
}

/* Counts events of a process that shares the rings. Callback of
 * packet_walk_writers(); numbers beyond the slots have no row. */
static void count_kept(uint32_t process, uint64_t events, void *priv)
{
	struct verifier *v = priv;
	uint64_t *more;
	size_t room = 2 * (size_t)process + 64;

	if (process >= v->nkept && process <= SHARED_MEMBERS) {
		more = realloc(v->kept, room * sizeof(*more));
		if (!more)
			return;
		memset(more + v->nkept, 0, (room - v->nkept) * sizeof(*more));
		v->kept = more;
		v->nkept = room;
	}
	if (process < v->nkept)
		v->kept[process] += events;
}

/*
 * Checks the packet at the offset, and moves behind it: the head, then the
 * entry of the index with the checksum, then each event. Returns 0, or -EBADMSG
 * after the report: no byte behind such a packet can be trusted.
 */
static int check_packet(struct stream *s)
{
	const char *at = (const char *)s->map.address + s->offset;
	struct packet_head head = { 0 };
	struct ctf_index_entry entry;
	unsigned long long number;
	struct packet_walk walk;
	size_t bytes;
	int ret;

	if (s->map.bytes - s->offset < CTF_HEAD_BYTES)
		return bad_file(s, "incomplete packet at byte %llu",
				(unsigned long long)s->offset);
	memcpy((char *)&head + PACKET_PRIVATE_BYTES, at, CTF_HEAD_BYTES);
	ret = check_head(s, &head);
	if (ret)
		return ret;
	number = head.packet_seq_num;
	at += CTF_HEAD_BYTES;
	bytes = head.content_size / 8 - CTF_HEAD_BYTES;
	if (s->idx.address) {
		idx_entry_encode(&entry, &head, s->offset,
				 checksum_bytes(head.cpu_id, at, bytes));
		ret = idx_compare(s->idx.address, s->idx.bytes, s->packets,
				  &entry);
	}
	if (ret == -ENOENT) {
		ret = bad_file(s, "the index ends before packet %llu", number);
	} else if (ret == -EBADMSG) {
		bad_file(s, "the index differs from packet %llu", number);
	} else if (ret == -EILSEQ) {
		ret = bad_file(s, "packet %llu was changed: its checksum is "
			       "wrong", number);
	} else {
		ret = packet_walk_writers(&s->v->format, head.timestamp_begin,
					  at, bytes, &walk,
					  s->v->session.page.flags &
						  SESSION_SHARED ?
						  count_kept : NULL, s->v);
		s->kept += walk.count;
		s->v->result->records += walk.records;
		if (!ret && s->v->format.writers && walk.nameless)
			ret = bad_file(s, "packet %llu begins without a writer "
				       "record", number);
		else if (ret)
			ret = bad_file(s, "packet %llu: event %llu makes no "
				       "sense", number,
				       (unsigned long long)walk.count);
		else if (walk.last > head.timestamp_end)
			ret = bad_file(s, "packet %llu ends before its last "
				       "event", number);
	}
	s->last = head;
	s->packets++;
	s->offset += head.packet_size / 8;
	return ret;
}

/* Compares a stream with the row of the ledger, and adds it to the result. One
 * problem is reported: the other numbers follow from it. Without a row, all
 * events that were found count as emitted. */
static void check_ledger(struct stream *s)
{
	struct verify_result *result = s->v->result;
	unsigned long long kept = s->kept;
	unsigned long long lost = s->last.events_discarded;
	struct ledger_row row;

	if (!ledger_find(&s->v->ledger, s->name, &row)) {
		if (!s->v->ledger.damaged)
			bad_file(s, "the ledger does not name it: %s",
				 why_incomplete(s->v));
		row.n[0] = row.n[1] = s->kept;
	} else if (row.n[1] != kept) {
		bad_file(s, "the count of events is %llu, the ledger "
			    "says %llu", kept, row.n[1]);
	} else if (row.n[0] != row.n[1] + row.n[2] + row.n[3]) {
		bad_file(s, "emitted %llu is not kept %llu + overwritten %llu "
			    "+ lost %llu", row.n[0], kept, row.n[2], row.n[3]);
	} else if (lost != row.n[3]) {
		bad_file(s, "its last packet says %llu lost, the ledger %llu",
			 lost, row.n[3]);
	} else if (row.n[2] && !s->first) {
		bad_file(s, "the ledger says %llu overwritten, but its first "
			    "packet is there", row.n[2]);
	}
	result->emitted += row.n[0];
	result->kept += s->kept;
	result->overwritten += row.n[2];
	result->lost += row.n[3];
}

/*
 * Checks one file of a stream, with the index if it is there. A trace without a
 * ledger, which a killed command left, has no complete index either. Returns 0
 * or a negative errno, after the report; a bad index alone is no failure, as
 * the packets still tell their events.
 */
static int check_file(struct stream *s, const char *file)
{
	char name[NAME_MAX + 16];
	int ret;

	s->file = file;
	s->before += s->packets;
	s->packets = 0;
	s->offset = 0;
	memset(&s->idx, 0, sizeof(s->idx));
	ret = file_map_open(&s->map, s->v->fd, file, 1, 0);
	if (ret)
		return bad_file(s, "cannot read it: %s", trace_reason(ret));
	snprintf(name, sizeof(name), "index/%s.idx", file);
	ret = file_map_open(&s->idx, s->v->fd, name,
			    sizeof(struct ctf_index_header), 0);
	if (!ret) {
		ret = idx_header_check(s->idx.address);
		if (ret == -EPROTO)
			file_map_close(&s->idx);
		if (ret)
			bad_file(s, ret == -EPROTO ? EARLIER :
				 "its index is none");
	} else if (ret != -ENOENT) {
		bad_file(s, "cannot read its index: %s", trace_reason(ret));
	} else if (s->v->ledger.text) {
		bad_file(s, "its index is missing");
	}
	ret = 0;
	while (!ret && s->offset < s->map.bytes)
		ret = check_packet(s);
	if (!ret && s->idx.address &&
	    s->idx.bytes != sizeof(struct ctf_index_header) +
			    s->packets * sizeof(struct ctf_index_entry))
		bad_file(s, "its index has more packets than it");
	file_map_close(&s->idx);
	file_map_close(&s->map);
	return ret;
}

/* Returns the length of stream_CPU in the name of a file. */
static size_t stream_name_bytes(const char *file)
{
	size_t head = strlen("stream_");

	return head + strcspn(file + head, "_");
}

/* Returns whether a file belongs to the stream `name`. */
static bool same_stream(const char *file, const char *name)
{
	size_t n = stream_name_bytes(file);

	return n == strlen(name) && !memcmp(file, name, n);
}

/* Checks the files of the stream of list[0], and then the counts. Returns how
 * many of the n files belong to it, at least one. After a bad file the next
 * ones are not read: the numbers of their packets would only repeat the
 * problem. */
static int check_stream(struct verifier *v, struct dirent **list, int n)
{
	struct stream s = { .v = v };
	int ret = 0;
	int i;

	snprintf(s.name, sizeof(s.name), "%.*s",
		 (int)stream_name_bytes(list[0]->d_name), list[0]->d_name);
	v->result->streams++;
	for (i = 0; i < n && same_stream(list[i]->d_name, s.name); i++)
		if (!ret)
			ret = check_file(&s, list[i]->d_name);
	/* after a first problem the count proves nothing more */
	if (!ret)
		check_ledger(&s);
	return i;
}

/* Reports streams of the ledger that kept events but have no file, and adds the
 * counts that belong to no file. A ledger is missed only where no stream's
 * report has said so already. */
static void check_missing(struct verifier *v, struct dirent **list, int n)
{
	struct ledger_row row;
	const char *at = NULL;
	struct file_map map;
	bool right;
	int i;

	while (ledger_next(&v->ledger, &at, &row)) {
		for (i = 0; i < n && !same_stream(list[i]->d_name, row.name);)
			i++;
		if (strncmp(row.name, "stream_", 7) || i < n)
			continue;
		if (row.n[1])
			bad_part(v, row.name, "no file, but a count of events, "
				 "%llu", row.n[1]);
		else if (row.n[0] != row.n[2] + row.n[3])
			bad_part(v, row.name, "the counts disagree: emitted "
				 "%llu, overwritten %llu, lost %llu", row.n[0],
				 row.n[2], row.n[3]);
		v->result->emitted += row.n[0];
		v->result->overwritten += row.n[2];
		v->result->lost += row.n[3];
	}
	if (ledger_find(&v->ledger, "unplaced", &row)) {
		v->result->lost += row.n[0];
		v->result->emitted += row.n[0];
	}
	if (ledger_find(&v->ledger, LEDGER_CALLS, &row))
		v->result->lost_calls += row.n[0];
	if (ledger_find(&v->ledger, "session", &row)) {
		right = !file_map_open(&map, v->fd, "index/session", 1, 0);
		/* behind the records there is nothing: a file that goes on is
		 * not read to its end */
		if (right) {
			right = map.bytes == EVENT_RECORDS_OFFSET +
					     v->session.parsed &&
				checksum_bytes(0, map.address, map.bytes) ==
				row.n[0];
			file_map_close(&map);
		}
		if (!right)
			bad_part(v, "index/session", "it was changed");
	}
	if (v->ledger.damaged)
		bad_part(v, "index/ledger", LEDGER_DAMAGED);
	else if (!v->ledger.text && !n)
		bad_part(v, NULL, "it has no ledger: %s", why_incomplete(v));
}

/* Copies a process's name from the metadata, as it is there. */
static void name_copy(char name[32], const char *metadata, uint32_t number)
{
	char key[48];
	const char *at;
	int n = 0;

	snprintf(key, sizeof(key), "\t" METADATA_PROCESS "%u = \"", number);
	at = strstr(metadata, key);
	if (at && !sscanf(at + strlen(key), "%*u %*u %n", &n) && n) {
		at += strlen(key) + n;
		n = (int)strcspn(at, "\"\n");
		snprintf(name, 32, "%.*s", n, at);
	}
}

/* Adds the processes that lost events, each with the number that it kept. The
 * losses are a part of those of the trace: `lost`. */
static void check_processes(struct verifier *v, uint64_t lost)
{
	struct verify_result *result = v->result;
	struct verify_process *process;
	struct ledger_row row;
	const char *at = NULL;
	uint64_t sum = 0;
	uint32_t number;

	while (ledger_next(&v->ledger, &at, &row)) {
		if (sscanf(row.name, LEDGER_PROCESS "%u", &number) != 1)
			continue;
		sum += row.n[0];
		if (!array_grow(&result->processes, result->nprocesses,
				sizeof(*process)))
			continue;
		process = &result->processes[result->nprocesses++];
		*process = (struct verify_process){
			.pid = (uint32_t)row.n[1], .lost = row.n[0],
			.kept = number < v->nkept ? v->kept[number] : 0 };
		name_copy(process->name, v->metadata, number);
	}
	if (sum > lost)
		bad_part(v, "index/ledger", "processes have lost %llu events, "
			 "the trace %llu", (unsigned long long)sum,
			 (unsigned long long)lost);
}

/* Orders names by their numbers: stream_2 before stream_10, and the files of a
 * stream in the order in which they were written. */
static int entry_compare(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

/* Filter of scandirat(): files of streams. */
static int is_stream(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "stream_", 7);
}

/* Filter of scandirat(): all but hidden files, which a recorder writes at this
 * time. */
static int is_entry(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* A reader takes any other file in a trace's directory for a stream. */
static int is_strange(const struct dirent *entry)
{
	return is_entry(entry) && !is_stream(entry) &&
	       strcmp(entry->d_name, "metadata") &&
	       strcmp(entry->d_name, "index");
}

/*
 * Checks a trace. Streams are checked only if the metadata and the session can
 * be read: they describe the events. Descriptions that only the session has
 * count as unknown, as they are for a reader of the metadata.
 */
static void check_trace(struct verifier *v)
{
	const uint64_t lost = v->result->lost;
	struct dirent **list = NULL;
	size_t described = 0;
	int n = scandirat(v->fd, ".", &list, is_strange, entry_compare);
	int ret;

	v->result->traces++;
	while (n-- > 0) {
		bad_part(v, list[n]->d_name, "not a file of a trace");
		free(list[n]);
	}
	free(list);
	list = NULL;
	ret = metadata_load(&v->metadata, v->fd);
	if (ret == -ENODATA)
		bad_part(v, "metadata", "no CTF metadata that Taffrail wrote: "
			 "traces of other tracers cannot be recounted");
	else if (ret == -EILSEQ)
		bad_part(v, "metadata", "it was changed, cut short or added "
			 "to: its checksum is wrong");
	else if (ret == -EPROTO)
		bad_part(v, "metadata", EARLIER);
	else if (ret)
		bad_part(v, "metadata", "cannot read it: %s",
			 trace_reason(ret));
	if (ret)
		goto free;
	ret = session_view_open(&v->session, v->fd, "index/session");
	if (ret) {
		bad_part(v, "index/session", "cannot read it: %s",
			 trace_reason(ret));
		goto free;
	}
	ret = metadata_format(&v->format, &v->shapes, &v->session);
	if (!ret)
		ret = metadata_compare(v->metadata, &v->session, &described);
	if (ret) {
		bad_part(v, "index/session", "%s", ret == -EBADMSG ?
			 "it describes other events than the metadata" :
			 trace_reason(ret));
		goto close;
	}
	for (; described < v->session.nevents; described++)
		v->shapes[v->session.events[described]->id].known = 0;
	ledger_open(&v->ledger, v->fd, "index/ledger");
	/* in the order of names, so the files of a stream come one after the
	 * other */
	n = scandirat(v->fd, ".", &list, is_stream, entry_compare);
	if (n < 0)
		bad_part(v, NULL, "cannot list it: %s", trace_words(errno));
	for (int i = 0; i < n;)
		i += check_stream(v, list + i, n - i);
	check_missing(v, list, n);
	check_processes(v, v->result->lost - lost);
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
	ledger_close(&v->ledger);
close:
	free(v->kept);
	free(v->shapes);
	session_view_close(&v->session);
free:
	free(v->metadata);
}

/* Checks `name` below `top` if it is a trace; `shown` names it in reports.
 * Returns 1 if it is one. A directory that cannot be opened is none. */
static int try_trace(const struct verifier *model, int top, const char *name,
		     const char *shown)
{
	struct verifier v = *model;
	int found;

	v.fd = openat(top, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (v.fd < 0)
		return 0;
	v.trace = shown;
	found = trace_there(v.fd);
	if (found)
		check_trace(&v);
	close(v.fd);
	return found;
}

/* Reports a trace that DIR/traces and the directory do not both have. Callback
 * of trace_list_check(). */
static void list_differs(const char *name, bool added, void *v)
{
	bad_part(v, name, "this trace was %s", added ?
		"added: the recording's list of traces does not name it" :
		"removed, with all events of one program");
}

int verify_directory(struct verify_result *result, const char *path,
		     void (*report)(const char *where, const char *fact,
				    void *priv), void *priv)
{
	struct verifier model = { .result = result, .report = report,
				  .priv = priv };
	unsigned long long sums[5];
	struct dirent **list = NULL;
	struct ledger_row row;
	struct ledger ledger;
	int found, top, n;

	memset(result, 0, sizeof(*result));
	top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (top < 0)
		return -errno;
	model.recorded = follow_recorded_at(top);
	found = try_trace(&model, top, ".", path);
	n = found ? 0 : scandirat(top, ".", &list, is_entry, entry_compare);
	for (int i = 0; i < n; i++) {
		found |= try_trace(&model, top, list[i]->d_name,
				   list[i]->d_name);
		free(list[i]);
	}
	free(list);
	model.trace = path;
	/* the traces that a limit has removed */
	ledger_open(&ledger, top, "ledger");
	if (ledger.damaged) {
		bad_part(&model, "ledger", LEDGER_DAMAGED);
	} else if (ledger.text &&
		   sscanf(ledger.text, "# traces emitted kept overwritten lost "
			  "%llu %llu %llu %llu %llu", &sums[0], &sums[1],
			  &sums[2], &sums[3], &sums[4]) != 5) {
		bad_part(&model, "ledger", "it has not the five numbers");
	} else if (ledger.text && (sums[2] || sums[1] != sums[3] + sums[4])) {
		bad_part(&model, "ledger", "emitted %llu is not overwritten "
			 "%llu + lost %llu", sums[1], sums[3], sums[4]);
	} else if (ledger.text) {
		result->emitted += sums[1];
		result->overwritten += sums[3];
		result->lost += sums[4];
	}
	ledger_close(&ledger);
	if (trace_list_check(top, list_differs, &model))
		bad_part(&model, TRACE_LIST, LEDGER_DAMAGED);
	ledger_open(&ledger, top, TRACE_LIST);
	if (n > 0 && found && !ledger.text && !ledger.damaged && !ledger.empty)
		bad_part(&model, TRACE_LIST, "there is no list of the traces, "
			 "so a trace that was removed as a whole is not seen: "
			 "%s", model.recorded ? why_incomplete(&model) :
			 "it was removed, or the recording was not completed");
	if (ledger_find(&ledger, TRACE_LIST_LEDGER, &row) &&
	    faccessat(top, "ledger", F_OK, 0))
		bad_part(&model, "ledger", "it was removed, with the count of "
			 "%llu traces that the recorder had removed "
			 "(--max-size)", row.n[0]);
	ledger_close(&ledger);
	close(top);
	if (!found && !result->problems)
		return -ENOENT;
	return result->problems > INT_MAX ? INT_MAX : (int)result->problems;
}

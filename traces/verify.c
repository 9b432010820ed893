/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recounts traces on disk: steps over each event of each packet, and compares
 * every number that a trace states with what it holds.
 *
 * What must stay true here: nothing on disk is trusted; what cannot be read
 * is a problem, not a crash.
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

#include "traces/idx.h"
#include "traces/metadata.h"
#include "traces/verify.h"

#define CTF_HEAD_BYTES	(PACKET_HEAD_BYTES - PACKET_PRIVATE_BYTES)
#define METADATA_MAX	(64u << 20)
#define LEDGER_LINE	256

struct verifier {
	struct verify_result *result;
	void (*report)(const char *where, const char *fact, void *priv);
	void *priv;
	int fd;				/* the trace */
	const char *trace;		/* its name */
	struct session_view session;
	struct packet_format format;
	struct event_shape *shapes;
	char *metadata;
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
	struct packet_head last;
};

static void problem_va(struct verifier *v, const char *name,
		       const char *format, va_list ap)
{
	char where[2 * NAME_MAX];
	char fact[256];

	v->result->problems++;
	if (!v->report)
		return;
	snprintf(where, sizeof(where), "%s%s%s", v->trace, name ? "/" : "",
		 name ? name : "");
	vsnprintf(fact, sizeof(fact), format, ap);
	v->report(where, fact, v->priv);
}

static __attribute__((format(printf, 3, 4)))
void problem(struct verifier *v, const char *name, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	problem_va(v, name, format, ap);
	va_end(ap);
}

/* Reports a problem of a stream. Returns -EBADMSG. */
static __attribute__((format(printf, 2, 3)))
int complain(struct stream *s, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	problem_va(s->v, s->file, format, ap);
	va_end(ap);
	return -EBADMSG;
}

static bool uuid_described(const struct verifier *v, const uint8_t *uuid)
{
	char text[64];
	size_t n = 0;
	int i;

	n += (size_t)sprintf(text, "uuid = \"");
	for (i = 0; i < 16; i++)
		n += (size_t)sprintf(text + n, "%s%02x", i == 4 || i == 6 ||
				     i == 8 || i == 10 ? "-" : "", uuid[i]);
	return strstr(v->metadata, text);
}

/* Compares a packet with the one before it in the stream. */
static int check_order(struct stream *s, const struct packet_head *head)
{
	const struct packet_head *last = &s->last;

	if (!s->packets && !s->before)
		return uuid_described(s->v, head->uuid) ? 0 :
		       complain(s, "its uuid is not that of the metadata");
	if (memcmp(head->uuid, last->uuid, sizeof(head->uuid)) ||
	    head->stream_instance_id != last->stream_instance_id)
		return complain(s, "packet %llu is of another stream",
				(unsigned long long)head->packet_seq_num);
	if (head->packet_seq_num != last->packet_seq_num + 1)
		return complain(s, "packet %llu follows packet %llu",
				(unsigned long long)head->packet_seq_num,
				(unsigned long long)last->packet_seq_num);
	if (head->timestamp_begin < last->timestamp_end)
		return complain(s, "packet %llu begins before the end of the "
				"one before it",
				(unsigned long long)head->packet_seq_num);
	if (head->events_discarded < last->events_discarded)
		return complain(s, "packet %llu has fewer lost events than "
				"the one before it",
				(unsigned long long)head->packet_seq_num);
	return 0;
}

static int check_head(struct stream *s, const struct packet_head *head)
{
	uint64_t room = s->map.bytes - s->offset;

	if (head->magic != CTF_PACKET_MAGIC || head->stream_id)
		return complain(s, "no packet at byte %llu",
				(unsigned long long)s->offset);
	/* the last packet of a file that grew calls the rest its padding */
	if ((head->content_size != head->packet_size &&
	     (head->packet_size != room * 8 || s->idx.address)) ||
	    (head->content_size & 7) ||
	    head->content_size / 8 < CTF_HEAD_BYTES ||
	    head->content_size / 8 > room)
		return complain(s, "packet %llu at byte %llu is incomplete",
				(unsigned long long)head->packet_seq_num,
				(unsigned long long)s->offset);
	if (head->timestamp_end < head->timestamp_begin)
		return complain(s, "packet %llu ends before it begins",
				(unsigned long long)head->packet_seq_num);
	return check_order(s, head);
}

static int check_events(struct stream *s, const struct packet_head *head)
{
	const char *at = (const char *)s->map.address + s->offset +
			 CTF_HEAD_BYTES;
	struct packet_walk walk;
	int ret = packet_walk(&s->v->format, head->timestamp_begin, at,
			      head->content_size / 8 - CTF_HEAD_BYTES, &walk);

	s->kept += walk.count;
	if (ret)
		return complain(s, "packet %llu: event %llu makes no sense",
				(unsigned long long)head->packet_seq_num,
				(unsigned long long)walk.count);
	if (walk.last > head->timestamp_end)
		return complain(s, "packet %llu ends before its last event",
				(unsigned long long)head->packet_seq_num);
	return 0;
}

static int check_idx(struct stream *s, const struct packet_head *head)
{
	const struct ctf_index_entry *entries;
	struct ctf_index_entry entry;
	size_t at = sizeof(struct ctf_index_header) +
		    s->packets * sizeof(entry);

	if (!s->idx.address)
		return 0;
	if (at + sizeof(entry) > s->idx.bytes)
		return complain(s, "the index ends before packet %llu",
				(unsigned long long)head->packet_seq_num);
	entries = (const void *)((const char *)s->idx.address + at);
	idx_entry_encode(&entry, head, s->offset);
	if (memcmp(&entry, entries, sizeof(entry)))
		return complain(s, "the index differs from packet %llu",
				(unsigned long long)head->packet_seq_num);
	return 0;
}

static int check_packet(struct stream *s)
{
	struct packet_head head = { 0 };
	int ret;

	if (s->map.bytes - s->offset < CTF_HEAD_BYTES)
		return complain(s, "incomplete packet at byte %llu",
				(unsigned long long)s->offset);
	memcpy((char *)&head + PACKET_PRIVATE_BYTES,
	       (const char *)s->map.address + s->offset, CTF_HEAD_BYTES);
	ret = check_head(s, &head);
	if (ret)
		return ret;
	ret = check_idx(s, &head);
	if (!ret)
		ret = check_events(s, &head);
	s->last = head;
	s->packets++;
	s->offset += head.packet_size / 8;
	return ret;
}

/* Reads the ledger's row of a stream. False: there is none. */
static bool ledger_row(struct verifier *v, const char *name, uint64_t row[4])
{
	int fd = openat(v->fd, "index/ledger", O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	unsigned long long n[4];
	char line[LEDGER_LINE];
	char word[64];
	bool found = false;
	int i;

	while (f && !found && fgets(line, sizeof(line), f)) {
		memset(n, 0, sizeof(n));
		found = sscanf(line, "%63s %llu %llu %llu %llu", word, &n[0],
			       &n[1], &n[2], &n[3]) >= 2 &&
			!strcmp(word, name);
		for (i = 0; i < 4; i++)
			row[i] = n[i];
	}
	if (f)
		fclose(f);
	return found;
}

static void check_ledger(struct stream *s)
{
	struct verify_result *result = s->v->result;
	uint64_t row[4] = { 0 };

	if (!ledger_row(s->v, s->name, row)) {
		complain(s, "the ledger does not name it: was the recording "
			    "killed?");
		row[0] = row[1] = s->kept;
	} else if (row[1] != s->kept) {
		complain(s, "%llu events, the ledger says %llu",
			 (unsigned long long)s->kept,
			 (unsigned long long)row[1]);
	} else if (row[0] != row[1] + row[2] + row[3]) {
		complain(s, "emitted %llu is not kept %llu + overwritten %llu "
			    "+ lost %llu", (unsigned long long)row[0],
			 (unsigned long long)row[1],
			 (unsigned long long)row[2],
			 (unsigned long long)row[3]);
	} else if (s->last.events_discarded != row[3]) {
		complain(s, "its last packet says %llu lost, the ledger %llu",
			 (unsigned long long)s->last.events_discarded,
			 (unsigned long long)row[3]);
	}
	result->emitted += row[0];
	result->kept += s->kept;
	result->overwritten += row[2];
	result->lost += row[3];
}

static void open_idx(struct stream *s)
{
	char name[NAME_MAX + 16];
	int ret;

	snprintf(name, sizeof(name), "index/%s.idx", s->file);
	ret = file_map_open(&s->idx, s->v->fd, name,
			    sizeof(struct ctf_index_header), 0);
	if (ret == -ENOENT)
		return;
	if (ret)
		complain(s, "cannot read its index: %s", strerror(-ret));
	else if (idx_header_check(s->idx.address))
		complain(s, "its index is none");
}

static int check_file(struct stream *s, const char *file)
{
	int ret;

	s->file = file;
	s->before += s->packets;
	s->packets = 0;
	s->offset = 0;
	memset(&s->idx, 0, sizeof(s->idx));
	ret = file_map_open(&s->map, s->v->fd, file, 1, 0);
	if (ret)
		return complain(s, "cannot read it: %s", strerror(-ret));
	open_idx(s);
	while (!ret && s->offset < s->map.bytes)
		ret = check_packet(s);
	if (!ret && s->idx.address &&
	    s->idx.bytes != sizeof(struct ctf_index_header) +
			    s->packets * sizeof(struct ctf_index_entry))
		complain(s, "its index has more packets than it");
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

static bool same_stream(const char *file, const char *name)
{
	size_t n = stream_name_bytes(file);

	return n == strlen(name) && !memcmp(file, name, n);
}

/* Checks the files of the stream of list[0]. Returns how many there are. */
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

static bool has_file(struct dirent **list, int n, const char *name)
{
	while (n--)
		if (same_stream(list[n]->d_name, name))
			return true;
	return false;
}

/* Reports streams of the ledger that kept events but have no file. */
static void check_missing(struct verifier *v, struct dirent **list, int n)
{
	int fd = openat(v->fd, "index/ledger", O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	unsigned long long emitted;
	unsigned long long kept;
	unsigned long long over;
	unsigned long long lost;
	char line[LEDGER_LINE];
	char name[64];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "stream_%*s %llu %llu %llu %llu", &emitted,
			   &kept, &over, &lost) != 4 ||
		    sscanf(line, "%63s", name) != 1 ||
		    has_file(list, n, name))
			continue;
		if (kept)
			problem(v, name, "%llu events, but no file", kept);
		else if (emitted != over + lost)
			problem(v, name, "emitted %llu is not overwritten "
				"%llu + lost %llu", emitted, over, lost);
		v->result->overwritten += over;
		v->result->emitted += emitted;
		v->result->lost += lost;
	}
	if (f)
		fclose(f);
}

static int load(struct verifier *v)
{
	struct file_map map;
	int ret = file_map_open(&map, v->fd, "metadata", 1, 0);

	if (ret)
		return ret;
	if (map.bytes > METADATA_MAX ||
	    strncmp(map.address, "/* CTF 1.8 */", map.bytes < 13 ? 0 : 13) ||
	    map.bytes < 13)
		ret = -EBADMSG;
	else
		v->metadata = strndup(map.address, map.bytes);
	file_map_close(&map);
	if (!v->metadata)
		return ret ? ret : -ENOMEM;
	ret = session_view_open(&v->session, v->fd, "index/session");
	if (ret)
		return ret;
	ret = metadata_format(&v->format, &v->shapes, &v->session);
	if (ret)
		session_view_close(&v->session);
	return ret;
}

static int compare(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static int is_stream(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "stream_", 7);
}

static int is_entry(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void check_trace(struct verifier *v)
{
	uint64_t row[4] = { 0 };
	struct dirent **list = NULL;
	int ret = load(v);
	int n;
	int i;

	v->result->traces++;
	if (ret) {
		problem(v, NULL, "metadata or index/session: %s",
			strerror(-ret));
		free(v->metadata);
		return;
	}
	n = scandirat(v->fd, ".", &list, is_stream, compare);
	if (n < 0)
		problem(v, NULL, "cannot list it: %s", strerror(errno));
	for (i = 0; i < n; i += check_stream(v, list + i, n - i))
		;
	check_missing(v, list, n);
	for (i = 0; i < n; i++)
		free(list[i]);
	free(list);
	if (ledger_row(v, "unplaced", row)) {
		v->result->lost += row[0];
		v->result->emitted += row[0];
	}
	session_view_close(&v->session);
	free(v->shapes);
	free(v->metadata);
}

/* Checks `name` below `top` if it is a trace. Returns 1 if it is one. */
static int try_trace(const struct verifier *model, int top, const char *name,
		     const char *shown)
{
	struct verifier v = *model;
	int found;

	v.fd = openat(top, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (v.fd < 0)
		return 0;
	v.trace = shown;
	found = !faccessat(v.fd, "metadata", F_OK, 0) ||
		!faccessat(v.fd, "index/session", F_OK, 0);
	if (found)
		check_trace(&v);
	close(v.fd);
	return found;
}

/* Adds the traces that were removed, from DIR/ledger. */
static void check_gone(struct verifier *v, int top)
{
	int fd = openat(top, "ledger", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	unsigned long long traces;
	unsigned long long emitted;
	unsigned long long kept;
	unsigned long long over;
	unsigned long long lost;

	if (!f)
		return;
	if (fscanf(f, "# traces emitted kept overwritten lost %llu %llu %llu "
		      "%llu %llu", &traces, &emitted, &kept, &over,
		   &lost) != 5) {
		problem(v, NULL, "cannot read its ledger");
	} else if (kept || emitted != over + lost) {
		problem(v, NULL, "ledger: emitted %llu is not overwritten "
			"%llu + lost %llu", emitted, over, lost);
	} else {
		v->result->emitted += emitted;
		v->result->overwritten += over;
		v->result->lost += lost;
	}
	fclose(f);
}

int verify_directory(struct verify_result *result, const char *path,
		     void (*report)(const char *where, const char *fact,
				    void *priv), void *priv)
{
	struct verifier model = { .result = result, .report = report,
				  .priv = priv };
	struct dirent **list = NULL;
	int found;
	int top;
	int n;
	int i;

	memset(result, 0, sizeof(*result));
	top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (top < 0)
		return -errno;
	found = try_trace(&model, top, ".", path);
	n = found ? 0 : scandirat(top, ".", &list, is_entry, compare);
	for (i = 0; i < n; i++) {
		found |= try_trace(&model, top, list[i]->d_name,
				   list[i]->d_name);
		free(list[i]);
	}
	free(list);
	model.trace = path;
	check_gone(&model, top);
	close(top);
	if (!found)
		return -ENOENT;
	return result->problems > INT_MAX ? INT_MAX : (int)result->problems;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Streams of a trace on disk: files of packets (docs/traces.md).
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/checksum.h"
#include "traces/idx.h"
#include "traces/unreadable.h"
#include "traces/read/private.h"

#define FILE_BYTES	64		/* of a name: "stream_31_7" */

static const char cut_short[] = "a packet is cut short";

/* Packets of one stream without a gap, by their numbers and begins. */
struct span {
	uint64_t first;
	uint64_t last;
	uint64_t first_begin;
	uint64_t last_begin;
};

struct file_stream {
	struct read_stream stream;
	struct span *given;		/* by other directories of the trace */
	size_t ngiven;
	char(*files)[FILE_BYTES];	/* names, in order */
	size_t nfiles;
	size_t next;			/* the next file to open */
	struct file_map map;		/* of the one before it, if open */
	struct file_map idx;		/* of that file, if it is complete */
	size_t nentries;
	size_t entry;			/* the next one, or a later one */
	uint64_t offset;
	uint64_t last;			/* of the last packet that was taken */
	bool ended;			/* its end was looked at */
	bool cut;			/* its last packet is not whole */
	bool strange;			/* the index has not all packets */
};

static struct file_stream *of(struct read_stream *stream)
{
	return (struct file_stream *)stream;
}

static const char *file_name(const struct file_stream *f)
{
	return f->files[f->next - 1];
}

static void complain(struct file_stream *f, const char *fact)
{
	char where[PATH_MAX + NAME_MAX];

	snprintf(where, sizeof(where), "%s/%s", f->stream.path,
		 file_name(f));
	reader_problem(f->stream.reader, where, "byte %llu: %s",
		       (unsigned long long)f->offset, fact);
}

/* Maps a file of the trace. Returns 0 or a negative errno. */
static int map_file(const struct file_stream *f, struct file_map *map,
		    const char *format, const char *file)
{
	char name[NAME_MAX + 32];
	int dir = open(f->stream.path,
		       O_PATH | O_DIRECTORY | O_CLOEXEC);
	int ret = -errno;

	if (dir < 0)
		return ret;
	snprintf(name, sizeof(name), format, file);
	ret = file_map_open_many(map, dir, name);
	close(dir);
	return ret;
}

static void idx_open(struct file_stream *f)
{
	struct file_map idx;
	size_t n;

	if (map_file(f, &idx, "index/%s.idx", file_name(f)))
		return;
	if (idx.bytes < sizeof(struct ctf_index_header) ||
	    idx_header_check(idx.address)) {
		file_map_close(&idx);
		return;
	}
	n = (idx.bytes - sizeof(struct ctf_index_header)) /
	    sizeof(struct ctf_index_entry);
	if (!idx_is_sound(idx.address, n)) {
		complain(f, "its index is damaged, and not used");
		file_map_close(&idx);
		return;
	}
	f->idx = idx;
	f->nentries = n;
}

/* A complete file was cut, or the recorder completed it meanwhile. */
static void map_again(struct file_stream *f)
{
	struct ctf_index_entry entry;
	struct file_map map;

	if (!f->nentries)
		return;
	idx_entry_get(f->idx.address, f->nentries - 1, &entry);
	if (entry.offset < f->map.bytes || map_file(f, &map, "%s",
						    file_name(f)))
		return;
	file_map_close(&f->map);
	f->map = map;
}

static void close_file(struct file_stream *f)
{
	if (f->idx.address)
		file_map_close(&f->idx);
	if (f->map.address)
		file_map_close(&f->map);
	memset(&f->idx, 0, sizeof(f->idx));
	memset(&f->map, 0, sizeof(f->map));
	f->nentries = 0;
	f->entry = 0;
	f->offset = 0;
	f->ended = false;
	f->cut = false;
	f->strange = false;
}

/* Finds the first entry of the index that is at the offset or behind it.
 * Returns false if there is none. */
static bool find_entry(struct file_stream *f, struct ctf_index_entry *entry)
{
	while (f->entry < f->nentries) {
		idx_entry_get(f->idx.address, f->entry, entry);
		if (entry->offset >= f->offset)
			return true;
		f->entry++;
	}
	return false;
}

static bool is_unchanged(const struct file_stream *f,
			 const struct packet_head *head,
			 const struct ctf_index_entry *entry)
{
	const char *at = (const char *)f->map.address + f->offset;

	return entry->checksum ==
	       checksum_bytes(head->cpu_id, at + CTF_HEAD_BYTES,
			      head->content_size / 8 - CTF_HEAD_BYTES);
}

/* Gives up a file that was cut short after it was opened: what follows are
 * zeros. Returns whether it was. */
static bool file_cut(struct read_stream *stream)
{
	struct file_stream *f = of(stream);

	if (!f->map.address || f->map.copy ||
	    !map_guard_cut(f->map.address))
		return false;
	complain(f, "the file was cut short while it was read");
	close_file(f);
	return true;
}

/* Compares a head with its entry. Losses that come after the last packet are
 * written into it when it has long been complete. */
static bool is_head_of(const struct file_stream *f,
		       const struct packet_head *head,
		       const struct ctf_index_entry *entry)
{
	return head->packet_size == entry->packet_size &&
	       head->content_size == entry->content_size &&
	       head->timestamp_begin == entry->timestamp_begin &&
	       head->timestamp_end == entry->timestamp_end &&
	       head->stream_instance_id == entry->stream_instance_id &&
	       head->packet_seq_num == entry->packet_seq_num &&
	       (head->events_discarded == entry->events_discarded ||
		f->entry + 1 == f->nentries);
}

/* Moves to the first packet that the index says to end at `begin` or later. A
 * packet is checked as any other, so a wrong index only costs time or is told.
 */
static void seek(struct file_stream *f, uint64_t begin)
{
	struct ctf_index_entry entry;
	size_t low = 0, high = f->nentries;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		idx_entry_get(f->idx.address, middle, &entry);
		if (entry.timestamp_end < begin)
			low = middle + 1;
		else
			high = middle;
	}
	if (low) {
		idx_entry_get(f->idx.address, low - 1, &entry);
		if (entry.offset < f->map.bytes)
			f->offset = entry.offset;
	}
}

/* Opens the next file. Returns false when there is none. */
static bool next_file(struct file_stream *f, uint64_t begin)
{
	int ret;

	/* the last file stays: it may grow */
	if (f->next == f->nfiles)
		return false;
	close_file(f);
	f->next++;
	ret = map_file(f, &f->map, "%s", file_name(f));
	/* a recorder makes files, and removes them (--max-size) */
	if (f->stream.reader->recorded && (ret == -EBADMSG || ret == -ENOENT))
		;
	else if (ret == -EBADMSG)
		complain(f, "the file is empty");
	else if (ret)
		complain(f, trace_reason(ret));
	if (ret) {
		memset(&f->map, 0, sizeof(f->map));
		return true;
	}
	idx_open(f);
	map_again(f);
	if (begin)
		seek(f, begin);
	return true;
}

/* Reads the head at the offset, and checks it. Returns NULL, or what is wrong.
 */
static const char *take_head(const struct file_stream *f,
			     struct packet_head *head)
{
	uint64_t room = f->map.bytes - f->offset;

	if (room < CTF_HEAD_BYTES)
		return cut_short;
	memcpy((char *)head + PACKET_PRIVATE_BYTES,
	       (const char *)f->map.address + f->offset, CTF_HEAD_BYTES);
	if (head->magic != CTF_PACKET_MAGIC || head->stream_id)
		return "there is no packet";
	if ((head->packet_size & 7) || (head->content_size & 7) ||
	    head->content_size / 8 < CTF_HEAD_BYTES ||
	    head->packet_size < head->content_size)
		return "a packet has an impossible size";
	if (memcmp(head->uuid, f->stream.event.trace->uuid, 16))
		return "a packet is of another trace";
	return head->content_size / 8 > room ? cut_short : NULL;
}

/* Returns whether a recorder has written behind the file's end as it was, or
 * has cut off what it had reserved behind the last packet. */
static bool has_moved(struct file_stream *f)
{
	struct file_map map = f->map;

	if (!f->stream.reader->recorded ||
	    map_file(f, &map, "%s", file_name(f)))
		return false;
	if (map.bytes > f->map.bytes || map.bytes == f->offset) {
		file_map_close(&f->map);
		f->map = map;
		return true;
	}
	file_map_close(&map);
	return false;
}

/* Finds the next packet that the index names, behind damage. */
static void resync(struct file_stream *f)
{
	struct ctf_index_entry entry;
	uint64_t to = f->map.bytes;

	for (size_t i = 0; i < f->nentries && to == f->map.bytes; i++) {
		idx_entry_get(f->idx.address, i, &entry);
		if (entry.offset > f->offset && entry.offset < to)
			to = entry.offset;
	}
	f->offset = to;
}

/* Tells what is missing at the end of a file that was complete. */
static void look_at_end(struct file_stream *f)
{
	struct ctf_index_entry entry;
	size_t n = f->nentries;

	if (f->ended)
		return;
	f->ended = true;
	while (n) {
		idx_entry_get(f->idx.address, n - 1, &entry);
		if (entry.offset < f->map.bytes)
			break;
		n--;
	}
	if (n == f->nentries)
		return;
	f->offset = f->map.bytes;
	complain(f, "the file ends before the last packet that its index has");
}

/* Checks a packet by the index of a complete file, and steps over it. What the
 * index says of the next one is believed only if they differ in this one. */
static void pass(struct file_stream *f, const struct packet_head *head,
		 bool wanted)
{
	struct ctf_index_entry entry = { 0 };
	uint64_t next = f->offset + head->packet_size / 8;
	bool found = find_entry(f, &entry) && entry.offset == f->offset;

	f->last = f->offset;
	if (!found) {
		if (f->nentries && !f->strange)
			complain(f, "the index does not have this packet");
		f->strange = true;
	} else if (!is_head_of(f, head, &entry)) {
		complain(f, "the packet's head was changed: the index has "
			    "another");
		f->offset++;
		if (find_entry(f, &entry) && entry.offset < next)
			next = entry.offset;
	} else if (wanted && !is_unchanged(f, head, &entry)) {
		complain(f, "the packet was changed: its checksum is wrong");
	}
	f->offset = next;
}

/* Returns whether another directory of the trace gives this packet. */
static bool is_given(const struct file_stream *f,
		     const struct packet_head *head)
{
	for (size_t i = 0; i < f->ngiven; i++) {
		const struct span *span = &f->given[i];

		if (head->packet_seq_num >= span->first &&
		    head->packet_seq_num <= span->last &&
		    head->timestamp_begin >= span->first_begin &&
		    head->timestamp_begin <= span->last_begin)
			return true;
	}
	return false;
}

/* Takes the events that are left of a packet at the end of a file. The size of
 * the packet is believed if the index has the same head: there is no padding
 * before the file's end, which would be taken for events then. */
static bool take_rest(struct file_stream *f, struct read_packet *packet)
{
	struct ctf_index_entry entry;

	if (f->map.bytes - f->offset <= CTF_HEAD_BYTES ||
	    !find_entry(f, &entry) || entry.offset != f->offset ||
	    !is_head_of(f, &packet->head, &entry))
		return false;
	packet->events = (const uint8_t *)f->map.address + f->offset +
			 CTF_HEAD_BYTES;
	packet->bytes = f->map.bytes - f->offset - CTF_HEAD_BYTES;
	packet->cut = true;
	f->offset = f->map.bytes;
	f->cut = true;
	return true;
}

/* Sees a packet that came in the padding of the last one, or behind the end. */
static void file_refresh(struct read_stream *stream)
{
	struct file_stream *f = of(stream);
	struct packet_head head = { 0 };
	struct file_map map;

	if (!f->map.address || f->offset < f->map.bytes || f->cut ||
	    map_file(f, &map, "%s", file_name(f)))
		return;
	file_map_close(&f->map);
	f->map = map;
	f->offset = f->last;
	if (!take_head(f, &head))
		f->offset += head.packet_size / 8;
	if (f->offset > f->map.bytes)
		f->offset = f->map.bytes;
}

static bool file_packet(struct read_stream *stream, uint64_t begin,
			struct read_packet *packet)
{
	struct file_stream *f = of(stream);
	const char *fact;
	bool wanted;

	for (;;) {
		if (f->offset >= f->map.bytes) {
			if (stream->stale) {
				file_refresh(stream);
			} else {
				look_at_end(f);
				if (!next_file(f, begin))
					return false;
			}
			stream->stale = false;
			continue;
		}
		fact = take_head(f, &packet->head);
		if (file_cut(stream))
			continue;
		packet->given = is_given(f, &packet->head);
		if (fact && has_moved(f))
			continue;
		if (fact) {
			/* a recorder may be writing the last packet */
			if (fact != cut_short || !stream->reader->recorded ||
			    f->idx.address || f->next != f->nfiles)
				complain(f, fact);
			if (fact == cut_short && take_rest(f, packet)) {
				if (packet->head.timestamp_end >= begin)
					return true;
				stream_skip(stream, &packet->head);
			}
			resync(f);
			continue;
		}
		packet->events = (const uint8_t *)f->map.address + f->offset +
				 CTF_HEAD_BYTES;
		packet->bytes = packet->head.content_size / 8 - CTF_HEAD_BYTES;
		wanted = packet->head.timestamp_end >= begin;
		pass(f, &packet->head, wanted && !packet->given &&
		     !stream->reader->quiet);
		if (wanted)
			return true;
		stream_skip(stream, &packet->head);
	}
}

static void file_rewind(struct read_stream *stream)
{
	struct file_stream *f = of(stream);

	f->next = 0;
	f->entry = 0;
	f->offset = f->map.bytes;
	f->ended = true;
}

/* Walks over the heads of one file. */
static bool last_of_file(struct file_stream *f, uint64_t *reading)
{
	struct packet_head head = { 0 };
	struct ctf_index_entry entry;
	size_t n = f->nentries;
	bool found = false;

	while (n && !found) {
		idx_entry_get(f->idx.address, --n, &entry);
		found = entry.content_size > 8 * CTF_HEAD_BYTES;
		*reading = entry.timestamp_end;
	}
	while (!found && f->offset < f->map.bytes && !take_head(f, &head)) {
		f->offset += head.packet_size / 8;
		if (head.content_size == 8 * CTF_HEAD_BYTES)
			continue;
		*reading = head.timestamp_end;
		found = true;
		while (f->offset < f->map.bytes && !take_head(f, &head)) {
			f->offset += head.packet_size / 8;
			if (head.content_size > 8 * CTF_HEAD_BYTES)
				*reading = head.timestamp_end;
		}
	}
	return found;
}

static bool file_last(struct read_stream *stream, uint64_t *reading)
{
	struct file_stream *f = of(stream);
	size_t from = f->nfiles;

	while (from) {
		f->next = --from;
		if (next_file(f, 0) && f->map.address &&
		    last_of_file(f, reading))
			return true;
	}
	return false;
}

static void file_close(struct read_stream *stream)
{
	struct file_stream *f = of(stream);

	close_file(f);
	free(f->files);
	free(f->given);
	free(f);
}

static const struct read_source file_source = {
	.packet = file_packet, .last = file_last, .refresh = file_refresh,
	.rewind = file_rewind, .cut = file_cut, .close = file_close,
};

static int compare(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static int is_stream(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "stream_", 7) &&
	       strlen(entry->d_name) < FILE_BYTES;
}

/* Returns the length of stream_CPU in the name of a file. */
static size_t name_bytes(const char *file)
{
	return 7 + strcspn(file + 7, "_");
}

static bool same_stream(const struct dirent *a, const struct dirent *b)
{
	size_t n = name_bytes(a->d_name);

	return n == name_bytes(b->d_name) && !memcmp(a->d_name, b->d_name, n);
}

/* Finds the next stream of a file's name, in any directory of the trace. */
static struct file_stream *find(const struct reader *reader, size_t *at,
				const struct trace_class *trace,
				const char *file)
{
	size_t bytes = name_bytes(file);

	while (*at < reader->nstreams) {
		struct read_stream *s = reader->streams[(*at)++];

		if (s->event.trace == trace && strlen(s->name) == bytes &&
		    !memcmp(s->name, file, bytes))
			return of(s);
	}
	return NULL;
}

/* Finds the last packet of the file that is open. */
static bool last_head(struct file_stream *f, struct span *span)
{
	struct packet_head head = { 0 };
	struct ctf_index_entry entry;
	bool found = f->nentries;

	if (found) {
		idx_entry_get(f->idx.address, f->nentries - 1, &entry);
		span->last = entry.packet_seq_num;
		span->last_begin = entry.timestamp_begin;
	}
	while (!f->nentries && f->offset < f->map.bytes &&
	       !take_head(f, &head)) {
		f->offset += head.packet_size / 8;
		span->last = head.packet_seq_num;
		span->last_begin = head.timestamp_begin;
		found = true;
	}
	return found;
}

/* Finds which packets a stream has. What is wrong is told when it is read. */
static bool find_span(const struct file_stream *other, struct span *span)
{
	bool quiet = other->stream.reader->quiet, found = false;
	struct file_stream f = {
		.stream.event.trace = other->stream.event.trace,
		.stream.reader = other->stream.reader,
		.stream.path = other->stream.path,
		.files = other->files, .nfiles = other->nfiles,
	};
	struct packet_head head = { 0 };

	f.stream.reader->quiet = true;
	while (!found && next_file(&f, 0))
		found = f.map.address && !take_head(&f, &head);
	span->first = head.packet_seq_num;
	span->first_begin = head.timestamp_begin;
	for (size_t from = f.nfiles; found; from--) {
		f.next = from - 1;
		next_file(&f, 0);
		if (f.map.address && last_head(&f, span))
			break;
		found = from > 1;
	}
	close_file(&f);
	f.stream.reader->quiet = quiet;
	return found;
}

/* Notes which packets of a new stream other directories give. */
static int note_given(struct reader *reader, struct file_stream *f,
		      const char *file)
{
	struct file_stream *other;
	struct span *more;
	size_t at = 0;

	while ((other = find(reader, &at, f->stream.event.trace, file))) {
		more = reallocarray(f->given, f->ngiven + 1, sizeof(*more));
		if (!more)
			return -ENOMEM;
		f->given = more;
		f->ngiven += find_span(other, &more[f->ngiven]);
	}
	return 0;
}

/* Adds the files that are behind the last one. The first ones of a row may have
 * gone meanwhile. A follower, which never goes back, forgets those that it has
 * read. Returns how many there are, or -ENOMEM. */
static int add_files(struct file_stream *f, struct dirent **list, int n)
{
	char(*more)[FILE_BYTES];
	size_t read = f->next > 1 && reader_forgets(f->stream.reader) ?
		      f->next - 1 : 0;
	size_t known = f->nfiles - read;
	int same = 0;
	int i;

	if (read)
		memmove(f->files, f->files + read, known * FILE_BYTES);
	f->next -= read;
	f->nfiles = known;
	while (same < n && same_stream(list[same], list[0]))
		same++;
	for (i = 0; i < same && known; i++)
		if (strverscmp(list[i]->d_name, f->files[known - 1]) > 0)
			break;
	if (i == same)
		return same;
	more = realloc(f->files, (known + (size_t)(same - i)) * FILE_BYTES);
	if (!more)
		return -ENOMEM;
	f->files = more;
	for (; i < same; i++)
		strcpy(more[f->nfiles++], list[i]->d_name);
	return same;
}

/* Finds the stream of a file in one directory. */
static struct file_stream *find_in(const struct reader *reader,
				   const struct trace_class *trace,
				   const char *path, const char *file)
{
	struct file_stream *f;
	size_t at = 0;

	while ((f = find(reader, &at, trace, file)))
		if (!strcmp(f->stream.path, path))
			break;
	return f;
}

/* Makes a stream of the files that begin with the name of the first, or adds
 * them to it. Returns how many, or -ENOMEM. */
static int open_stream(struct reader *reader, struct trace_class *trace,
		       const char *path, bool known, struct dirent **list,
		       int n)
{
	const char *file = list[0]->d_name;
	struct file_stream *f = known ? find_in(reader, trace, path, file) :
					NULL;
	int ret;

	if (f)
		return add_files(f, list, n);
	f = calloc(1, sizeof(*f));
	if (!f)
		return -ENOMEM;
	f->stream.source = &file_source;
	f->stream.reader = reader;
	f->stream.event.trace = trace;
	f->stream.path = path;
	snprintf(f->stream.name, sizeof(f->stream.name), "%.*s",
		 (int)name_bytes(file), file);
	ret = add_files(f, list, n);
	if (ret < 0 || (known && note_given(reader, f, file)) ||
	    reader_add_stream(reader, &f->stream)) {
		file_close(&f->stream);
		return -ENOMEM;
	}
	return ret;
}

int read_files_open(struct reader *reader, struct trace_class *trace,
		    const char *path, bool known, int fd)
{
	struct dirent **list = NULL;
	int n = scandirat(fd, ".", &list, is_stream, compare);
	int ret = n < 0 ? -errno : 0;
	int i;

	for (i = 0; i < n && ret >= 0; i += ret)
		ret = open_stream(reader, trace, path, known, list + i,
				  n - i);
	for (i = 0; i < n; i++)
		free(list[i]);
	free(list);
	return ret < 0 ? ret : 0;
}

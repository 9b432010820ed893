/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Streams of a trace on disk: files of packets (docs/traces.md).
 *
 * Invariant: a packet's head is checked against the file's bytes before any
 * part of it is used, and the place of the next packet never lies before this
 * one, so every walk ends. The index may be wrong or missing: it says where to
 * look, and never how many bytes there are.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traces/checksum.h"
#include "traces/idx.h"
#include "traces/read/files-private.h"

/* A fact of take_head(). Callers compare the address: such a packet may still
 * be in the making, and part of it can be read. */
static const char cut_short[] = "a packet is cut short";

/* Returns the stream of files that a stream is. */
static struct file_stream *file_of(struct read_stream *stream)
{
	return (struct file_stream *)stream;
}

/* Returns the name of the open file: `next` is that of the one behind it, so
 * there is none before the first next_file(). */
static const char *file_name(const struct file_stream *f)
{
	return f->files[f->next - 1];
}

/* Reports a problem at the offset of the open file. */
static void file_complain(struct file_stream *f, const char *fact)
{
	char where[PATH_MAX + NAME_MAX];

	snprintf(where, sizeof(where), "%s/%s", f->stream.path, file_name(f));
	reader_problem(f->stream.reader, where, "byte %llu: %s",
		       (unsigned long long)f->offset, fact);
}

/* Maps a file of the trace. Returns 0 or a negative errno. The directory is
 * opened each time, so a reader of thousands of streams keeps no descriptors.
 */
static int map_file(const struct file_stream *f, struct file_map *map,
		    const char *format, const char *file)
{
	char name[NAME_MAX + 32];
	int dir = open(f->stream.path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int ret = -errno;

	if (dir < 0)
		return ret;
	snprintf(name, sizeof(name), format, file);
	ret = file_map_open_many(map, dir, name);
	close(dir);
	return ret;
}

/* Maps the open file anew, as far as it is there now. Returns false, and the
 * mapping stays, if that is less than so many bytes, or cannot be read. */
static bool map_again(struct file_stream *f, uint64_t least)
{
	struct file_map map;

	if (map_file(f, &map, "%s", file_name(f)))
		return false;
	if (map.bytes < least) {
		file_map_close(&map);
		return false;
	}
	file_map_close(&f->map);
	f->map = map;
	return true;
}

/*
 * Opens the index of the file, unless it is missing or damaged. Without an
 * index, the heads of packets alone lead on. The file is mapped again where it
 * ends before the last packet of the index: the recorder completed it after it
 * was mapped, or it was cut.
 */
static void idx_open(struct file_stream *f)
{
	struct ctf_index_entry entry;
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
		file_complain(f, "its index is damaged, and not used");
		file_map_close(&idx);
		return;
	}
	f->idx = idx;
	f->nentries = n;
	if (!n)
		return;
	idx_entry_get(idx.address, n - 1, &entry);
	if (entry.offset >= f->map.bytes)
		map_again(f, 0);
}

/* Closes the file and the index. The offset begins anew. */
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

/* Gives up a file that was cut short after it was opened: the bytes behind the
 * cut are zeros. A recorder that completes a file takes the end away that has
 * no packet: the file then goes on as it is now. Returns whether it was cut. */
static bool file_cut(struct read_stream *stream)
{
	struct file_stream *f = file_of(stream);

	if (!f->map.address || f->map.copy ||
	    !map_guard_cut(f->map.address))
		return false;
	if (stream->reader->recorded && map_again(f, f->offset))
		return true;
	file_complain(f, "the file was cut short while it was read");
	close_file(f);
	return true;
}

/* Compares a head with the entry of the index. Losses that come after the last
 * packet are written into that packet when its entry is complete. */
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

/*
 * Opens the next file, at its first packet; or, with an index, at the first one
 * that ends at `begin` or later: it is checked as any other, so a wrong index
 * only costs time or is told. Returns false when there is none. A file that
 * cannot be read counts as one without packets, after the report.
 */
static bool next_file(struct file_stream *f, uint64_t begin)
{
	struct ctf_index_entry entry;
	size_t low = 0, high, middle;
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
		file_complain(f, "the file is empty");
	else if (ret)
		file_complain(f, trace_reason(ret));
	if (ret) {
		memset(&f->map, 0, sizeof(f->map));
		return true;
	}
	idx_open(f);
	for (high = begin ? f->nentries : 0; low < high;) {
		middle = low + (high - low) / 2;
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
	return true;
}

/* Reads the head at the offset, and checks it. Returns NULL, or a sentence that
 * says what is wrong. */
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
	if (memcmp(head->uuid, f->uuid, 16))
		return "a packet is of another trace";
	return head->content_size / 8 > room ? cut_short : NULL;
}

/* Finds the next packet that the index names, behind damage; without one, the
 * end of the file. */
static void packet_resync(struct file_stream *f)
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

/* Reports packets that are missing at the end of a complete file, once a file.
 * Without an index nothing says that there were more. */
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
	file_complain(f, "the file ends before the last packet that its index "
			 "has");
}

/* Checks a packet by the index of a complete file, and steps over it. The place
 * of the next packet is taken from the index only if the index differs in this
 * packet. */
static void packet_pass(struct file_stream *f, const struct packet_head *head,
		 bool wanted)
{
	const char *at = (const char *)f->map.address + f->offset;
	struct ctf_index_entry entry = { 0 };
	uint64_t next = f->offset + head->packet_size / 8;
	bool found = find_entry(f, &entry) && entry.offset == f->offset;

	f->last = f->offset;
	if (!found) {
		if (f->nentries && !f->strange)
			file_complain(f, "the index does not have this packet");
		f->strange = true;
	} else if (!is_head_of(f, head, &entry)) {
		file_complain(f, "the packet's head was changed: the index has "
			    "another");
		f->offset++;
		if (find_entry(f, &entry) && entry.offset < next)
			next = entry.offset;
	} else if (wanted && entry.checksum !=
		   checksum_bytes(head->cpu_id, at + CTF_HEAD_BYTES,
				  head->content_size / 8 - CTF_HEAD_BYTES)) {
		file_complain(f,
			      "the packet was changed: its checksum is wrong");
	}
	f->offset = next;
}

/* Returns how many bytes there are of a packet at the end of a file, or 0. The
 * size of the packet is believed if the index has the same head: there is no
 * padding before the file's end, which would be taken for events then. */
static uint64_t rest_bytes(struct file_stream *f,
			   const struct packet_head *head)
{
	struct ctf_index_entry entry;

	if (f->map.bytes - f->offset <= CTF_HEAD_BYTES ||
	    !find_entry(f, &entry) || entry.offset != f->offset ||
	    !is_head_of(f, head, &entry))
		return 0;
	return f->map.bytes - f->offset;
}

/* Sees a packet that came in the padding of the last one, or behind the end. */
static void file_refresh(struct read_stream *stream)
{
	struct file_stream *f = file_of(stream);
	struct packet_head head = { 0 };

	if (!f->map.address || f->offset < f->map.bytes || f->cut ||
	    !map_again(f, 0))
		return;
	f->offset = f->last;
	if (!take_head(f, &head))
		f->offset += head.packet_size / 8;
	if (f->offset > f->map.bytes)
		f->offset = f->map.bytes;
}

/*
 * Takes the events that are left of a packet that is cut short. Returns false
 * if there is nothing to give, and the caller looks again at the offset: the
 * packet is left out; or a recorder has meanwhile written behind the end that
 * the file had, or cut off the room that it had reserved behind the last
 * packet, and nothing is reported.
 */
static bool take_damaged(struct file_stream *f, struct read_packet *packet,
			 const char *fact)
{
	struct read_stream *s = &f->stream;
	struct file_map map;
	uint64_t bytes;

	if (s->reader->recorded && !map_file(f, &map, "%s", file_name(f))) {
		if (map.bytes > f->map.bytes || map.bytes == f->offset) {
			file_map_close(&f->map);
			f->map = map;
			return false;
		}
		file_map_close(&map);
	}
	/* a recorder may be writing the last packet */
	if (fact != cut_short || !s->reader->recorded || f->idx.address ||
	    f->next != f->nfiles)
		file_complain(f, fact);
	bytes = fact == cut_short ? rest_bytes(f, &packet->head) : 0;
	if (bytes && !parts_longer(f, &packet->head, bytes)) {
		packet->events = (const uint8_t *)f->map.address + f->offset +
				 CTF_HEAD_BYTES;
		packet->bytes = bytes - CTF_HEAD_BYTES;
		packet->cut = true;
		f->offset = f->map.bytes;
		f->cut = true;
		if (packet->head.timestamp_end >= s->begin)
			return true;
		stream_skip(s, &packet->head);
	}
	packet_resync(f);
	return false;
}

/*
 * Takes the next packet, of this file or the next one. Damaged packets are
 * reported and left out; packets before `begin` are checked and skipped. Then
 * decides whether this stream gives the packet, or the stream of another
 * directory does: a packet that is whole here may have been shorter in a
 * snapshot, as the last one of its stream.
 */
static bool file_packet(struct read_stream *stream, uint64_t begin,
			struct read_packet *packet)
{
	struct file_stream *f = file_of(stream);
	const struct packet_head *head = &packet->head;
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
		if (fact && !take_damaged(f, packet, fact))
			continue;
		if (fact)
			break;
		packet->events = (const uint8_t *)f->map.address + f->offset +
				 CTF_HEAD_BYTES;
		packet->bytes = head->content_size / 8 - CTF_HEAD_BYTES;
		wanted = head->timestamp_end >= begin;
		packet_pass(f, head, wanted && !stream->reader->quiet &&
			    !parts_passed(f, head));
		if (wanted)
			break;
		stream_skip(stream, head);
	}
	packet->given = parts_passed(f, head);
	if (f->sibling != f && !packet->given) {
		packet->given = !packet->cut && f->offset >= f->map.bytes &&
				f->next == f->nfiles &&
				parts_longer(f, head, head->content_size / 8);
		if (packet->given)
			return true;
		if (stream->started)
			packet->before = stream->head;
		if (!stream->started ||
		    head->packet_seq_num > stream->head.packet_seq_num + 1)
			packet->follows = parts_before(f, head,
						       &packet->before);
	}
	if (parts_pass(f, head))
		reader_problem(stream->reader, "memory", "there is none left");
	return true;
}

/* Goes back to the first file. The mapping stays until next_file() takes
 * another; the offset says that all of it was read. */
static void file_rewind(struct read_stream *stream)
{
	struct file_stream *f = file_of(stream);

	f->next = 0;
	f->entry = 0;
	f->offset = f->map.bytes;
	f->ended = true;
	parts_rewind(f);
}

/* Finds the end of the last packet with events, by the index or the heads. The
 * files are looked at from the last one back, as most have such a packet. */
static bool file_last(struct read_stream *stream, uint64_t *reading)
{
	struct file_stream *f = file_of(stream);
	struct packet_head head = { 0 };
	struct ctf_index_entry entry;
	size_t n, from = f->nfiles;
	bool found = false;

	while (from && !found) {
		f->next = --from;
		if (!next_file(f, 0) || !f->map.address)
			continue;
		for (n = f->nentries; n && !found;) {
			idx_entry_get(f->idx.address, --n, &entry);
			found = entry.content_size > 8 * CTF_HEAD_BYTES;
			*reading = entry.timestamp_end;
		}
		if (found)
			break;
		while (f->offset < f->map.bytes && !take_head(f, &head)) {
			f->offset += head.packet_size / 8;
			if (head.content_size == 8 * CTF_HEAD_BYTES)
				continue;
			*reading = head.timestamp_end;
			found = true;
		}
	}
	return found;
}

/* Frees a stream. Others of its ring stay joined without it. */
static void file_close(struct read_stream *stream)
{
	struct file_stream *f = file_of(stream);

	close_file(f);
	parts_leave(f);
	free(f->files);
	free(f);
}

static const struct read_source file_source = {
	.packet = file_packet, .last = file_last, .refresh = file_refresh,
	.rewind = file_rewind, .cut = file_cut, .close = file_close,
};

/* Orders names by their numbers: the files of a stream stand together, in the
 * order in which they were written. */
static int entry_compare(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

/* Filter of scandirat(). A longer name is not one of ours, and has no room in a
 * list of files. */
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

/* Returns whether two files are of one stream. */
static bool same_stream(const struct dirent *a, const struct dirent *b)
{
	size_t n = name_bytes(a->d_name);

	return n == name_bytes(b->d_name) && !memcmp(a->d_name, b->d_name, n);
}

/* Finds the next stream of a file's name, in any directory of the trace. */
static struct file_stream *stream_find(const struct reader *reader, size_t *at,
				const struct trace_class *trace,
				const char *file)
{
	size_t bytes = name_bytes(file);

	while (*at < reader->nstreams) {
		struct read_stream *s = reader->streams[(*at)++];

		if (s->trace == trace && strlen(s->name) == bytes &&
		    !memcmp(s->name, file, bytes))
			return file_of(s);
	}
	return NULL;
}

/* Walks over a copy of the stream's state, so the stream itself does not move,
 * and reports nothing. */
static void each_packet(const struct file_stream *stream,
			void (*take)(const struct packet_head *head,
				     uint64_t bytes, void *priv),
			void *priv)
{
	bool quiet = stream->stream.reader->quiet;
	struct file_stream f = {
		.stream.reader = stream->stream.reader,
		.stream.path = stream->stream.path,
		.files = stream->files, .nfiles = stream->nfiles,
	};
	struct packet_head head = { 0 };
	const char *fact;

	memcpy(f.uuid, stream->uuid, sizeof(f.uuid));
	f.stream.reader->quiet = true;
	while (next_file(&f, 0)) {
		while (f.offset < f.map.bytes) {
			fact = take_head(&f, &head);
			if (!fact) {
				take(&head, head.content_size / 8, priv);
				packet_pass(&f, &head, false);
				continue;
			}
			if (fact == cut_short && rest_bytes(&f, &head))
				take(&head, rest_bytes(&f, &head), priv);
			packet_resync(&f);
		}
	}
	close_file(&f);
	f.stream.reader->quiet = quiet;
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

/* Makes a stream without files. Returns NULL without memory. */
static struct file_stream *new_stream(struct reader *reader,
				      const struct read_place *place,
				      const char *file)
{
	struct file_stream *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->stream.source = &file_source;
	f->stream.reader = reader;
	f->stream.event.trace = place->trace;
	f->stream.path = place->path;
	f->sibling = f;
	f->each = each_packet;
	memcpy(f->uuid, place->uuid, sizeof(f->uuid));
	snprintf(f->stream.name, sizeof(f->stream.name), "%.*s",
		 (int)name_bytes(file), file);
	return f;
}

int read_files_open(struct reader *reader, const struct read_place *place,
		    bool known, int fd)
{
	struct dirent **list = NULL;
	int n = scandirat(fd, ".", &list, is_stream, entry_compare);
	int ret = n < 0 ? -errno : 0;
	struct file_stream *f, *other;
	size_t at;

	for (int i = 0; i < n && ret >= 0; i += ret) {
		const char *file = list[i]->d_name;

		/* the files of a stream that is open are added to it */
		other = NULL;
		at = 0;
		while (known && (f = stream_find(reader, &at, place->trace,
						 file))) {
			if (!strcmp(f->stream.path, place->path))
				break;
			other = other ? other : f;
		}
		if (known && f) {
			ret = add_files(f, list + i, n - i);
			continue;
		}
		f = new_stream(reader, place, file);
		ret = f ? add_files(f, list + i, n - i) : -ENOMEM;
		if (ret >= 0 && reader_add_stream(reader, &f->stream))
			ret = -ENOMEM;
		if (ret < 0 && f)
			file_close(&f->stream);
		else if (ret >= 0 && other)
			parts_join(f, other);
	}
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
	return ret < 0 ? ret : 0;
}

bool read_files_agree(struct reader *reader, const struct read_place *place,
		      const struct trace_class *trace, int fd)
{
	struct dirent **list = NULL;
	int n = scandirat(fd, ".", &list, is_stream, entry_compare);
	struct file_stream *f, *other;
	bool agree = n >= 0;
	size_t at;

	for (int i = 0; i < n && agree; i++) {
		if (i && same_stream(list[i], list[i - 1]))
			continue;
		at = 0;
		f = new_stream(reader, place, list[i]->d_name);
		agree = f && add_files(f, list + i, n - i) > 0;
		while (agree && (other = stream_find(reader, &at, trace,
						     list[i]->d_name)))
			agree = parts_agree(other, f);
		if (f)
			file_close(&f->stream);
	}
	for (int i = 0; i < n; i++)
		free(list[i]);
	free(list);
	return agree;
}

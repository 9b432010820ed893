/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counts the events of `flood` or `many` in trace files, without any code of
 * the tracer: what `taffrail verify` is compared with.
 *
 *	count HEADER_BYTES FILE...	HEADER_BYTES 4 (compact) or 6 (some are
 *					wide)
 *
 * Every event is one u64. Prints
 *
 *	count events N		in the streams
 *	count lost N		the last events_discarded of each stream
 *	count bytes N		of the files
 *	count packets N
 *	count disorder N	values of one thread that do not ascend
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The packet's header and context, as the metadata describes them. */
struct packet {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id;
	uint64_t stream_instance_id;
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t content_size;
	uint64_t packet_size;
	uint64_t packet_seq_num;
	uint64_t events_discarded;
	uint32_t cpu_id;
} __attribute__((packed));

#define PACKET_MAGIC	0xC1FC1FC1u
#define FIELD_BYTES	8

static uint64_t events;
static uint64_t lost;
static uint64_t bytes;
static uint64_t packets;
static uint64_t disorder;
static unsigned header_bytes;

/* Bytes of the event header at p: compact, wide or extended. */
static uint64_t header_at(const unsigned char *p)
{
	unsigned int id = p[0] & 31;

	return id == 31 ? 1 + 4 + 8 : id == 30 ? 6 : 4;
}

/* `next` is what each thread's value is at least: a stream is of one CPU, a
 * thread that comes back to it has gone on elsewhere. */
static void events_count(const unsigned char *p, const unsigned char *end,
			 uint64_t *next)
{
	while (p < end) {
		uint64_t v;

		p += header_at(p);
		if (p + FIELD_BYTES > end)
			break;
		memcpy(&v, p, FIELD_BYTES);
		p += FIELD_BYTES;
		if (v < next[v >> 56])
			disorder++;
		next[v >> 56] = v + (header_bytes == 4);
		events++;
	}
}

static int stream_count(const unsigned char *p, uint64_t size)
{
	uint64_t next[256] = { 0 };
	uint64_t discarded = 0;
	uint64_t at = 0;

	while (at < size) {
		struct packet packet;

		if (size - at < sizeof(packet))
			return -1;
		memcpy(&packet, p + at, sizeof(packet));
		if (packet.magic != PACKET_MAGIC || packet.packet_size % 8 ||
		    packet.packet_size / 8 < sizeof(packet) ||
		    packet.packet_size / 8 > size - at ||
		    packet.content_size > packet.packet_size)
			return -1;
		events_count(p + at + sizeof(packet),
			     p + at + packet.content_size / 8, next);
		discarded = packet.events_discarded;
		at += packet.packet_size / 8;
		packets++;
	}
	bytes += size;
	lost += discarded;
	return 0;
}

static int file_count(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	void *p;
	int ret;

	if (fd < 0 || fstat(fd, &st))
		return -1;
	if (!st.st_size)
		return close(fd);
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return -1;
	ret = stream_count(p, (uint64_t)st.st_size);
	munmap(p, (size_t)st.st_size);
	return ret;
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 3)
		return 2;
	header_bytes = (unsigned)atoi(argv[1]);
	for (i = 2; i < argc; i++)
		if (file_count(argv[i])) {
			fprintf(stderr, "count: %s: not as expected\n",
				argv[i]);
			return 1;
		}
	printf("count events %llu\ncount lost %llu\ncount bytes %llu\n"
	       "count packets %llu\ncount disorder %llu\n",
	       (unsigned long long)events, (unsigned long long)lost,
	       (unsigned long long)bytes, (unsigned long long)packets,
	       (unsigned long long)disorder);
	return 0;
}

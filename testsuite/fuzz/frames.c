/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fuzz target: what gdb asks of trace frames.
 *
 * Some frames, made of blocks of all kinds with sizes and bytes by chance,
 * damaged like by a stray store; each lies in memory of exactly its size.
 * Packets as gdb sends them, mutated, are served with one of them selected.
 * Whatever comes: an answer is one that gdb knows, what is told of one frame
 * by different packets agrees, and the saved frames come out the same in
 * slices of any size.
 */
#include "testsuite/fuzz/fuzz.h"

#include "tracepoints/frames/frames.h"

int frames_get_unused(const struct frames *all, uint32_t n,
		      struct frame *frame);
uint32_t frames_count_unused(const struct frames *all);

/* Frames come from here, blocks are walked over by the real thing. */
#define frames_get	frames_get_unused
#define frames_count	frames_count_unused
#include "tracepoints/frames/frames.c"
#undef frames_get
#undef frames_count

#include "gdbstub/tracing/frame.h"
#include "gdbstub/tracing/run.h"
#include "tracepoints/sites/lock.h"

#define FRAMES_MAX	6
#define BLOCKS_BYTES	6000
#define SAVED_BYTES	(FRAMES_MAX * (BLOCKS_BYTES + 16))

static struct connection connection;
static struct frame made[FRAMES_MAX];
static uint32_t nmade;
static int is_on;

static struct taffrail_site sites[2];
static struct code codes[2];
static struct object objects[2];
static char id[] = "app/marker";

int frames_get(const struct frames *all, uint32_t n, struct frame *frame)
{
	(void)all;
	if (n >= nmade)
		return -ENOENT;
	*frame = made[n];
	return 0;
}

const struct frames *run_frames(void)
{
	return is_on ? NULL : (const struct frames *)made;
}

void run_look(struct run_state *state)
{
	*state = (struct run_state){ .phase = is_on ? RUN_ON : RUN_ENDED };
}

void registry_lock(void)
{
}

void registry_unlock(void)
{
}

int registry_each(int (*fn)(struct object *, void *), void *arg)
{
	int ret = fn(&objects[0], arg);

	return ret ? ret : fn(&objects[1], arg);
}

/* Markers at 0x1000 and 0x1010, with types and formats by chance. */
static void markers_make(struct fuzz *fuzz)
{
	static const char *const formats[] = {
		"id %d url %s", "%s%s%s", "a, b->c, d[1]", "%*.*f %n %m %",
		"%lld %hhu %#x %p %c %lc %ls", "", "x",
	};
	static const uint8_t kinds[] = { TAFFRAIL_KIND_EVENT,
					 TAFFRAIL_KIND_MARK,
					 TAFFRAIL_KIND_GUARD };
	uint32_t i;
	uint32_t k;

	for (i = 0; i < 2; i++) {
		struct object *object = &objects[i];

		codes[i].address = (uint8_t *)(0x1000 + 16ul * i);
		sites[i].kind_ = kinds[fuzz_less(fuzz, 8) / 3];
		sites[i].nfields_ =
			(uint8_t)fuzz_less(fuzz, TAFFRAIL_FIELDS_MAX + 1);
		object->site = &sites[i];
		object->codes = &codes[i];
		object->format =
			formats[fuzz_less(fuzz, ARRAY_SIZE(formats))];
		object->id = id;
		for (k = 0; k < TAFFRAIL_FIELDS_MAX; k++)
			object->types[k] = (uint8_t)(
				fuzz_less(fuzz, 4) ?
					1 + fuzz_less(fuzz, 12) :
				fuzz_less(fuzz, 2) ?
					TAFFRAIL_T_STRING :
					(TAFFRAIL_T_SEQUENCE |
					 (1 + fuzz_less(fuzz, 12))));
	}
}

/* An address that often meets that of another block. */
static uint64_t some_address(struct fuzz *fuzz)
{
	return fuzz_less(fuzz, 4) ? 0x7000 + 64 * fuzz_less(fuzz, 16) :
				    fuzz_number(fuzz);
}

static uint32_t block_make(struct fuzz *fuzz, uint8_t *to)
{
	uint16_t n = (uint16_t)fuzz_less(fuzz, fuzz_less(fuzz, 8) ? 80 : 700);
	uint64_t address = some_address(fuzz);
	int32_t variable = (int32_t)fuzz_less(fuzz, 4);
	uint32_t head = 3;
	uint32_t i;

	switch (fuzz_less(fuzz, 4)) {
	case 0:
		to[0] = COLLECT_BLOCK_REGISTERS;
		head = 1;
		n = REGISTERS_BLOCK_BYTES;
		break;
	case 1:
		to[0] = COLLECT_BLOCK_MEMORY;
		memcpy(to + 1, &address, 8);
		memcpy(to + 9, &n, 2);
		head = 11;
		break;
	case 2:
		to[0] = COLLECT_BLOCK_VARIABLE;
		memcpy(to + 1, &variable, 4);
		memcpy(to + 5, &address, 8);
		return 13;
	default:
		to[0] = COLLECT_BLOCK_STATIC;
		memcpy(to + 1, &n, 2);
	}
	for (i = 0; i < n; i++)
		to[head + i] = (uint8_t)fuzz_less(fuzz, fuzz_less(fuzz, 3) ?
								256 : 4);
	return head + n;
}

static void frames_make(struct fuzz *fuzz)
{
	static uint8_t blocks[BLOCKS_BYTES];
	uint32_t i;

	for (i = 0; i < nmade; i++)
		free((void *)made[i].blocks);
	nmade = (uint32_t)fuzz_less(fuzz, FRAMES_MAX + 1);
	for (i = 0; i < nmade; i++) {
		uint32_t n = (uint32_t)fuzz_less(fuzz, 7);
		uint32_t used = 0;

		while (n--)
			used += block_make(fuzz, blocks + used);
		if (fuzz_less(fuzz, 3) == 0)
			fuzz_mutate(fuzz, blocks, used);
		if (used && fuzz_less(fuzz, 8) == 0)
			used = (uint32_t)fuzz_less(fuzz, used);
		made[i] = (struct frame){
			.clock = fuzz_number(fuzz),
			.tracepoint = (uint32_t)fuzz_less(fuzz, 4),
			.tid = (int32_t)fuzz_number(fuzz),
			.address = 0x1000 + 16 * fuzz_less(fuzz, 3),
			.blocks = fuzz_copy(blocks, used),
			.bytes = used,
		};
	}
}

/* What gdb sends. The marks %n, %a, %v become a small number, an address, any
 * number. */
static const char *const seeds[] = {
	"QTFrame:%n", "QTFrame:%n", "QTFrame:ffffffff", "QTFrame:%v",
	"QTFrame:tdp:%n", "QTFrame:pc:10%n0", "QTFrame:range:1000:10%n0",
	"QTFrame:outside:%v:%v", "qTBuffer:%n,7d0", "qTBuffer:%v,%v",
	"qTBuffer:%n%n,%n%n", "qTaffrail:frame:%n", "qTaffrail:frame:%v",
	"qTV:%n", "qTV:%v", "g", "p%n", "p%v", "m%a,%n", "m%a,%n%n", "m%a,%v",
	"x%a,%n%n",
};

static size_t packet_make(struct fuzz *fuzz, char *packet)
{
	const char *from = seeds[fuzz_less(fuzz, ARRAY_SIZE(seeds))];
	char *to = packet;

	for (; *from; from++) {
		uint64_t number = fuzz_number(fuzz);

		if (*from != '%') {
			*to++ = *from;
			continue;
		}
		if (*++from == 'n')
			number = fuzz_less(fuzz, 8);
		else if (*from == 'a')
			number = some_address(fuzz) + fuzz_less(fuzz, 20);
		to += sprintf(to, "%llx", (unsigned long long)number);
	}
	*to = 0;
	return (size_t)(to - packet);
}

/* qTV, of a frame alone: what is live has its own target. */
static int serve_frame_variable(struct connection *c, const char *p)
{
	uint64_t number;
	int64_t value;

	if (!packet_read_number(&p, &number)) {
		connection_error(c, 1);
	} else if (frame_variable(c, number, &value)) {
		packet_add(&c->out, "V");
		packet_add_number(&c->out, (uint64_t)value);
	} else {
		packet_add(&c->out, "U");
	}
	return 0;
}

static const struct {
	const char *word;
	packet_fn *fn;
	char forms[8];	/* how an answer may begin; h: all of it is hex */
} words[] = {
	{ "QTFrame:", serve_frame, "FE" },
	{ "qTBuffer:", serve_frame_buffer, "hlE" },
	{ "qTaffrail:frame:", serve_frame_fields, "hE" },
	{ "qTV:", serve_frame_variable, "VUE" },
	{ "g", serve_registers, "h" },
	{ "p", serve_register, "hE" },
	{ "m", serve_memory, "hE" },
	{ "x", serve_memory_binary, "bE" },
};

/* Returns the payload of the answer, and which word it was, or -1. */
static const char *ask(const char *p, int *word)
{
	struct connection *c = &connection;
	uint32_t i;

	*word = -1;
	packet_open(&c->out, c->out_bytes, sizeof(c->out_bytes));
	for (i = 0; i < ARRAY_SIZE(words) && *word < 0; i++) {
		const char *rest = text_after(p, words[i].word);

		if (!rest)
			continue;
		*word = (int)i;
		words[i].fn(c, rest);
	}
	packet_close(&c->out);
	c->out_bytes[c->out.used - 3] = 0;
	return c->out_bytes + 1;
}

static int is_answer(const char *got, const char *forms)
{
	size_t n = strlen(got);

	if (strchr(forms, 'h') && n % 2 == 0 &&
	    strspn(got, "0123456789abcdefx") == n)
		return 1;
	if (*got == 'E')
		return strchr(forms, 'E') &&
		       (!strcmp(got, "E01") || text_after(got, "E.the trace"));
	return *got && strchr(forms, *got);
}

/* Documents of the frame that is selected, whole. */
static void documents_check(struct fuzz *fuzz)
{
	static char document[CONNECTION_DOCUMENT_BYTES];
	struct text text;

	text_open(&text, document, sizeof(document));
	frame_describe(&connection, &text);
	if (text.used && (strncmp(document, "<traceframe-info>", 17) ||
			  strcmp(document + text.used - 18,
				 "</traceframe-info>")))
		fuzz_fail(fuzz, "a bad description", document, text.used);
	text_open(&text, document, sizeof(document));
	frame_static(&connection, &text);
	/* a width that is a value may be any: then it is cut */
	if (strlen(document) != text.used)
		fuzz_fail(fuzz, "bad static data", document, 64);
}

/* All frames, in slices of n bytes; returns how many hex digits. */
static size_t save(char *to, uint64_t n)
{
	char packet[64];
	size_t used = 0;
	int word;

	for (;;) {
		const char *got;

		sprintf(packet, "qTBuffer:%zx,%llx", used / 2,
			(unsigned long long)n);
		got = ask(packet, &word);
		if (!strcmp(got, "l") || used > 2 * SAVED_BYTES)
			return used;
		strcpy(to + used, got);
		used += strlen(got);
	}
}

static void saved_check(struct fuzz *fuzz)
{
	static char whole[4 * SAVED_BYTES], slices[4 * SAVED_BYTES];
	size_t n = save(whole, CONNECTION_CHUNK_BYTES);

	if (n > 2 * SAVED_BYTES ||
	    save(slices, 1 + fuzz_less(fuzz, 300)) != n ||
	    memcmp(whole, slices, n))
		fuzz_fail(fuzz, "slices differ", whole, 64);
}

static void try(struct fuzz *fuzz, const char *packet, size_t n)
{
	char *copy = fuzz_copy(packet, n + 1);
	const char *got;
	int word;

	got = ask(copy, &word);
	if (word >= 0 && !is_answer(got, words[word].forms))
		fuzz_fail(fuzz, "a bad answer", copy, n);
	if (word >= 0 && words[word].fn == serve_registers &&
	    strlen(got) != 2 * REGISTERS_BLOCK_BYTES)
		fuzz_fail(fuzz, "a bad block", got, strlen(got));
	fuzz->accepted += word >= 0 && *got != 'E';
	free(copy);
}

int main(int argc, char **argv)
{
	static struct process_page page;
	char packet[256];
	struct fuzz fuzz;

	fuzz_open(&fuzz, "frames", argc, argv);
	process.page = &page;
	for (; fuzz.done < fuzz.inputs; fuzz.done++) {
		size_t n = packet_make(&fuzz, packet);

		if (fuzz_less(&fuzz, 8) == 0) {
			markers_make(&fuzz);
			frames_make(&fuzz);
			is_on = fuzz_less(&fuzz, 16) == 0;
		}
		if (fuzz_less(&fuzz, 4) == 0)
			fuzz_mutate(&fuzz, (uint8_t *)packet, n);
		try(&fuzz, packet, n);
		documents_check(&fuzz);
		if (!is_on && fuzz_less(&fuzz, 16) == 0)
			saved_check(&fuzz);
	}
	return fuzz_end(&fuzz, 200);
}

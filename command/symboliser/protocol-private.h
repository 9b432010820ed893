/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages between the command and the symboliser's child.
 *
 *	command                            child
 *	   | request, descriptor ----------> |  maps the file, reads it
 *	   | <---------- answer, and items - |  as many answers as it takes;
 *	   | <---- answer, and items, last - |  the last one says so
 *	   | no answer in time: SIGKILL; no other one for this request
 *
 * Invariant: the child keeps nothing from one request to the next, so another
 * child can take its place at any time. Both sides check what they get.
 */
#ifndef COMMAND_SYMBOLISER_PROTOCOL_PRIVATE_H
#define COMMAND_SYMBOLISER_PROTOCOL_PRIVATE_H

#include "command/symboliser/symboliser.h"

/* The kinds of request. A file's descriptor comes with each but ASK_CXX. */
enum symboliser_what {
	ASK_MODULE = 1, ASK_NAMES, ASK_LINES, ASK_ADDRESS, ASK_CXX, ASK_MARKERS,
	ASK_LIBRARY, ASK_SPOTS, ASK_END,
};

#define SYMBOLISER_LINKER_BYTES	256u	/* of a name that is asked for */
#define SYMBOLISER_ITEMS_MAX	64u	/* in an answer */
#define SYMBOLISER_BYTES_MAX	16384u	/* of a stream, in an answer */
#define SYMBOLISER_STREAM_MAX	(64u << 20)

/* The command's words. Only as many bytes of the union are sent as it has. */
struct symboliser_request {
	uint32_t what;
	uint32_t count;			/* of addresses, or the name's bytes;
					 * of ASK_MARKERS: SYMBOLISER_PLAN.. */
	uint32_t ms;			/* of processor time, from 1 on */
	uint32_t more;			/* messages that follow, each with a
					 * file: struct symboliser_more */
	uint64_t file_bytes;
	union {
		uint64_t addresses[SYMBOLISER_ADDRESSES_MAX];
		char name[SYMBOLISER_LINKER_BYTES];
		char words[SYMBOLISER_WORDS_BYTES];	/* of ASK_SPOTS */
	};
};

/* A further file of a request. */
struct symboliser_more {
	uint64_t bytes;
	uint32_t kind;			/* enum symboliser_kind, but FILE_OWN */
	char name[SYMBOLISER_SPLIT_BYTES];
};

/* The item of an answer to ASK_CXX. */
struct symboliser_text {
	uint64_t length;		/* of all of it */
	char text[SYMBOLISER_CXX_BYTES];
};

/*
 * The answers to ASK_MARKERS are a stream: a verdict, and if its error is 0,
 * records up to the end. A record is a head, four strings, each with a NUL, and
 * the bytes of `shown`. Nothing is aligned.
 */
struct symboliser_verdict {
	int32_t error;			/* 0 or a negative errno */
	char text[SYMBOLISER_ERROR_BYTES];
};

struct symboliser_record {
	uint32_t string_bytes, shown_bytes;
	struct symboliser_marker marker;
};

/* The child's words. Only as many bytes of the union are sent as there are
 * items. */
struct symboliser_answer {
	int32_t error;			/* 0, or a negative errno: no items */
	uint32_t what;			/* of the request */
	uint32_t count;			/* of items here */
	uint32_t last;			/* 1: no answer follows */
	uint64_t ns;			/* that the request took until here */
	union {
		struct symboliser_module module;
		struct symboliser_symbol symbols[SYMBOLISER_ITEMS_MAX];
		struct symboliser_frame frames[SYMBOLISER_ITEMS_MAX];
		struct symboliser_text text;
		uint64_t address;
		uint64_t unfit;		/* enum symboliser_unfit */
		char bytes[SYMBOLISER_BYTES_MAX];
	};
};

#define REQUEST_HEAD	offsetof(struct symboliser_request, addresses)
#define ANSWER_HEAD	offsetof(struct symboliser_answer, module)

/* Returns whether a request of `n` bytes, which came with a descriptor or not,
 * is one that the child serves. */
bool symboliser_request_valid(const struct symboliser_request *request,
			      size_t n, bool file);

/* Returns whether a message of `n` bytes is a further file of a request. */
bool symboliser_more_valid(const struct symboliser_more *more, size_t n);

/* Returns whether an answer of `n` bytes is one to a request for `what`: texts
 * end, and numbers are in their bounds. */
bool symboliser_answer_valid(const struct symboliser_answer *answer, size_t n,
			     uint32_t what);

/* Reads the verdict of a stream; returns whether it is one. */
bool symboliser_verdict_read(struct symboliser_verdict *verdict,
			     const char *stream, size_t n);

/* Reads a record; texts stay in the stream. Returns the bytes of the record; 0:
 * it makes no sense. */
size_t symboliser_record_read(struct symboliser_found *found,
			      const char *stream, size_t n);

#endif

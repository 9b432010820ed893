/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One connected gdb, as all parts of the stub see it.
 *
 * Invariant: only the service thread uses a connection. The descriptors are in
 * that thread's table, and nothing of it is left after gdb has gone. It is a
 * mapping that forked children do not inherit.
 */
#ifndef GDBSTUB_WIRE_CONNECTION_H
#define GDBSTUB_WIRE_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "gdbstub/wire/packet.h"
#include "gdbstub/wire/registers.h"
#include "gdbstub/wire/rsp.h"

#define CONNECTION_FILES	16
#define CONNECTION_STOPS	256
/* Bytes of memory or of a document in one answer; twice that on the wire. */
#define CONNECTION_CHUNK_BYTES	0x1f00u
/* The longest document: the list of some thousands of libraries. */
#define CONNECTION_DOCUMENT_BYTES	(1u << 20)

struct trace_point;

struct connection {
	int no_ack;			/* QStartNoAckMode was answered */
	int detached;
	bool waits;			/* gdb waits for the program to stop */
	uint64_t stops[CONNECTION_STOPS]; /* its breakpoints; 0: free */
	int downloading;		/* see serve_marker_at() */
	uint32_t marker;		/* the next of qTsSTM */
	int all_markers;		/* the runtime's probes, too */
	uint32_t marker_room;		/* see packet.h */
	uint32_t variable;		/* the next of qTsV */
	const struct trace_point *point; /* of qTsP, or NULL: no more */
	uint32_t piece;			/* the next of that tracepoint */
	int variables_told;		/* the last packet was qTfV or qTsV */
	int saving;			/* qTsP is for a file: see upload.c */
	uint32_t generation;		/* of the definitions, at qTfP */
	int in_frame;			/* gdb looks at a trace frame: */
	uint32_t frame;			/* this one */
	uint64_t saved_frame;		/* the next of qTBuffer, */
	uint64_t saved_at;		/* and its offset there */
	int files[CONNECTION_FILES];	/* of vFile; -1: free */
	struct registers registers;	/* of the service thread */
	struct packet_reader in;
	struct packet out;
	const void *document_of;	/* the object in `document`, or NULL */
	uint64_t document_bytes;
	char in_bytes[RSP_PACKET_BYTES + 1];
	char out_bytes[RSP_PACKET_BYTES + 16];
	char chunk[CONNECTION_CHUNK_BYTES];
	char document[CONNECTION_DOCUMENT_BYTES];
};

/*
 * Serves a packet: adds the answer to c->out. `p` points behind the packet's
 * word. Returns 0, or 1 when the packet gets no answer.
 */
typedef int packet_fn(struct connection *c, const char *p);

/* connection.c: answers OK */
packet_fn serve_ok;
/* target.c */
packet_fn serve_supported, serve_no_ack, serve_stop_reason, serve_thread_set;
packet_fn serve_thread_alive, serve_thread_current, serve_attached;
packet_fn serve_registers, serve_register, serve_memory, serve_memory_binary;
packet_fn serve_resume_actions, serve_detach;
packet_fn serve_kill_unanswered;
/* transfer.c */
packet_fn serve_transfer;
/* files.c */
packet_fn serve_file;
/* markers.c */
packet_fn serve_markers_first, serve_markers_all, serve_markers_next;
packet_fn serve_marker_at;
packet_fn serve_marker_kind;
packet_fn serve_marker_moved;
/* define.c */
packet_fn serve_trace_init, serve_define_variable, serve_define_source;
packet_fn serve_point_enable, serve_point_disable;
/* define-point.c */
packet_fn serve_define_point, serve_fast_length;
/* define-settings.c */
packet_fn serve_trace_disconnected, serve_trace_buffer, serve_trace_notes;
packet_fn serve_trace_save, serve_trace_data;
/* prints.c */
packet_fn serve_breakpoint_set, serve_breakpoint_clear;
packet_fn serve_breakpoint_refusal, serve_resume;
/* upload.c */
packet_fn serve_points_first, serve_points_next;
packet_fn serve_variables_first, serve_variables_next;
/* status.c */
packet_fn serve_trace_start, serve_trace_stop, serve_trace_status;
packet_fn serve_point_status, serve_variable;
/* frame.c, frame-buffer.c, frame-fields.c */
packet_fn serve_frame, serve_frame_buffer, serve_frame_fields;

/* Adds an error that gdb shows to the user. */
void connection_refuse(struct connection *c, const char *why);

/* Adds "E" and two digits: an error without text. */
void connection_error(struct connection *c, uint8_t number);

/* Adds "pPID.TID" of the service thread, the only thread that gdb sees. */
void connection_add_thread(struct packet *out);

/* Returns true when a marker's code is at that address. Stores why it never has
 * a hit, or NULL. */
bool marker_at(uint64_t address, const char **why);

/* Returns 1 when a module is at that address. */
int code_at(uint64_t address);

/* Closes the files that vFile has open. */
void files_close(struct connection *c);

/*
 * Copies memory of this process; any address is allowed. Returns how many
 * bytes could be read, counted from the first.
 */
uint64_t memory_read(uint64_t address, void *to, uint64_t n);

#endif

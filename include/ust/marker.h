/* SPDX-License-Identifier: MIT */
/*
 * The marker API of the first UST (0.x, <ust/marker.h>), source compatible:
 *
 *	trace_mark(channel, name, format, args...)
 *
 * A program written for it compiles unchanged and needs no library. Each call
 * is a TAFFRAIL_MARK(channel, name, format, args...), except that channel and
 * name may be macros, as in UST. The functions that registered probes by hand
 * (marker_probe_register and others) have no counterpart here.
 */
#ifndef UST_MARKER_H
#define UST_MARKER_H

#include <taffrail/marker.h>

/* The format of a marker that has no arguments. */
#define MARK_NOARGS		" "
#define UST_MARKER_NOARGS	MARK_NOARGS

#define trace_mark(channel, name, ...)					\
	TAFFRAIL_UST_MARK_(channel, name, __VA_ARGS__)

/* It once meant "enabled by a flag, not by patching": one kind serves both. */
#define _trace_mark(channel, name, ...)					\
	TAFFRAIL_UST_MARK_(channel, name, __VA_ARGS__)

/* The later spelling, whose channel is always "ust". */
#define ust_marker(name, ...)	TAFFRAIL_UST_MARKER_(name, __VA_ARGS__)

/* UST collected a program's markers by it; it does nothing here. */
#define MARKER_LIB		struct taffrail_ust_marker_lib_
#define UST_MARKER_LIB		struct taffrail_ust_marker_lib_

#define TAFFRAIL_UST_MARK_(channel, name, ...)				\
	TAFFRAIL_MARK(channel, name, __VA_ARGS__)
#define TAFFRAIL_UST_MARKER_(name, ...)					\
	TAFFRAIL_MARK(ust, name, __VA_ARGS__)

#endif

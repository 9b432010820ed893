/* SPDX-License-Identifier: MIT */
/*
 * Probe libraries: callbacks that `taffrail load` and `taffrail connect` bring
 * into a running program. docs/probe-libraries.md describes how to use them,
 * taffrail_probe_library(3) each macro and function.
 *
 *	static void count(const struct taffrail_event *event, void *priv)
 *	{
 *		...
 *	}
 *
 *	TAFFRAIL_PROBE_LIBRARY(slow);
 *	TAFFRAIL_PROBE_CALLBACK(count);
 */
#ifndef TAFFRAIL_PROBE_LIBRARY_H
#define TAFFRAIL_PROBE_LIBRARY_H

#include <taffrail/probe.h>

#pragma GCC system_header

#pragma pack(push, 8)

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A request for a function of a library: `taffrail call`, or a connection that
 * is being made. It is valid until the function returns. These functions are
 * for the thread that the request runs in.
 */
struct taffrail_call;

/* The words behind the function's name: how many, and each, or NULL. */
int taffrail_call_words(const struct taffrail_call *call_);
const char *taffrail_call_word(const struct taffrail_call *call_, int number_);

/* Returns VALUE of the word NAME=VALUE, or NULL when there is none. */
const char *taffrail_call_value(const struct taffrail_call *call_,
				const char *name_);

/* Adds to the text that the command prints. Returns the number of characters;
 * or -1: the answer has more than 1 MiB, and is cut. */
int taffrail_call_printf(struct taffrail_call *call_, const char *format_, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A function for `taffrail call PID LIB:FUNCTION [WORDS]`. Returns 0; anything
 * else makes the command fail.
 *
 * It runs in a separate thread, one request at a time. All signals are blocked.
 * It must not throw, and must not call dlclose() for the library that it is in.
 */
typedef int taffrail_call_function(struct taffrail_call *call_);

/*
 * Called when a callback is connected: reads the words, and stores the `priv`
 * of the callback. Returns 0; anything else refuses the connection, and the
 * printed text is the reason.
 */
typedef int taffrail_connect_function(struct taffrail_call *call_,
				      void **priv_);

/* Called when it is disconnected: no thread is in the callback. */
typedef void taffrail_disconnect_function(void *priv_);

/* Of the items below; TAFFRAIL_PROBE_LIBRARY_ABI_ changes with it. */
struct taffrail_probe_item_ {
	uint32_t kind_;			/* enum taffrail_probe_item_kind_ */
	uint32_t flags_;		/* enum taffrail_probe_flags */
	const char *name_;
	taffrail_callback *callback_;
	taffrail_connect_function *connect_;
	taffrail_disconnect_function *disconnect_;
	taffrail_call_function *call_;
};

enum taffrail_probe_item_kind_ {
	TAFFRAIL_PROBE_ITEM_LIBRARY_ = 1,
	TAFFRAIL_PROBE_ITEM_CALLBACK_,
	TAFFRAIL_PROBE_ITEM_CALL_
};

struct taffrail_probe_library_ {
	uint32_t abi_;
	uint32_t item_bytes_;
	const char *name_;
	const struct taffrail_probe_item_ *const *items_;
	const struct taffrail_probe_item_ *const *end_;
};

#define TAFFRAIL_PROBE_LIBRARY_ABI_	1

/* Called when a library is unloaded or the program ends, before objects of the
 * library are destroyed. Older versions of Taffrail do not have it. */
void taffrail_probe_library_end_1(const struct taffrail_probe_library_ *about_)
	__attribute__((weak));
/* The note "Taffrail" of this type; the text is the library's name. */
#define TAFFRAIL_PROBE_LIBRARY_NOTE_	0x54505201

#define TAFFRAIL_PROBE_ITEM_(name_, kind_, flags_, callback_, connect_,      \
			     disconnect_, call_)                             \
	static const struct taffrail_probe_item_                             \
		taffrail_probe_item_##kind_##_##name_ = {                    \
			kind_, flags_, #name_, callback_, connect_,          \
			disconnect_, call_                                   \
		};                                                           \
	static const struct taffrail_probe_item_ *const                      \
		taffrail_probe_item_of_##kind_##_##name_ __attribute__((     \
			used, section("taffrail_probe_items"))) =            \
			&taffrail_probe_item_##kind_##_##name_

/*
 * Makes a shared library a probe library with that name, a C identifier. Write
 * it once, in one of the library's files, at file scope.
 */
#define TAFFRAIL_PROBE_LIBRARY(name_)                                        \
	static const struct {                                                \
		uint32_t names_, text_, type_;                               \
		char owner_[12];                                             \
		char name_of_[sizeof(#name_)];                               \
	} taffrail_probe_library_note_ __attribute__((                       \
		used, aligned(4), section(".note.taffrail.probe"))) = {      \
		sizeof("Taffrail"), (uint32_t)sizeof(#name_),                \
		TAFFRAIL_PROBE_LIBRARY_NOTE_, "Taffrail", #name_             \
	};                                                                   \
	TAFFRAIL_EXTERN_C_ const struct taffrail_probe_item_                 \
		*const __start_taffrail_probe_items[]                        \
		__attribute__((visibility("hidden")));                       \
	TAFFRAIL_EXTERN_C_ const struct taffrail_probe_item_                 \
		*const __stop_taffrail_probe_items[]                         \
		__attribute__((visibility("hidden")));                       \
	TAFFRAIL_PROBE_ITEM_(name_, TAFFRAIL_PROBE_ITEM_LIBRARY_, 0,         \
			     TAFFRAIL_NULL_, TAFFRAIL_NULL_, TAFFRAIL_NULL_, \
			     TAFFRAIL_NULL_);                                \
	TAFFRAIL_EXTERN_C_ const struct taffrail_probe_library_              \
		taffrail_probe_library                                       \
		__attribute__((visibility("default")));                      \
	const struct taffrail_probe_library_ taffrail_probe_library = {      \
		TAFFRAIL_PROBE_LIBRARY_ABI_,                                 \
		(uint32_t)sizeof(struct taffrail_probe_item_), #name_,       \
		__start_taffrail_probe_items, __stop_taffrail_probe_items    \
	};                                                                   \
	__attribute__((destructor)) static void                              \
	taffrail_probe_library_end_(void)                                    \
	{                                                                    \
		if (taffrail_probe_library_end_1)                            \
			taffrail_probe_library_end_1(                        \
				&taffrail_probe_library);                    \
	}                                                                    \
	TAFFRAIL_EXTERN_C_ const struct taffrail_probe_library_              \
		taffrail_probe_library

/*
 * Lets `taffrail connect` connect a function, a taffrail_callback, by name.
 * _WITH: `flags_` is TAFFRAIL_PROBE_SIGNAL or 0; connect_ and disconnect_ are
 * called when it is connected and disconnected, either may be NULL. At file
 * scope, in any of the library's files.
 */
#define TAFFRAIL_PROBE_CALLBACK(function_)                             \
	TAFFRAIL_PROBE_CALLBACK_WITH(function_, 0, TAFFRAIL_NULL_,     \
				     TAFFRAIL_NULL_)
#define TAFFRAIL_PROBE_CALLBACK_WITH(function_, flags_, connect_,      \
				     disconnect_)                      \
	TAFFRAIL_PROBE_ITEM_(function_, TAFFRAIL_PROBE_ITEM_CALLBACK_, \
			     flags_, function_, connect_, disconnect_, \
			     TAFFRAIL_NULL_)

/* Lets `taffrail call` call a taffrail_call_function by name. */
#define TAFFRAIL_PROBE_CALL(function_)                             \
	TAFFRAIL_PROBE_ITEM_(function_, TAFFRAIL_PROBE_ITEM_CALL_, \
			     0, TAFFRAIL_NULL_, TAFFRAIL_NULL_,    \
			     TAFFRAIL_NULL_, function_)

#ifdef __cplusplus
#define TAFFRAIL_EXTERN_C_	extern "C"
#define TAFFRAIL_NULL_		nullptr
#else
#define TAFFRAIL_EXTERN_C_	extern
#define TAFFRAIL_NULL_		((void *)0)
#endif

#ifdef __cplusplus
}
#endif

#pragma pack(pop)

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Markers for C (C99 and later) and C++ (C++11 and later), gcc and clang.
 *
 *	TAFFRAIL_MARK(channel, name, format, args...)
 *		printf-like: words of the format name the fields
 *	TAFFRAIL_EVENT(channel, name, args...)
 *		typed: names and types come from the expressions, or from
 *		TAFFRAIL_FIELD(name, e)		e, called name
 *		TAFFRAIL_STR(p)			the string at p
 *		TAFFRAIL_TEXT(p, n)		the text of n characters at p
 *		TAFFRAIL_BYTES(p, n)		n bytes at p
 *		TAFFRAIL_ARRAY(p, n)		n numbers at p, typed by *p
 *		TAFFRAIL_ELEMENTS(v)		all numbers of the array v
 *		TAFFRAIL_UUID(p)		16 bytes, as text
 *		TAFFRAIL_IPV4(p), _IPV6		4 and 16 bytes, as text
 *		TAFFRAIL_SOCKADDR(p, n)		a socket's address, as text
 *		TAFFRAIL_INT128(e)		an integer of 128 bits, as text
 *		TAFFRAIL_STRUCT(e, x, y, ...)	members of the structure e
 *		TAFFRAIL_UNION(e, tag, (A, x), (B, y), ...)
 *						of the union e what tag says
 *		TAFFRAIL_ENUM(e, A, B, ...)	the name of the value e
 *		TAFFRAIL_HEX(e), _OCT, _BOOL, _CHAR, _ERRNO	e, shown so
 *		TAFFRAIL_SYMBOL(p)		p, with what is there
 *		TAFFRAIL_DURATION(e, ms)	e in ns, us, ms or s
 *		TAFFRAIL_TIME(e, ns)		e since 1970, in such a unit
 *	TAFFRAIL_LEVEL(level), TAFFRAIL_MESSAGE(text)
 *		before the arguments, no fields: how severe the event is, and
 *		a text for people, "{id} took {ms} ms"
 *	TAFFRAIL_SCOPE(channel, name, args...)
 *		C++: NAME_begin here, NAME_end where the scope is left
 *	TAFFRAIL_ENABLED(channel, name)
 *		an int: 1 while a marker of that name is switched on
 *
 * channel and name are words, not strings, and are not macro-expanded. A marker
 * takes at most TAFFRAIL_FIELDS_MAX arguments. Each is evaluated once, from
 * left to right, and only while the marker is on. Integers, enumerations, bool,
 * floating point, pointers and `char *` (a string; NULL is "(null)") can be
 * fields, in C++ also objects (taffrail/marker-library-cxx.h). No library is
 * needed: without an agent a marker does nothing.
 *
 * The agent reads the %p and %.*s that MARK's format has for a `char *`, but
 * the compiler does not: prefer TAFFRAIL_EVENT there. Arguments also stand in a
 * decltype: in C++ they cannot contain another marker, and before C++20 no
 * lambda.
 *
 * Defined before the first include:
 *	TAFFRAIL_SDT_ARGS	the USDT probes carry their arguments, which
 *				are then always evaluated; 12 at most
 *	TAFFRAIL_FLAG_SITES	no code patching: a flag is tested instead
 *				(for C functions that have an array of variable
 *				length or a `cleanup` variable between two
 *				markers, under clang up to 16)
 *	TAFFRAIL_GC_SECTIONS	a function that is not used is dropped by
 *				--gc-sections, in spite of its markers
 */
#ifndef TAFFRAIL_MARKER_H
#define TAFFRAIL_MARKER_H

/* Keeps warnings about the caller's tokens, and drops those about ours. */
#pragma GCC system_header

#include <stddef.h>

/* Structures have their own layout where a program includes this header behind
 * `#pragma pack(1)`. */
#pragma pack(push, 8)

#include <taffrail/site.h>

#if defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 9
#define TAFFRAIL_ASM_INLINE_	__inline__
#else
#define TAFFRAIL_ASM_INLINE_
#endif

/* The object in a site's asm. Where objects may be far away, gcc takes none for
 * a constant, but still prints the name. */
#if !defined(__clang__) &&						\
	(defined(__code_model_large__) || defined(__code_model_medium__))
#define TAFFRAIL_FIXED_		"X"
#define TAFFRAIL_OBJECT_NAME_	"%P[taffrail_object_]"
#else
#define TAFFRAIL_FIXED_		"i"
#define TAFFRAIL_OBJECT_NAME_	"%c[taffrail_object_]"
#endif

#if defined(__x86_64__) && !defined(TAFFRAIL_FLAG_SITES)
#include <taffrail/site-x86_64.h>
#else
#include <taffrail/site-generic.h>
#endif

#define TAFFRAIL_EVENT(channel, name, ...)				\
	TAFFRAIL_NOTHING_(taffrail_write_this_without_quotes_##channel	\
			  taffrail_write_this_without_quotes_##name)	\
	TAFFRAIL_TELL_(TAFFRAIL_EVENT, #channel, #name, "" #__VA_ARGS__, \
		       TAFFRAIL_OF_CHANNEL_(TAFFRAIL_LEVEL_##channel),	\
		       TAFFRAIL_ZERO_(__VA_ARGS__))			\
	TAFFRAIL_NOTHING_(0, ##__VA_ARGS__)

#define TAFFRAIL_MARK(channel, name, ...)				\
	TAFFRAIL_NOTHING_(taffrail_write_this_without_quotes_##channel	\
			  taffrail_write_this_without_quotes_##name)	\
	TAFFRAIL_TELL_(TAFFRAIL_PRINTF, #channel, #name, "",		\
		       TAFFRAIL_OF_CHANNEL_(TAFFRAIL_LEVEL_##channel),	\
		       0, __VA_ARGS__)

#define TAFFRAIL_ENABLED(channel, name)					\
	TAFFRAIL_NOTHING_(taffrail_write_this_without_quotes_##channel	\
			  taffrail_write_this_without_quotes_##name)	\
	TAFFRAIL_GUARD_(#channel, #name)

/* The literal lets the name survive a macro around the marker. */
#define TAFFRAIL_FIELD(name, ...)					\
	TAFFRAIL_NOTHING_(taffrail_write_this_without_quotes_##name)	\
	TAFFRAIL_NAMED_(#name, __VA_ARGS__)
#define TAFFRAIL_STR(p)							\
	((void)"taffrail:" #p, TAFFRAIL_MAKE_STR_(p))
#define TAFFRAIL_TEXT(p, n)						\
	((void)"taffrail:" #p, TAFFRAIL_MAKE_TEXT_(p, n))
#define TAFFRAIL_BYTES(p, n)						\
	((void)"taffrail:" #p, TAFFRAIL_MAKE_BYTES_(p, n))
#define TAFFRAIL_ARRAY(p, n)						\
	((void)"taffrail:" #p, TAFFRAIL_MAKE_ARRAY_(p, n))
#define TAFFRAIL_ELEMENTS(v)						\
	TAFFRAIL_ELEMENTS_OF_("taffrail:" #v, v)
#define TAFFRAIL_UUID(p)						\
	((void)"taffrail:" #p, TAFFRAIL_MAKE_UUID_(p))
#define TAFFRAIL_IPV4(p)						\
	((void)"taffrail:" #p, TAFFRAIL_MAKE_IPV4_(p))
#define TAFFRAIL_IPV6(p)						\
	((void)"taffrail:" #p, TAFFRAIL_MAKE_IPV6_(p))
#define TAFFRAIL_SOCKADDR(p, n)						\
	((void)"taffrail:" #p, TAFFRAIL_MAKE_SOCKADDR_(p, n))
#define TAFFRAIL_INT128(e)						\
	((void)"taffrail:" #e, TAFFRAIL_MAKE_INT128_(e))

/* Of an integer: how it is shown. TAFFRAIL_ENUM(e, A, B, ...) has the names of
 * its values. */
#define TAFFRAIL_ENUM(e, ...)						\
	TAFFRAIL_SHOWN_("taffrail:" #e, e, TAFFRAIL_HOW_ENUM, __VA_ARGS__)
#define TAFFRAIL_HEX(e)							\
	TAFFRAIL_SHOWN_("taffrail:" #e, e, TAFFRAIL_HOW_HEX, )
#define TAFFRAIL_OCT(e)							\
	TAFFRAIL_SHOWN_("taffrail:" #e, e, TAFFRAIL_HOW_OCT, )
#define TAFFRAIL_BOOL(e)						\
	TAFFRAIL_SHOWN_("taffrail:" #e, TAFFRAIL_TRUTH_(e),		\
			TAFFRAIL_HOW_BOOL, )
#define TAFFRAIL_ERRNO(e)						\
	TAFFRAIL_SHOWN_("taffrail:" #e, e, TAFFRAIL_HOW_ERRNO, )
#define TAFFRAIL_CHAR(e)						\
	TAFFRAIL_SHOWN_("taffrail:" #e, (char)(e), TAFFRAIL_HOW_CHAR, )
/* Of a pointer, also to a function: the name of what is there. */
#define TAFFRAIL_SYMBOL(p)						\
	TAFFRAIL_SHOWN_("taffrail:" #p,					\
			(const volatile void *)(uintptr_t)(p),		\
			TAFFRAIL_HOW_SYMBOL, )
/* Of an integer: its unit, one of the words ns, us, ms and s. */
#define TAFFRAIL_DURATION(e, unit)					\
	TAFFRAIL_SHOWN_("taffrail:" #e, e, TAFFRAIL_DURATION_IN_##unit##_, )
#define TAFFRAIL_TIME(e, unit)						\
	TAFFRAIL_SHOWN_("taffrail:" #e, e, TAFFRAIL_TIME_IN_##unit##_, )

/*
 * The level of an event, by the names of syslog and LTTng: emerg, alert, crit,
 * err, warning, notice, info, debug, and LTTng's debug_system to debug_line. Of
 * all markers of the channel app that follow, unless they have their own:
 *
 *	#define TAFFRAIL_LEVEL_app	TAFFRAIL_LEVEL(warning)
 */
#define TAFFRAIL_LEVEL(level)						\
	TAFFRAIL_NOTHING_(taffrail_write_this_without_quotes_##level)	\
	TAFFRAIL_LEVEL_OR_(TAFFRAIL_IS_##level##_,			\
			   TAFFRAIL_THERE_IS_NO_LEVEL_##level##_)
/* A string literal. {NAME} stands for the value of a field, {{ for {. */
#define TAFFRAIL_MESSAGE(text)	TAFFRAIL_REMARK_("", text)

/* A structure's members, as fields; TAFFRAIL_STRUCT_MEMBERS in C++. */
#define TAFFRAIL_STRUCT(e, ...)						\
	TAFFRAIL_GROUP_("taffrail:" #e, e, __VA_ARGS__)
/* A union, and the tag that says which member counts: x where tag is A, y where
 * it is B. In C++, TAFFRAIL_UNION_OPTIONS says the members. */
#define TAFFRAIL_UNION(e, tag, ...)					\
	TAFFRAIL_UNION_("taffrail:" #e, e, tag, __VA_ARGS__)

/* Private from here on. */

/*
 * The arguments with a 0 before them: the list is never empty. They are
 * expanded here, so they may contain markers. A `, ##__VA_ARGS__` somewhere in
 * a macro makes clang accept a call without arguments, without a warning.
 */
#if defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 8
#define TAFFRAIL_ZERO_(...)	0 __VA_OPT__(,) __VA_ARGS__
#define TAFFRAIL_SOME_(...)	__VA_OPT__(MANY)
#else
#define TAFFRAIL_ZERO_(...)	0, ##__VA_ARGS__
#define TAFFRAIL_SOME_(...)
#endif
/* Also holds words that the preprocessor must be able to make: it names the
 * line where one of them is a string. */
#define TAFFRAIL_NOTHING_(...)

#define TAFFRAIL_FIRST_(first, ...)	first

#define TAFFRAIL_DURATION_IN_ns_	TAFFRAIL_HOW_DURATION_NS
#define TAFFRAIL_DURATION_IN_us_	TAFFRAIL_HOW_DURATION_US
#define TAFFRAIL_DURATION_IN_ms_	TAFFRAIL_HOW_DURATION_MS
#define TAFFRAIL_DURATION_IN_s_		TAFFRAIL_HOW_DURATION_S
#define TAFFRAIL_TIME_IN_ns_		TAFFRAIL_HOW_TIME_NS
#define TAFFRAIL_TIME_IN_us_		TAFFRAIL_HOW_TIME_US
#define TAFFRAIL_TIME_IN_ms_		TAFFRAIL_HOW_TIME_MS
#define TAFFRAIL_TIME_IN_s_		TAFFRAIL_HOW_TIME_S

/*
 * A level is a struct taffrail_shown of field 0 behind the file's name: this
 * NUL ends the text before it, and the NUL behind the level is the next one's,
 * or the literal's.
 */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define TAFFRAIL_AT_(number)						\
	, TAFFRAIL_REMARK_("\0" "\0\7\0\0" "\2\0\0\0" number, )
#else
#define TAFFRAIL_AT_(number)						\
	, TAFFRAIL_REMARK_("\0" "\0\7\0\0" "\0\0\0\2" number, )
#endif
#define TAFFRAIL_IS_emerg_		TAFFRAIL_AT_("\0")
#define TAFFRAIL_IS_alert_		TAFFRAIL_AT_("\1")
#define TAFFRAIL_IS_crit_		TAFFRAIL_AT_("\2")
#define TAFFRAIL_IS_err_		TAFFRAIL_AT_("\3")
#define TAFFRAIL_IS_warning_		TAFFRAIL_AT_("\4")
#define TAFFRAIL_IS_notice_		TAFFRAIL_AT_("\5")
#define TAFFRAIL_IS_info_		TAFFRAIL_AT_("\6")
#define TAFFRAIL_IS_debug_system_	TAFFRAIL_AT_("\7")
#define TAFFRAIL_IS_debug_program_	TAFFRAIL_AT_("\10")
#define TAFFRAIL_IS_debug_process_	TAFFRAIL_AT_("\11")
#define TAFFRAIL_IS_debug_module_	TAFFRAIL_AT_("\12")
#define TAFFRAIL_IS_debug_unit_		TAFFRAIL_AT_("\13")
#define TAFFRAIL_IS_debug_function_	TAFFRAIL_AT_("\14")
#define TAFFRAIL_IS_debug_line_		TAFFRAIL_AT_("\15")
#define TAFFRAIL_IS_debug_		TAFFRAIL_AT_("\16")

/*
 * TAFFRAIL_LEVEL and TAFFRAIL_MESSAGE are lists in parentheses, whose second
 * item is empty; no expression is such a list. The first one is the name that
 * compilers print where the list stands as a field. TELL takes up to two of
 * them out of a marker's arguments, and calls m_(channel, name, TEXT "\0" FILE
 * SAID, zero, arguments). m is joined with the _ at last: clang would not tell
 * the name of a macro that was expanded from an argument.
 */
#if defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 8
#define TAFFRAIL_REMARK_(said, text)					\
	(sizeof(struct TAFFRAIL_LEVEL_AND_MESSAGE_STAND_BEFORE_THE_FIELDS_), , \
	 said, text)
/* The second part that a level's macro expands to, or an expression that names
 * the word which is no level. */
#define TAFFRAIL_LEVEL_OR_(known, wrong)				\
	TAFFRAIL_LEVEL_OF_(known, (sizeof(struct wrong), wrong), )
#define TAFFRAIL_LEVEL_OF_(...)		TAFFRAIL_LEVEL_IN_(__VA_ARGS__)
#define TAFFRAIL_LEVEL_IN_(none, x, ...)	x
#define TAFFRAIL_SAID_BY_(none, no, said, ...)	said
#define TAFFRAIL_LIST_OF_(...)		0, __VA_ARGS__
/* Nothing for such a list, else 1. */
#define TAFFRAIL_NO_REMARK_(x, ...)					\
	TAFFRAIL_NEITHER_(TAFFRAIL_LIST_OF_ x, 1, 1, )
#define TAFFRAIL_NO_REMARK_AT_(zero, x, ...)				\
	TAFFRAIL_NEITHER_(TAFFRAIL_LIST_OF_ x, 1, 1, )
#define TAFFRAIL_NEITHER_(...)		TAFFRAIL_EITHER_(__VA_ARGS__)
#define TAFFRAIL_EITHER_(zero, a, b, ...)	TAFFRAIL_IF_ANY_(b)
#define TAFFRAIL_IF_ANY_(...)		__VA_OPT__(1)

#define TAFFRAIL_OF_CHANNEL_(x)						\
	TAFFRAIL_JOIN_(TAFFRAIL_CHANNEL, TAFFRAIL_NO_REMARK_(x, ))(x)
/* Nothing; of a word that is no level, the word. */
#define TAFFRAIL_CHANNEL1_(x)						\
	TAFFRAIL_WRONG_OF_(TAFFRAIL_LIST_OF_ x, , , )
#define TAFFRAIL_WRONG_OF_(...)		TAFFRAIL_WRONG_IN_(__VA_ARGS__)
#define TAFFRAIL_WRONG_IN_(zero, size, wrong, ...)	wrong
#define TAFFRAIL_CHANNEL_(x)		TAFFRAIL_SAID_BY_ x

#define TAFFRAIL_TELL_(...)		TAFFRAIL_TELLING_(__VA_ARGS__)
#define TAFFRAIL_TELLING_(m, channel, name, text, said, ...)		\
	TAFFRAIL_JOIN_(TAFFRAIL_TOLD,					\
		       TAFFRAIL_NO_REMARK_AT_(__VA_ARGS__, , ))(	\
		m, channel, name, text, said, __VA_ARGS__)
#define TAFFRAIL_TOLD1_(m, channel, name, text, said, ...)		\
	m##_(channel, name, text "\0" __FILE__ said, __VA_ARGS__)
#define TAFFRAIL_TOLD_(m, channel, name, text, said, zero, ...)	\
	TAFFRAIL_TOLD_ONE_(m, channel, name, text,			\
			   said TAFFRAIL_SAID_IN_(__VA_ARGS__, ),	\
			   zero TAFFRAIL_BEHIND_(__VA_ARGS__))
#define TAFFRAIL_TOLD_ONE_(...)		TAFFRAIL_TELLING_AGAIN_(__VA_ARGS__)
#define TAFFRAIL_TELLING_AGAIN_(m, channel, name, text, said, ...)	\
	TAFFRAIL_JOIN_AGAIN_(TAFFRAIL_AGAIN,				\
			     TAFFRAIL_NO_REMARK_AT_(__VA_ARGS__, , ))(	\
		m, channel, name, text, said, __VA_ARGS__)
#define TAFFRAIL_AGAIN1_(m, channel, name, text, said, ...)		\
	m##_(channel, name, text "\0" __FILE__ said, __VA_ARGS__)
#define TAFFRAIL_AGAIN_(m, channel, name, text, said, zero, ...)	\
	m##_(channel, name, text "\0" __FILE__ said			\
	  TAFFRAIL_SAID_IN_(__VA_ARGS__, ),				\
	  zero TAFFRAIL_BEHIND_(__VA_ARGS__))
#define TAFFRAIL_SAID_IN_(x, ...)	TAFFRAIL_SAID_BY_ x
#define TAFFRAIL_BEHIND_(x, ...)					\
	__VA_OPT__(,) __VA_ARGS__ TAFFRAIL_NOTHING_(0, ##__VA_ARGS__)
#define TAFFRAIL_JOIN_AGAIN_(a, b)	TAFFRAIL_JOINED_AGAIN_(a, b)
#define TAFFRAIL_JOINED_AGAIN_(a, b)	a##b##_
#else
#define TAFFRAIL_REMARK_(said, text)					\
	TAFFRAIL_LEVEL_and_TAFFRAIL_MESSAGE_need_gcc_8_or_clang_12
#define TAFFRAIL_LEVEL_OR_(known, wrong)	TAFFRAIL_REMARK_(, )
#define TAFFRAIL_OF_CHANNEL_(x)
#define TAFFRAIL_TELL_(m, channel, name, text, said, ...)		\
	m##_(channel, name, text "\0" __FILE__, __VA_ARGS__)
#endif

#define TAFFRAIL_WORDS_TEXT_						\
	"taffrail: a channel, and the name of a marker or field, is one word"

#define TAFFRAIL_PRINTF_(channel, name, behind, zero, ...)		\
	TAFFRAIL_PRINTF_CHECKED_(channel, name, behind,			\
			TAFFRAIL_FIRST_(__VA_ARGS__, 0), __VA_ARGS__)
/* A format begins with a quotation mark, or with R of a raw string. */
#define TAFFRAIL_TEXT_OF_(...)	TAFFRAIL_TEXT_(__VA_ARGS__)
#define TAFFRAIL_TEXT_(...)	#__VA_ARGS__
#define TAFFRAIL_LITERAL_TEXT_						\
	"taffrail: the format of a marker must be a string literal"

/* The number of arguments behind the first: 0 to 16, or 17 for more. Compilers
 * that have no __VA_OPT__ count up to 64. */
#define TAFFRAIL_COUNT_(...)						\
	TAFFRAIL_JOIN_(TAFFRAIL_NUMBER, TAFFRAIL_SOME_(TAFFRAIL_PICK_(	\
		__VA_ARGS__, , , , , , , , , , , , , , , , , , , , , ,	\
		, , , , , , , , , , , , , , , , , , , , , , , , , , ,	\
		, , , , , , , , , , , , , , , , , )))(__VA_ARGS__)
#define TAFFRAIL_NUMBERMANY_(...)	17
#define TAFFRAIL_NUMBER_(...)						\
	TAFFRAIL_PICK_(__VA_ARGS__, 17, 17, 17, 17, 17, 17, 17, 17, 17,	\
		17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17,	\
		17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17,	\
		17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 16, 15, 14,	\
		13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, )
#define TAFFRAIL_PICK_(z, a64, a63, a62, a61, a60, a59, a58, a57, a56,	\
		a55, a54, a53, a52, a51, a50, a49, a48, a47, a46, a45,	\
		a44, a43, a42, a41, a40, a39, a38, a37, a36, a35, a34,	\
		a33, a32, a31, a30, a29, a28, a27, a26, a25, a24,	\
		a23, a22, a21, a20, a19, a18, a17, a16, a15, a14, a13,	\
		a12, a11, a10, a9, a8, a7, a6, a5, a4, a3, a2, a1, n, ...) n

/* What a compiler says of the first argument that makes no field. */
#define TAFFRAIL_REFUSED_TEXT_(number)					\
	"taffrail: argument " number " cannot be a field of a marker: "	\
	"pass its members, a cast of it, or its bytes, "		\
	"TAFFRAIL_BYTES(&x, sizeof(x)); see taffrail_marker(3)"

/* m(I, argument) for each of up to 16 arguments, from left to right. Where
 * arguments are counted already, TAFFRAIL_EACHN_ gives the macro for N. */
#define TAFFRAIL_EACH_(m, ...)						\
	TAFFRAIL_EACHN_(TAFFRAIL_COUNT_(__VA_ARGS__))(m, __VA_ARGS__, )
#define TAFFRAIL_EACHN_(n)	TAFFRAIL_JOIN_(TAFFRAIL_EACH, n)
#define TAFFRAIL_JOIN_(a, b)	TAFFRAIL_JOINED_(a, b)
#define TAFFRAIL_JOINED_(a, b)	a##b##_
#define TAFFRAIL_EACH17_(m, z, ...)
#define TAFFRAIL_EACH0_(m, z, ...)
#define TAFFRAIL_EACH1_(m, z, x, ...)	m(1, x)
#define TAFFRAIL_EACH2_(m, z, x, ...)					\
	m(2, x) TAFFRAIL_EACH1_(m, z, __VA_ARGS__)
#define TAFFRAIL_EACH3_(m, z, x, ...)					\
	m(3, x) TAFFRAIL_EACH2_(m, z, __VA_ARGS__)
#define TAFFRAIL_EACH4_(m, z, x, ...)					\
	m(4, x) TAFFRAIL_EACH3_(m, z, __VA_ARGS__)
#define TAFFRAIL_EACH5_(m, z, x, ...)					\
	m(5, x) TAFFRAIL_EACH4_(m, z, __VA_ARGS__)
#define TAFFRAIL_EACH6_(m, z, x, ...)					\
	m(6, x) TAFFRAIL_EACH5_(m, z, __VA_ARGS__)
#define TAFFRAIL_EACH7_(m, z, x, ...)					\
	m(7, x) TAFFRAIL_EACH6_(m, z, __VA_ARGS__)
#define TAFFRAIL_EACH8_(m, z, x, ...)					\
	m(8, x) TAFFRAIL_EACH7_(m, z, __VA_ARGS__)
#define TAFFRAIL_EACH9_(m, z, x, ...)					\
	m(9, x) TAFFRAIL_EACH8_(m, z, __VA_ARGS__)
#define TAFFRAIL_EACH10_(m, z, x, ...)					\
	m(10, x) TAFFRAIL_EACH9_(m, z, __VA_ARGS__)
#define TAFFRAIL_EACH11_(m, z, x, ...)					\
	m(11, x) TAFFRAIL_EACH10_(m, z, __VA_ARGS__)
#define TAFFRAIL_EACH12_(m, z, x, ...)					\
	m(12, x) TAFFRAIL_EACH11_(m, z, __VA_ARGS__)
#define TAFFRAIL_EACH13_(m, z, x, ...)					\
	m(13, x) TAFFRAIL_EACH12_(m, z, __VA_ARGS__)
#define TAFFRAIL_EACH14_(m, z, x, ...)					\
	m(14, x) TAFFRAIL_EACH13_(m, z, __VA_ARGS__)
#define TAFFRAIL_EACH15_(m, z, x, ...)					\
	m(15, x) TAFFRAIL_EACH14_(m, z, __VA_ARGS__)
#define TAFFRAIL_EACH16_(m, z, x, ...)					\
	m(16, x) TAFFRAIL_EACH15_(m, z, __VA_ARGS__)

/*
 * clang warns of an argument with a side effect in decltype, of a marker's
 * object in an inline function of C, and with -Weverything of things that
 * standards before C11, C23 and C++11 do not have, of holes in structures, and
 * of each pointer that is added to.
 */
#ifdef __clang__
#define TAFFRAIL_QUIET_BEGIN_						\
	_Pragma("clang diagnostic push")				\
	_Pragma("clang diagnostic ignored \"-Wunknown-warning-option\"") \
	_Pragma("clang diagnostic ignored \"-Wunevaluated-expression\"") \
	_Pragma("clang diagnostic ignored \"-Wstatic-local-in-inline\"") \
	_Pragma("clang diagnostic ignored \"-Wpre-c11-compat\"")	\
	_Pragma("clang diagnostic ignored \"-Wpre-c2x-compat\"")	\
	_Pragma("clang diagnostic ignored \"-Wc++98-compat\"")		\
	_Pragma("clang diagnostic ignored \"-Wpadded\"")		\
	_Pragma("clang diagnostic ignored \"-Wunsafe-buffer-usage\"")
#define TAFFRAIL_QUIET_END_	_Pragma("clang diagnostic pop")
#else
#define TAFFRAIL_QUIET_BEGIN_
#define TAFFRAIL_QUIET_END_
#endif

#ifdef __cplusplus
extern "C" {
#endif
/* Never called: it makes the compiler check a format. */
TAFFRAIL_STATIC_ __inline__ __attribute__((__format__(__printf__, 1, 2)))
void taffrail_format_(const char *format_, ...)
{
	(void)format_;
}

/* The bytes of a value of up to 8 bytes, in a register. */
TAFFRAIL_STATIC_ TAFFRAIL_ALWAYS_INLINE_
uint64_t taffrail_bits_(const void *value_, size_t bytes_)
{
	uint8_t b1_;
	uint16_t b2_;
	uint32_t b4_;
	uint64_t b8_ = 0;

	if (bytes_ == 1) {
		__builtin_memcpy(&b1_, value_, 1);
		return b1_;
	}
	if (bytes_ == 2) {
		__builtin_memcpy(&b2_, value_, 2);
		return b2_;
	}
	if (bytes_ == 4) {
		__builtin_memcpy(&b4_, value_, 4);
		return b4_;
	}
	__builtin_memcpy(&b8_, value_, bytes_ < 8 ? bytes_ : 8);
	return b8_;
}

/* The function is the agent's: a sanitizer that knows the program's own
 * functions must not refuse it. */
#ifdef __clang__
#define TAFFRAIL_UNCHECKED_						\
	__attribute__((__no_sanitize__("cfi-icall", "function", "kcfi")))
#else
#define TAFFRAIL_UNCHECKED_
#endif
TAFFRAIL_STATIC_ TAFFRAIL_ALWAYS_INLINE_ TAFFRAIL_UNCHECKED_
void taffrail_call_(struct taffrail_site *site_, uint64_t fixed_,
		    const struct taffrail_var *var_)
{
	__atomic_load_n(&site_->hit_, __ATOMIC_RELAXED)(site_, fixed_, var_);
}
#ifdef __cplusplus
}
#endif

#include <taffrail/marker-sdt.h>

#ifdef __cplusplus
#include <taffrail/marker-cxx.h>
#else
#include <taffrail/marker-c.h>
#endif

#pragma pack(pop)

#endif

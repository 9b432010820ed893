/* SPDX-License-Identifier: MIT */
/*
 * The macros of systemtap's <sys/sdt.h>, as markers. When a program that has
 * USDT probes is compiled again with this header, the probes become sites of
 * markers, which cost nothing while they are off and nanoseconds while they are
 * on. For other tools they stay USDT probes.
 *
 *	DTRACE_PROBE(provider, name)		STAP_PROBE(provider, name)
 *	DTRACE_PROBE1(provider, name, arg1)	STAP_PROBE1(...)
 *	... DTRACE_PROBE12			... STAP_PROBE12
 *	STAP_PROBEV(provider, name, args...)
 *
 * Include it instead of <sys/sdt.h>, or compile with
 * -I$(includedir)/taffrail/compat, where a sys/sdt.h leads here.
 *
 * The marker is provider/name, the fields are arg1, arg2, ... Arguments may
 * have the types that <sys/sdt.h> takes: integers, enumerations, floating
 * point, pointers and arrays (their addresses: a `char *` too). They are always
 * evaluated, once, as with that header. With _SDT_HAS_SEMAPHORES defined before
 * the include a probe has the semaphore PROVIDER_NAME_semaphore, which the
 * program defines (`dtrace -G` does): it is above 0 while a tool wants the
 * probe.
 *
 * Include it before <taffrail/marker.h>, whose markers then have operands in
 * their notes, too (TAFFRAIL_SDT_ARGS). Not supported: STAP_PROBE_ASM, and
 * assembler files. Thread and signal safety: as of all markers.
 */
#ifndef TAFFRAIL_SDT_H
#define TAFFRAIL_SDT_H

#ifdef __ASSEMBLER__
#error "taffrail/sdt.h is for C and C++: use <sys/sdt.h> in assembler files"
#endif
#if defined(TAFFRAIL_MARKER_H) && !defined(TAFFRAIL_SDT_ARGS)
#error "include <taffrail/sdt.h> before <taffrail/marker.h>"
#endif
#ifdef _SYS_SDT_H
#error "taffrail/sdt.h is instead of <sys/sdt.h>, not beside it"
#endif

#pragma GCC system_header

/* keeps systemtap's header out */
#define _SYS_SDT_H	1

#ifndef TAFFRAIL_SDT_ARGS
#define TAFFRAIL_SDT_ARGS
#endif
#include <taffrail/marker.h>

#define DTRACE_PROBE(p, n)	TAFFRAIL_SDT_(p, n, "", )
#define DTRACE_PROBE1(p, n, a1)						\
	TAFFRAIL_SDT_(p, n, "arg1", TAFFRAIL_SDT_VALUE_(a1))
#define DTRACE_PROBE2(p, n, a1, a2)					\
	TAFFRAIL_SDT_(p, n, "arg1, arg2", TAFFRAIL_SDT_VALUE_(a1),	\
		TAFFRAIL_SDT_VALUE_(a2))
#define DTRACE_PROBE3(p, n, a1, a2, a3)					\
	TAFFRAIL_SDT_(p, n, TAFFRAIL_SDT_NAMES3_, TAFFRAIL_SDT_VALUE_(a1), \
		TAFFRAIL_SDT_VALUE_(a2), TAFFRAIL_SDT_VALUE_(a3))
#define DTRACE_PROBE4(p, n, a1, a2, a3, a4)				\
	TAFFRAIL_SDT_(p, n, TAFFRAIL_SDT_NAMES3_ ", arg4",		\
		TAFFRAIL_SDT_VALUES4_(a1, a2, a3, a4))
#define DTRACE_PROBE5(p, n, a1, a2, a3, a4, a5)				\
	TAFFRAIL_SDT_(p, n, TAFFRAIL_SDT_NAMES5_,			\
		TAFFRAIL_SDT_VALUES4_(a1, a2, a3, a4),			\
		TAFFRAIL_SDT_VALUE_(a5))
#define DTRACE_PROBE6(p, n, a1, a2, a3, a4, a5, a6)			\
	TAFFRAIL_SDT_(p, n, TAFFRAIL_SDT_NAMES5_ ", arg6",		\
		TAFFRAIL_SDT_VALUES4_(a1, a2, a3, a4),			\
		TAFFRAIL_SDT_VALUE_(a5), TAFFRAIL_SDT_VALUE_(a6))
#define DTRACE_PROBE7(p, n, a1, a2, a3, a4, a5, a6, a7)			\
	TAFFRAIL_SDT_(p, n, TAFFRAIL_SDT_NAMES7_,			\
		TAFFRAIL_SDT_VALUES4_(a1, a2, a3, a4),			\
		TAFFRAIL_SDT_VALUE_(a5), TAFFRAIL_SDT_VALUE_(a6),	\
		TAFFRAIL_SDT_VALUE_(a7))
#define DTRACE_PROBE8(p, n, a1, a2, a3, a4, a5, a6, a7, a8)		\
	TAFFRAIL_SDT_(p, n, TAFFRAIL_SDT_NAMES7_ ", arg8",		\
		TAFFRAIL_SDT_VALUES4_(a1, a2, a3, a4),			\
		TAFFRAIL_SDT_VALUES4_(a5, a6, a7, a8))
#define DTRACE_PROBE9(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9)		\
	TAFFRAIL_SDT_(p, n, TAFFRAIL_SDT_NAMES9_,			\
		TAFFRAIL_SDT_VALUES4_(a1, a2, a3, a4),			\
		TAFFRAIL_SDT_VALUES4_(a5, a6, a7, a8),			\
		TAFFRAIL_SDT_VALUE_(a9))
#define DTRACE_PROBE10(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10)	\
	TAFFRAIL_SDT_(p, n, TAFFRAIL_SDT_NAMES9_ ", arg10",		\
		TAFFRAIL_SDT_VALUES4_(a1, a2, a3, a4),			\
		TAFFRAIL_SDT_VALUES4_(a5, a6, a7, a8),			\
		TAFFRAIL_SDT_VALUE_(a9), TAFFRAIL_SDT_VALUE_(a10))
#define DTRACE_PROBE11(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) \
	TAFFRAIL_SDT_(p, n, TAFFRAIL_SDT_NAMES9_ ", arg10, arg11",	\
		TAFFRAIL_SDT_VALUES4_(a1, a2, a3, a4),			\
		TAFFRAIL_SDT_VALUES4_(a5, a6, a7, a8),			\
		TAFFRAIL_SDT_VALUE_(a9), TAFFRAIL_SDT_VALUE_(a10),	\
		TAFFRAIL_SDT_VALUE_(a11))
#define DTRACE_PROBE12(p, n, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10,	\
		       a11, a12)					\
	TAFFRAIL_SDT_(p, n, TAFFRAIL_SDT_NAMES9_ ", arg10, arg11, arg12", \
		TAFFRAIL_SDT_VALUES4_(a1, a2, a3, a4),			\
		TAFFRAIL_SDT_VALUES4_(a5, a6, a7, a8),			\
		TAFFRAIL_SDT_VALUES4_(a9, a10, a11, a12))

#define STAP_PROBE	DTRACE_PROBE
#define STAP_PROBE1	DTRACE_PROBE1
#define STAP_PROBE2	DTRACE_PROBE2
#define STAP_PROBE3	DTRACE_PROBE3
#define STAP_PROBE4	DTRACE_PROBE4
#define STAP_PROBE5	DTRACE_PROBE5
#define STAP_PROBE6	DTRACE_PROBE6
#define STAP_PROBE7	DTRACE_PROBE7
#define STAP_PROBE8	DTRACE_PROBE8
#define STAP_PROBE9	DTRACE_PROBE9
#define STAP_PROBE10	DTRACE_PROBE10
#define STAP_PROBE11	DTRACE_PROBE11
#define STAP_PROBE12	DTRACE_PROBE12

#define STAP_PROBEV(...)						\
	TAFFRAIL_SDT_PICK_(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, \
			   2, 1, , )(__VA_ARGS__)

/* Private from here on. */

#define TAFFRAIL_SDT_NAMES3_	"arg1, arg2, arg3"
#define TAFFRAIL_SDT_NAMES5_	TAFFRAIL_SDT_NAMES3_ ", arg4, arg5"
#define TAFFRAIL_SDT_NAMES7_	TAFFRAIL_SDT_NAMES5_ ", arg6, arg7"
#define TAFFRAIL_SDT_NAMES9_	TAFFRAIL_SDT_NAMES7_ ", arg8, arg9"

#define TAFFRAIL_SDT_VALUES4_(a, b, c, d)				\
	TAFFRAIL_SDT_VALUE_(a), TAFFRAIL_SDT_VALUE_(b),			\
	TAFFRAIL_SDT_VALUE_(c), TAFFRAIL_SDT_VALUE_(d)

/* Chooses by the number of arguments behind provider and name. */
#define TAFFRAIL_SDT_PICK_(p, q, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, \
			   a11, a12, n, ...)				\
	DTRACE_PROBE##n

#ifdef _SDT_HAS_SEMAPHORES
#define TAFFRAIL_SDT_HOW_	TAFFRAIL_SDT_SEMAPHORE_NOTE_
#else
#define TAFFRAIL_SDT_HOW_	TAFFRAIL_SDT_NOTE_
#endif

/* provider and name may be macros, as with <sys/sdt.h>. */
#define TAFFRAIL_SDT_(p, n, names, ...)					\
	TAFFRAIL_SDT_MARKER_(p, n, names, TAFFRAIL_ZERO_(__VA_ARGS__))
#define TAFFRAIL_SDT_MARKER_(p, n, names, ...)				\
	TAFFRAIL_MARKER_(TAFFRAIL_KIND_EVENT, TAFFRAIL_SDT_HOW_, #p, #n, \
			 names "\0" __FILE__, __VA_ARGS__)

/* A pointer is an address, whatever it points to. */
#ifdef __cplusplus
#define TAFFRAIL_SDT_VALUE_(x)	::taffrail_::address_or_(x)
extern "C++" {
namespace taffrail_ {
template <class T_> TAFFRAIL_ALWAYS_INLINE_ T_ address_or_(T_ x_) { return x_; }
template <class T_>
TAFFRAIL_ALWAYS_INLINE_ const void *address_or_(T_ *x_)
{
	return (const void *)(uintptr_t)x_;
}
}
}
#else
#define TAFFRAIL_SDT_VALUE_(x)						\
	__builtin_choose_expr(						\
		__builtin_classify_type(x) == TAFFRAIL_POINTER_CLASS_,	\
		(const void *)(uintptr_t)(x), (x))
#endif

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Structures in C: TAFFRAIL_STRUCT. Everything here is private.
 *
 * The argument is a list as those of marker-shown-c.h, but says no "how":
 *
 *	(, "taffrail:" "e", e, , (x, y), )
 *
 * It is one argument, and a field for each member. Its value is a packed
 * structure of the members, as they are recorded; its kind is
 * TAFFRAIL_GROUP_KIND_, which no agent sees. In front of a marker's text stand
 * the members of each group: "\1" I ":x, y\2", I counted from the right.
 */
#ifndef TAFFRAIL_MARKER_GROUP_C_H
#define TAFFRAIL_MARKER_GROUP_C_H

#define TAFFRAIL_GROUP_KIND_	15

/* m(K, a, member) for each member. */
#define TAFFRAIL_OF_(m, a, ...)						\
	TAFFRAIL_OFN_(TAFFRAIL_COUNT_(0, __VA_ARGS__))(m, a, __VA_ARGS__, )
#define TAFFRAIL_OFN_(n)	TAFFRAIL_JOIN_(TAFFRAIL_OF, n)
#define TAFFRAIL_OF17_(m, a, ...)
#define TAFFRAIL_OF0_(m, a, ...)
#define TAFFRAIL_OF1_(m, a, x, ...)	m(1, a, x)
#define TAFFRAIL_OF2_(m, a, x, ...)					\
	m(2, a, x) TAFFRAIL_OF1_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF3_(m, a, x, ...)					\
	m(3, a, x) TAFFRAIL_OF2_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF4_(m, a, x, ...)					\
	m(4, a, x) TAFFRAIL_OF3_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF5_(m, a, x, ...)					\
	m(5, a, x) TAFFRAIL_OF4_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF6_(m, a, x, ...)					\
	m(6, a, x) TAFFRAIL_OF5_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF7_(m, a, x, ...)					\
	m(7, a, x) TAFFRAIL_OF6_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF8_(m, a, x, ...)					\
	m(8, a, x) TAFFRAIL_OF7_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF9_(m, a, x, ...)					\
	m(9, a, x) TAFFRAIL_OF8_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF10_(m, a, x, ...)				\
	m(10, a, x) TAFFRAIL_OF9_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF11_(m, a, x, ...)				\
	m(11, a, x) TAFFRAIL_OF10_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF12_(m, a, x, ...)				\
	m(12, a, x) TAFFRAIL_OF11_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF13_(m, a, x, ...)				\
	m(13, a, x) TAFFRAIL_OF12_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF14_(m, a, x, ...)				\
	m(14, a, x) TAFFRAIL_OF13_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF15_(m, a, x, ...)				\
	m(15, a, x) TAFFRAIL_OF14_(m, a, __VA_ARGS__)
#define TAFFRAIL_OF16_(m, a, x, ...)				\
	m(16, a, x) TAFFRAIL_OF15_(m, a, __VA_ARGS__)

/* The value. */
#define TAFFRAIL_PLAINHOW_(e, names, ...)				\
	__extension__ ({						\
		TAFFRAIL_NODEBUG_ __auto_type taffrail_g_ = ((void)0, (e)); \
		TAFFRAIL_NODEBUG_ struct __attribute__((__packed__)) {	\
			TAFFRAIL_OF_(TAFFRAIL_MEMBER_, taffrail_g_,	\
				     TAFFRAIL_LIST_ names)		\
		} taffrail_m_ = {					\
			TAFFRAIL_OF_(TAFFRAIL_MEMBER_VALUE_,		\
				     taffrail_g_, TAFFRAIL_LIST_ names) \
		};							\
		taffrail_m_; })
#define TAFFRAIL_MEMBER_(k, a, x)					\
	TAFFRAIL_TYPE_OF_((a).x) taffrail_m##k##_;
#define TAFFRAIL_MEMBER_VALUE_(k, a, x)					\
	.taffrail_m##k##_ = (a).x,
#define TAFFRAIL_MEMBER_KIND_(e, x)					\
	TAFFRAIL_KIND_OF_(TAFFRAIL_TYPE_OF_((((void)0, (e)).x)))

/* Its kind, if all members have a fixed size and nothing is behind it. */
#define TAFFRAIL_KINDED1_(i, x, ...)	TAFFRAIL_KIND_(i, x)
#define TAFFRAIL_KINDED_(i, e, names, ...)				\
	char taffrail_k##i##_[1 + TAFFRAIL_GROUP_KIND_ *		\
		(1 __VA_OPT__(- 1) TAFFRAIL_OF_(TAFFRAIL_MEMBER_CHECK_, e, \
						TAFFRAIL_LIST_ names))];
#define TAFFRAIL_MEMBER_CHECK_(k, e, x)					\
	&& (TAFFRAIL_MEMBER_KIND_(e, x)) - 1u < TAFFRAIL_T_BOOL

/* The kinds of the fields, and their number. */
#define TAFFRAIL_ITEMED1_(i, x, ...)	TAFFRAIL_K_(i),
#define TAFFRAIL_ITEMED_(i, e, names, ...)				\
	TAFFRAIL_OF_(TAFFRAIL_MEMBER_ITEM_, e, TAFFRAIL_LIST_ names)
#define TAFFRAIL_MEMBER_ITEM_(k, e, x)	TAFFRAIL_MEMBER_KIND_(e, x),
#define TAFFRAIL_COUNTS1_(i, x, ...)	char taffrail_i##i##_[1];
#define TAFFRAIL_COUNTS_(i, e, names, ...)				\
	char taffrail_i##i##_[TAFFRAIL_COUNT_(0, TAFFRAIL_LIST_ names)];

#define TAFFRAIL_NAMING1_(i, x, ...)
#define TAFFRAIL_NAMING_(i, e, names, ...)				\
	"\1" #i ":" TAFFRAIL_TEXT_ names "\2"

#endif

/* SPDX-License-Identifier: MIT */
/*
 * How a field is shown, in C: TAFFRAIL_ENUM and similar macros. Everything here
 * but TAFFRAIL_ENUM_NAMES is private.
 *
 * Such an argument is no expression, but a list in parentheses, which begins
 * with nothing:
 *
 *	(, "taffrail:" "e", e, 1, TAFFRAIL_HOW_..., (A, B), )
 *
 * In place of the 1, structures (marker-group-c.h) have nothing, and unions
 * (marker-union-c.h) 2, arrays (marker-group-c.h) 3. No expression begins so,
 * and the preprocessor can tell: where `F x` is the call of a macro F, x begins
 * with a parenthesis. The marker takes e out of it, and puts the rest behind
 * the texts of the object (struct taffrail_shown). Text that a program writes
 * behind the parenthesis, as + 1, gets into the empty last element; the marker
 * then has no field, as where e is no integer, and TAFFRAIL_CHECK_ refuses it.
 * Compilers without __VA_OPT__ record e as it is.
 */
#ifndef TAFFRAIL_MARKER_SHOWN_C_H
#define TAFFRAIL_MARKER_SHOWN_C_H

#include <taffrail/marker.h>

/* In C++ these describe a type, for headers of both languages. */
#define TAFFRAIL_ENUM_NAMES(type, ...)	struct taffrail_no_names_

#define TAFFRAIL_STRUCT_MEMBERS(type, ...)	struct taffrail_no_names_

#define TAFFRAIL_UNION_OPTIONS(type, ...)	struct taffrail_no_names_

#define TAFFRAIL_TRUTH_(e)	((_Bool)(e))

#if defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 8

#define TAFFRAIL_SHOWN_(tag, e, how, ...)				\
	(, tag, e, 1, how, (__VA_ARGS__), )
#define TAFFRAIL_GROUP_(tag, e, ...)		(, tag, e, , , (__VA_ARGS__), )
#define TAFFRAIL_UNION_(tag, e, which, ...)				\
	(, tag, e, 2, which, (__VA_ARGS__), )
#define TAFFRAIL_ELEMENTS_OF_(tag, e)		(, tag, e, 3, , (), )

/* Joins `m` with 1_ when it gets an expression, else with _. */
#define TAFFRAIL_WHETHER_(m, ...)					\
	TAFFRAIL_JOIN_(m, TAFFRAIL_SECOND_OF_(				\
		TAFFRAIL_UNWRAP_ __VA_ARGS__, 1, 1))
#define TAFFRAIL_UNWRAP_(...)		0, __VA_ARGS__
#define TAFFRAIL_SECOND_OF_(...)	TAFFRAIL_SECOND_(__VA_ARGS__)
#define TAFFRAIL_SECOND_(a, b, ...)	TAFFRAIL_ONE_(b)
#define TAFFRAIL_ONE_(...)		__VA_OPT__(1)
#define TAFFRAIL_LIST_(...)		__VA_ARGS__
#define TAFFRAIL_APPLY_(m, ...)		m(__VA_ARGS__)

/* An argument gets a name. */
#define TAFFRAIL_NAMED_(name, ...)					\
	TAFFRAIL_WHETHER_(TAFFRAIL_NAMEDOF, __VA_ARGS__)(name, __VA_ARGS__)
#define TAFFRAIL_NAMEDOF1_(name, ...)					\
	((void)"taffrail:" name, TAFFRAIL_WORD_(name), __VA_ARGS__)
#define TAFFRAIL_NAMEDOF_(name, x)					\
	TAFFRAIL_APPLY_(TAFFRAIL_NAMED_AT_, name, TAFFRAIL_LIST_ x)
#define TAFFRAIL_NAMED_AT_(name, none, tag, e, w, ...)			\
	(, "taffrail:" name, TAFFRAIL_JOIN_(TAFFRAIL_WORD_AND, w)(name, e), \
	 w, __VA_ARGS__)
#define TAFFRAIL_WORD_AND_(name, e)	(TAFFRAIL_WORD_(name), e)
#define TAFFRAIL_WORD_AND1_(name, e)	(TAFFRAIL_WORD_(name), e)
#define TAFFRAIL_WORD_AND2_(name, e)	(TAFFRAIL_WORD_(name), e)
#define TAFFRAIL_WORD_AND3_(name, e)	(*(TAFFRAIL_WORD_(name), &(e)))

/* The expression, with a comma before it. */
#define TAFFRAIL_PLAIN_(i, x)	, TAFFRAIL_WHETHER_(TAFFRAIL_PLAINOF, x)(x)
#define TAFFRAIL_PLAINOF1_(x)	x
#define TAFFRAIL_PLAINOF_(x)						\
	TAFFRAIL_APPLY_(TAFFRAIL_PLAIN_AT_, TAFFRAIL_LIST_ x)
#define TAFFRAIL_PLAIN_AT_(none, tag, e, w, ...)			\
	TAFFRAIL_JOIN_(TAFFRAIL_PLAINHOW, w)(e, __VA_ARGS__)
#define TAFFRAIL_PLAINHOW1_(e, how, names, ...)			\
	((void)0, __builtin_choose_expr(1 __VA_OPT__(- 1) &&		\
		(__builtin_classify_type(e) == TAFFRAIL_INTEGER_CLASS_ || \
		 __builtin_classify_type(e) == TAFFRAIL_BOOLEAN_CLASS_ || \
		 (how) == TAFFRAIL_HOW_SYMBOL),				\
		e, (struct taffrail_none_){ 0, 0 }))

/* A member of the object, and the value. */
#define TAFFRAIL_SAID_(i, x)	TAFFRAIL_WHETHER_(TAFFRAIL_SAIDOF, x)(i, x)
#define TAFFRAIL_SAIDOF1_(i, x)
#define TAFFRAIL_SAIDOF_(i, x)						\
	TAFFRAIL_APPLY_(TAFFRAIL_SAID_AT_, i, TAFFRAIL_LIST_ x)
#define TAFFRAIL_SAID_AT_(i, none, tag, e, w, how, names, end)		\
	TAFFRAIL_JOIN_(TAFFRAIL_SAIDHOW, w)(i, names)
#define TAFFRAIL_SAIDHOW1_(i, names)					\
	struct __attribute__((__packed__)) {				\
		struct taffrail_shown head_;				\
		int64_t values_[TAFFRAIL_NAMES_ names];			\
		char names_[sizeof(TAFFRAIL_TEXT_ names)];		\
	} taffrail_h##i##_;
#define TAFFRAIL_SAYING_(i, x)	TAFFRAIL_WHETHER_(TAFFRAIL_SAYINGOF, x)(i, x)
#define TAFFRAIL_SAYINGOF1_(i, x)
#define TAFFRAIL_SAYINGOF_(i, x)					\
	TAFFRAIL_APPLY_(TAFFRAIL_SAYING_AT_, i, TAFFRAIL_LIST_ x)
#define TAFFRAIL_SAYING_AT_(i, none, tag, e, w, how, names, end)	\
	TAFFRAIL_JOIN_(TAFFRAIL_SAYINGHOW, w)(i, e, how, names)
#define TAFFRAIL_SAYINGHOW1_(i, e, how, names)				\
	.taffrail_h##i##_ = {						\
		{ TAFFRAIL_NUMBER_OF_(i), how,				\
		  TAFFRAIL_NAMES_ names,				\
		  8 * TAFFRAIL_NAMES_ names +				\
			sizeof(TAFFRAIL_TEXT_ names) },			\
		{ TAFFRAIL_LIST_ names }, TAFFRAIL_TEXT_ names },
#define TAFFRAIL_NAMES_(...)						\
	(sizeof((int64_t []){ 0, __VA_ARGS__ }) / 8 - 1)

#define TAFFRAIL_HOW_OF_(m, i, x)					\
	TAFFRAIL_WHETHER_(TAFFRAIL_HOWOF, x)(m, i, x)
#define TAFFRAIL_HOWOF1_(m, i, x)	TAFFRAIL_JOIN_(m, 1)(i, x, )
#define TAFFRAIL_HOWOF_(m, i, x)					\
	TAFFRAIL_APPLY_(TAFFRAIL_HOW_AT_, m, i, TAFFRAIL_LIST_ x)
#define TAFFRAIL_HOW_AT_(m, i, none, tag, e, w, ...)			\
	TAFFRAIL_JOIN_(m, w)(i, e, __VA_ARGS__)

#else
#define TAFFRAIL_SHOWN_(tag, e, how, ...)	((void)tag, e)
#define TAFFRAIL_GROUP_(tag, e, ...)		((void)tag, e)
#define TAFFRAIL_UNION_(tag, e, which, ...)	((void)tag, e)
#define TAFFRAIL_ELEMENTS_OF_(tag, e)					\
	((void)tag, TAFFRAIL_MAKE_ARRAY_(e, sizeof(e) / sizeof((e)[0])))
#define TAFFRAIL_HOW_OF_(m, i, x)		TAFFRAIL_JOIN_(m, 1)(i, x, )
#define TAFFRAIL_NAMED_(name, ...)					\
	((void)"taffrail:" name, TAFFRAIL_WORD_(name), __VA_ARGS__)
#define TAFFRAIL_PLAIN_(i, x)			, x
#define TAFFRAIL_SAID_(i, x)
#define TAFFRAIL_SAYING_(i, x)
#endif

#endif

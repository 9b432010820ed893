/* SPDX-License-Identifier: MIT */
/*
 * Markers in C: the expansion of the public macros of taffrail/marker.h.
 * Everything here is private.
 *
 * Invariant: an argument appears twice (MARK: three times) in the
 * expansion, and once in code that runs; while a site is off, only the site
 * itself runs; a single field of eight bytes or less reaches the agent in a
 * register, never through memory.
 *
 * Each argument has a number, counted from the right. Argument I has
 *	taffrail_sI_	the type it is recorded as; strings are const char *,
 *			other pointers const volatile void *
 *	taffrail_vI_	its value, in the hit path only
 *	TAFFRAIL_K_(I)	its enum taffrail_type
 *	TAFFRAIL_O_(I)	its offset among the fields of fixed size
 *
 * A debugger takes the block around the site for the program's. So the block
 * has no variables and no enumerators but the object: numbers are sizes and
 * offsets in types. (clang hides the object, too.)
 */
#ifndef TAFFRAIL_MARKER_C_H
#define TAFFRAIL_MARKER_C_H

#include <taffrail/marker.h>
#include <taffrail/marker-group-c.h>
#include <taffrail/marker-shown-c.h>
#include <taffrail/marker-union-c.h>
#include <taffrail/marker-words-c.h>

/* Types of arguments: a string, a text of n characters, and a sequence for each
 * type of element. */
struct taffrail_str_ { const void *p_; };
struct taffrail_text_ { const void *p_; uint64_t n_; };
struct taffrail_u8_  { const void *p_; uint64_t n_; };
struct taffrail_s8_  { const void *p_; uint64_t n_; };
struct taffrail_u16_ { const void *p_; uint64_t n_; };
struct taffrail_s16_ { const void *p_; uint64_t n_; };
struct taffrail_u32_ { const void *p_; uint64_t n_; };
struct taffrail_s32_ { const void *p_; uint64_t n_; };
struct taffrail_u64_ { const void *p_; uint64_t n_; };
struct taffrail_s64_ { const void *p_; uint64_t n_; };
struct taffrail_f32_ { const void *p_; uint64_t n_; };
struct taffrail_f64_ { const void *p_; uint64_t n_; };
struct taffrail_ptr_ { const void *p_; uint64_t n_; };
struct taffrail_bool_ { const void *p_; uint64_t n_; };
struct taffrail_none_ { const void *p_; uint64_t n_; }; /* no field */

#define TAFFRAIL_MAKE_STR_(p)						\
	((TAFFRAIL_AT_POINTER_(p, struct taffrail_str_)){		\
		TAFFRAIL_ADDRESS_(p) })
#define TAFFRAIL_MAKE_TEXT_(p, n)					\
	((TAFFRAIL_AT_POINTER_(p, struct taffrail_text_)){		\
		TAFFRAIL_ADDRESS_(p), (uint64_t)(n) })
#define TAFFRAIL_MAKE_BYTES_(p, n)					\
	((TAFFRAIL_AT_POINTER_(p, struct taffrail_u8_)){		\
		TAFFRAIL_ADDRESS_(p), (uint64_t)(n) })
#define TAFFRAIL_MAKE_ARRAY_(p, n)					\
	((TAFFRAIL_ARRAY_TYPE_(TAFFRAIL_ELEMENTS_(p)[0])){		\
		TAFFRAIL_ADDRESS_(p), (uint64_t)(n) })

#ifdef __CHAR_UNSIGNED__
#define TAFFRAIL_CHAR_(s, u)	u
#else
#define TAFFRAIL_CHAR_(s, u)	s
#endif
/* The types of ISO/IEC TS 18661-3, which gcc tells from float and double. */
#if defined(__clang__) || __GNUC__ < 7
#define TAFFRAIL_FLOATS_(f32, f64)
#else
#define TAFFRAIL_FLOATS_(f32, f64)					\
	_Float32: f32, _Float64: f64, _Float32x: f64,
#endif
/* C23's nullptr has a separate type. */
#if defined(__STDC_VERSION__) && __STDC_VERSION__ > 201710L &&		\
	(defined(__clang__) ? __clang_major__ >= 16 : __GNUC__ >= 13)
#define TAFFRAIL_NULLPTR_						\
	__typeof__(nullptr): (const volatile void *)0,
#else
#define TAFFRAIL_NULLPTR_
#endif
#ifdef __LP64__
#define TAFFRAIL_LONG_(b32, b64)	b64
#else
#define TAFFRAIL_LONG_(b32, b64)	b32
#endif

/* Results of __builtin_classify_type for integers, clang's for _Bool, and those
 * for pointers and structs. */
#define TAFFRAIL_INTEGER_CLASS_	1
#define TAFFRAIL_BOOLEAN_CLASS_	4
#define TAFFRAIL_POINTER_CLASS_	5
#define TAFFRAIL_RECORD_CLASS_	12

/* If p is no pointer, or points to neither a number nor a pointer, there is no
 * type of a field, and TAFFRAIL_CHECK_ refuses the marker. */
#define TAFFRAIL_ADDRESS_(p)						\
	(const void *)__builtin_choose_expr(				\
		__builtin_classify_type(p) == TAFFRAIL_POINTER_CLASS_,	\
		(p), (const void *)0)
#define TAFFRAIL_ELEMENTS_(p)						\
	__builtin_choose_expr(						\
		__builtin_classify_type(p) == TAFFRAIL_POINTER_CLASS_,	\
		__extension__ _Generic((p),				\
			void *:	(struct taffrail_none_ *)0,		\
			const void *: (struct taffrail_none_ *)0,	\
			volatile void *: (struct taffrail_none_ *)0,	\
			const volatile void *: (struct taffrail_none_ *)0, \
			default: (p)),					\
		(struct taffrail_none_ *)0)
#define TAFFRAIL_AT_POINTER_(p, T)					\
	__typeof__(*__builtin_choose_expr(				\
		__builtin_classify_type(p) == TAFFRAIL_POINTER_CLASS_,	\
		(T *)0, (struct taffrail_none_ *)0))
#define TAFFRAIL_ARRAY_TYPE_(e)						\
	__typeof__(*__extension__ _Generic(((void)0, (e)),		\
	_Bool:			(struct taffrail_bool_ *)0,		\
	char:	 TAFFRAIL_CHAR_((struct taffrail_s8_ *)0,		\
				(struct taffrail_u8_ *)0),		\
	signed char:		(struct taffrail_s8_ *)0,		\
	unsigned char:		(struct taffrail_u8_ *)0,		\
	short:			(struct taffrail_s16_ *)0,		\
	unsigned short:		(struct taffrail_u16_ *)0,		\
	int:			(struct taffrail_s32_ *)0,		\
	unsigned int:		(struct taffrail_u32_ *)0,		\
	long:	 TAFFRAIL_LONG_((struct taffrail_s32_ *)0,		\
				(struct taffrail_s64_ *)0),		\
	unsigned long: TAFFRAIL_LONG_((struct taffrail_u32_ *)0,	\
				(struct taffrail_u64_ *)0),		\
	long long:		(struct taffrail_s64_ *)0,		\
	unsigned long long:	(struct taffrail_u64_ *)0,		\
	float:			(struct taffrail_f32_ *)0,		\
	double:			(struct taffrail_f64_ *)0,		\
	TAFFRAIL_FLOATS_((struct taffrail_f32_ *)0,			\
			 (struct taffrail_f64_ *)0)			\
	default: __builtin_choose_expr(					\
		__builtin_classify_type(e) == TAFFRAIL_POINTER_CLASS_,	\
		(struct taffrail_ptr_ *)0, (struct taffrail_none_ *)0)))

/* A float would be promoted: -Wdouble-promotion warns of that. */
#define TAFFRAIL_CLASS_(T)						\
	__builtin_classify_type(_Generic(*(T *)0, float: 0, default: *(T *)0))

/* Integers, and types without a name: bit-fields in gcc. 0: no field. */
#define TAFFRAIL_INTEGER_KIND_(T)					\
	(TAFFRAIL_CLASS_(T) == TAFFRAIL_INTEGER_CLASS_ &&		\
	 sizeof(T) <= 8) *						\
	(2 + 2 *							\
	 ((sizeof(T) > 1) + (sizeof(T) > 2) + (sizeof(T) > 4)) -	\
	 !((__typeof__(__builtin_choose_expr(				\
		TAFFRAIL_CLASS_(T) == TAFFRAIL_INTEGER_CLASS_,		\
		*(T *)0, 0)))-1 > 0))

/* The numbers are kinds (taffrail/site.h): words would be a third of a marker's
 * text. */
#define TAFFRAIL_KIND_OF_(T)						\
	_Generic(*(T *)0,						\
	_Bool:			12,					\
	float:			9,					\
	double:			10,					\
	TAFFRAIL_FLOATS_(9, 10)						\
	const volatile void *:	11,					\
	const char *:		0x10,					\
	struct taffrail_str_:	0x10,					\
	struct taffrail_text_:	0x20,					\
	struct taffrail_s8_:	0x41,					\
	struct taffrail_u8_:	0x42,					\
	struct taffrail_s16_:	0x43,					\
	struct taffrail_u16_:	0x44,					\
	struct taffrail_s32_:	0x45,					\
	struct taffrail_u32_:	0x46,					\
	struct taffrail_s64_:	0x47,					\
	struct taffrail_u64_:	0x48,					\
	struct taffrail_f32_:	0x49,					\
	struct taffrail_f64_:	0x4a,					\
	struct taffrail_ptr_:	0x4b,					\
	struct taffrail_bool_:	0x4c,					\
	default:		TAFFRAIL_INTEGER_KIND_(T))
TAFFRAIL_ASSERT_(TAFFRAIL_T_U8 == 2 && TAFFRAIL_T_U64 == 8 &&
	       TAFFRAIL_T_F32 == 9 && TAFFRAIL_T_F64 == 10 &&
	       TAFFRAIL_T_PTR == 11 && TAFFRAIL_T_BOOL == 12 &&
	       TAFFRAIL_T_STRING == 16 && TAFFRAIL_T_TEXT == 32 &&
	       TAFFRAIL_T_SEQUENCE == 0x40,
	       "the numbers of kinds are the ABI's");

#define TAFFRAIL_IS_VAR_(kind)	((kind) >= 16)
#define TAFFRAIL_SIGNED_KIND_(kind)					\
	((kind) == TAFFRAIL_T_S8 || (kind) == TAFFRAIL_T_S16 ||		\
	 (kind) == TAFFRAIL_T_S32 || (kind) == TAFFRAIL_T_S64)

#ifdef __clang__
#define TAFFRAIL_NODEBUG_	__attribute__((__nodebug__))
#else
#define TAFFRAIL_NODEBUG_
#endif

/*
 * An argument's type and the declaration of the value. typeof evaluates an
 * operand whose type is variably modified, as int (*)[n] is: so no pointer's
 * own type is asked for, and the value is declared without one.
 */
#define TAFFRAIL_TYPE_OF_(x)						\
	__typeof__(_Generic(((void)0, (x)),				\
		TAFFRAIL_ATOMIC_STRINGS_				\
		char *: (const char *)0,				\
		const char *: (const char *)0,				\
		volatile char *: (const char *)0,			\
		const volatile char *: (const char *)0,			\
		long double: 0.0,					\
		TAFFRAIL_NULLPTR_					\
		default: __builtin_choose_expr(				\
			__builtin_classify_type(((void)0, (x))) ==	\
				TAFFRAIL_POINTER_CLASS_,		\
			(const volatile void *)0, ((void)0, (x)))))
#define TAFFRAIL_VALUE_(i, x)						\
	TAFFRAIL_NODEBUG_ __auto_type taffrail_x##i##_ = ((void)0, (x)); \
	TAFFRAIL_NODEBUG_ __auto_type taffrail_v##i##_ =		\
		_Generic((taffrail_x##i##_),				\
		long double: taffrail_narrow_(_Generic((taffrail_x##i##_), \
			long double: (taffrail_x##i##_), default: 0)),	\
		default: (taffrail_x##i##_));

/*
 * A comma in braces ends an argument of a macro. A text that has only the brace
 * in front of the comma, and no literal, is half an expression.
 */
#ifdef __clang__
#define TAFFRAIL_HALF_(text)						\
	(__builtin_strchr(text, '{') && !__builtin_strchr(text, '}') &&	\
	 !__builtin_strchr(text, '"') && !__builtin_strchr(text, '\''))
#else
#define TAFFRAIL_HALF_(text)						\
	(__builtin_strchr(text, '{') && !__builtin_strpbrk(text, "}\"'"))
#endif
#define TAFFRAIL_HALF_TEXT_						\
	"taffrail: put an argument that has braces in parentheses"
#ifdef __clang__
static __inline__ int taffrail_whole_(const char *text_)
	__attribute__((__diagnose_if__(TAFFRAIL_HALF_(text_),
				       TAFFRAIL_HALF_TEXT_, "error")));
static __inline__ int taffrail_whole_(const char *text_)
{
	return !text_;
}
#define TAFFRAIL_WHOLE_(i, x)	&& sizeof(taffrail_whole_(#x)) > 0
#else
#define TAFFRAIL_WHOLE_(i, x)	&& !TAFFRAIL_HALF_(#x)
#endif

/* clang up to 14 gives an assignment to an _Atomic that very type. */
#if defined(__clang__) && __clang_major__ < 15
#define TAFFRAIL_ATOMIC_STRINGS_					\
	_Atomic(char *): (const char *)0,				\
	_Atomic(const char *): (const char *)0,
#define TAFFRAIL_TYPES_(i, x)						\
	typedef __typeof__(((void)0, *(TAFFRAIL_TYPE_OF_(x) *)0))	\
		taffrail_s##i##_ TAFFRAIL_NODEBUG_;
#else
#define TAFFRAIL_ATOMIC_STRINGS_
#define TAFFRAIL_TYPES_(i, x)						\
	typedef TAFFRAIL_TYPE_OF_(x) taffrail_s##i##_ TAFFRAIL_NODEBUG_;
#endif
/* The kind plus 1, as the size of a member: a kind may be 0, a size not. */
#define TAFFRAIL_KIND_(i, x)	char taffrail_k##i##_[1 +		\
	TAFFRAIL_KIND_OF_(taffrail_s##i##_)];
#define TAFFRAIL_K_(i)							\
	((int)sizeof(((struct taffrail_kinds_ *)0)->taffrail_k##i##_) - 1)
#define TAFFRAIL_KINDS_(i, x)	TAFFRAIL_HOW_OF_(TAFFRAIL_KINDED, i, x)
#define TAFFRAIL_ITEMS_(i, x)	TAFFRAIL_HOW_OF_(TAFFRAIL_ITEMED, i, x)
#define TAFFRAIL_COUNTED_FIELDS_(i, x) TAFFRAIL_HOW_OF_(TAFFRAIL_COUNTS, i, x)
#define TAFFRAIL_NAMINGS_(i, x)	TAFFRAIL_HOW_OF_(TAFFRAIL_NAMING, i, x)
#define TAFFRAIL_VARYING_(i, x)	TAFFRAIL_HOW_OF_(TAFFRAIL_VARIES, i, x)
#define TAFFRAIL_LAYOUT_(i, x)	TAFFRAIL_HOW_OF_(TAFFRAIL_LAYS, i, x)
#define TAFFRAIL_PACKING_(i, x)	TAFFRAIL_HOW_OF_(TAFFRAIL_PACKS, i, x)
/* The number of an argument's first field, from 1 on. */
#define TAFFRAIL_NUMBER_OF_(i)						\
	__builtin_offsetof(struct taffrail_count_, taffrail_i##i##_)
#define TAFFRAIL_NVAR_		(sizeof(struct taffrail_varying_) - 1)
#define TAFFRAIL_O_(i)							\
	__builtin_offsetof(struct taffrail_layout_, taffrail_o##i##_)
#define TAFFRAIL_TOTAL_							\
	__builtin_offsetof(struct taffrail_layout_, total_)
/* The size of struct taffrail_refused_ is the number of the first argument that
 * makes no field, from the first one on; i counts from the last one on. */
#define TAFFRAIL_REFUSED_(i, x)	TAFFRAIL_K_(i) == 0 ? i :
#define TAFFRAIL_CHECK_(i, x)						\
	TAFFRAIL_ASSERT_(sizeof(struct taffrail_refused_) != i,		\
			 TAFFRAIL_REFUSED_TEXT_(#i));
/* The operand in a note: the value, or the address of a string, a sequence or a
 * structure. */
#define TAFFRAIL_OPERAND_(i, x)						\
	TAFFRAIL_NODEBUG_						\
	__typeof__(__builtin_choose_expr(__builtin_classify_type(	\
		taffrail_v##i##_) == TAFFRAIL_RECORD_CLASS_, (void *)0,	\
		taffrail_v##i##_)) taffrail_w##i##_ =			\
		__builtin_choose_expr(					\
			TAFFRAIL_K_(i) == TAFFRAIL_GROUP_KIND_ ||	\
			TAFFRAIL_K_(i) == TAFFRAIL_UNION_KIND_,		\
			(void *)&taffrail_v##i##_,			\
			*(__typeof__(&taffrail_w##i##_))(void *)	\
				&taffrail_v##i##_);
#define TAFFRAIL_INPUT_(i, x)						\
	TAFFRAIL_SDT_INPUT_(i, (int)sizeof(taffrail_w##i##_) *		\
		(TAFFRAIL_SIGNED_KIND_(TAFFRAIL_K_(i)) ? 1 : -1),	\
		taffrail_w##i##_)
/*
 * The hit path takes TAFFRAIL_K_, TAFFRAIL_O_ and TAFFRAIL_TOTAL_ as they are.
 * No enumerators have their values: newer gcc and clang tell the debugger
 * that a block's enumerators are the function's.
 */
/* A value as it lies in memory: of a pointer or of a sequence, and the bits of
 * a number of that size. No functions: to inline them would take the compiler
 * more time than all else. */
typedef const void *taffrail_pointer_ __attribute__((__may_alias__));
typedef uint8_t taffrail_bits1_ __attribute__((__may_alias__));
typedef uint16_t taffrail_bits2_ __attribute__((__may_alias__));
typedef uint32_t taffrail_bits4_ __attribute__((__may_alias__));
typedef uint64_t taffrail_bits8_ __attribute__((__may_alias__));
typedef const taffrail_pointer_ *taffrail_at_;
typedef const taffrail_bits1_ *taffrail_at1_;
typedef const taffrail_bits2_ *taffrail_at2_;
typedef const taffrail_bits4_ *taffrail_at4_;
typedef const taffrail_bits8_ *taffrail_at8_;
#define TAFFRAIL_PACK_(i, x) {						\
	const void *taffrail_a_ = &taffrail_v##i##_;			\
	if (TAFFRAIL_IS_VAR_(TAFFRAIL_K_(i))) {				\
		const void *taffrail_p_ = *(taffrail_at_)taffrail_a_;	\
		taffrail_next_->p_ = TAFFRAIL_K_(i) <= 32 &&		\
			!taffrail_p_ ? "(null)" : taffrail_p_;		\
		taffrail_next_++->n_ = TAFFRAIL_K_(i) == 16 ?		\
			TAFFRAIL_VAR_STRING - !taffrail_p_ :		\
			taffrail_p_ ? ((taffrail_at8_)taffrail_a_)[1] :	\
			TAFFRAIL_K_(i) == 32 ? TAFFRAIL_VAR_NULL : 0;	\
	} else if (TAFFRAIL_TOTAL_ <= 8) {				\
		taffrail_fixed_ |= (uint64_t)(				\
			sizeof(taffrail_v##i##_) == 1 ?			\
				*(taffrail_at1_)taffrail_a_ :		\
			sizeof(taffrail_v##i##_) == 2 ?			\
				*(taffrail_at2_)taffrail_a_ :		\
			sizeof(taffrail_v##i##_) == 4 ?			\
				*(taffrail_at4_)taffrail_a_ :		\
				*(taffrail_at8_)taffrail_a_)		\
			<< (8 * TAFFRAIL_O_(i) & 63);			\
	} else {							\
		__builtin_memcpy(taffrail_bytes_ + TAFFRAIL_O_(i),	\
			taffrail_a_, sizeof(taffrail_v##i##_));		\
	} }

/* The object of a marker; said and saying are lists in parentheses: how fields
 * are shown; ... are the types */
#define TAFFRAIL_OBJECT_(kind, text, nfields, fixed, nvar, said, saying, ...) \
	static struct taffrail_object_ {				\
		struct taffrail_site site_;				\
		char text_[sizeof(text)];				\
		TAFFRAIL_BARE_ said					\
		char end_[0];						\
	} __attribute__((__aligned__(64)))				\
	taffrail_object_ TAFFRAIL_NODEBUG_ = {				\
		.site_ = {						\
			.version_ = TAFFRAIL_SITE_VERSION,		\
			.kind_ = kind,					\
			.nfields_ = nfields,				\
			.fixed_bytes_ = fixed,				\
			.nvar_ = nvar,					\
			.flags_ = TAFFRAIL_SITE_FLAGS_,			\
			.line_ = __LINE__,				\
			.text_bytes_ = __builtin_offsetof(		\
				struct taffrail_object_, end_) -	\
				sizeof(struct taffrail_site),		\
			.types_ = { __VA_ARGS__ },			\
		},							\
		.text_ = text,						\
		TAFFRAIL_BARE_ saying					\
	};

#ifdef __clang__
#define TAFFRAIL_COLD_LABEL_
#else
#define TAFFRAIL_COLD_LABEL_	__attribute__((__cold__))
#endif

/* A void expression. note is the macro of the USDT note; text goes on with the
 * file's name; ... are a dummy and the arguments. */
#define TAFFRAIL_MARKER_(kind, note, channel, name, text, ...)		\
	TAFFRAIL_COUNTED_(TAFFRAIL_COUNT_(__VA_ARGS__), kind, note,	\
			  channel, name, text, __VA_ARGS__)
#define TAFFRAIL_COUNTED_(n, kind, note, channel, name, text, ...)	\
	TAFFRAIL_WITH_(n, TAFFRAIL_EACHN_(n), kind, note,		\
		       channel, name, text,				\
		       (TAFFRAIL_EACHN_(n)(TAFFRAIL_SAID_, __VA_ARGS__, )), \
		       (TAFFRAIL_EACHN_(n)(TAFFRAIL_SAYING_, __VA_ARGS__, )), \
		       (TAFFRAIL_EACHN_(n)(TAFFRAIL_KINDS_, __VA_ARGS__, )), \
		       (TAFFRAIL_EACHN_(n)(TAFFRAIL_ITEMS_, __VA_ARGS__, )), \
		       (TAFFRAIL_EACHN_(n)(TAFFRAIL_COUNTED_FIELDS_,	\
					   __VA_ARGS__, )),		\
		       (TAFFRAIL_EACHN_(n)(TAFFRAIL_NAMINGS_, __VA_ARGS__, )), \
		       (TAFFRAIL_EACHN_(n)(TAFFRAIL_VARYING_, __VA_ARGS__, )), \
		       (TAFFRAIL_EACHN_(n)(TAFFRAIL_LAYOUT_, __VA_ARGS__, )), \
		       (TAFFRAIL_EACHN_(n)(TAFFRAIL_PACKING_, __VA_ARGS__, )), \
		       0 TAFFRAIL_EACHN_(n)(TAFFRAIL_PLAIN_, __VA_ARGS__, ))
#define TAFFRAIL_BARE_(...)	__VA_ARGS__
/* n is the number of arguments; each is the macro that repeats n times. */
#define TAFFRAIL_WITH_(n, each, kind, note, channel, name, text,	\
		       said, saying, kinds, items, counts, namings,	\
		       varying, layouts, packing, ...)			\
	__extension__ ({						\
	__label__ taffrail_hit_;					\
	TAFFRAIL_QUIET_BEGIN_						\
	TAFFRAIL_ASSERT_(n <= 16,					\
		       "taffrail: a marker takes at most 16 arguments"); \
	TAFFRAIL_ASSERT_(n > 16 || n <= TAFFRAIL_SDT_MAX_,		\
		       "taffrail: at most 12 arguments with "		\
		       "TAFFRAIL_SDT_ARGS");				\
	TAFFRAIL_ASSERT_(1 each(TAFFRAIL_WHOLE_, __VA_ARGS__, ),	\
			 TAFFRAIL_HALF_TEXT_);				\
	each(TAFFRAIL_TYPES_, __VA_ARGS__, )				\
	struct taffrail_count_ { char none_; TAFFRAIL_BARE_ counts };	\
	TAFFRAIL_ASSERT_(n > 16 || sizeof(struct taffrail_count_) <= 17, \
		       "taffrail: a marker takes at most 16 fields, "	\
		       "members of structures included");		\
	struct taffrail_kinds_ { char none_; TAFFRAIL_BARE_ kinds };	\
	struct taffrail_varying_ { char none_; TAFFRAIL_BARE_ varying }; \
	struct taffrail_layout_ {					\
		TAFFRAIL_BARE_ layouts					\
		char total_;						\
	};								\
	struct taffrail_refused_ {					\
		char at_[n + 1 - (each(TAFFRAIL_REFUSED_, __VA_ARGS__, ) 0)]; \
	};								\
	each(TAFFRAIL_CHECK_, __VA_ARGS__, )				\
	TAFFRAIL_OBJECT_(kind,						\
		channel "\0" name "\0" TAFFRAIL_BARE_ namings text,	\
		sizeof(struct taffrail_count_) - 1,			\
		TAFFRAIL_TOTAL_, TAFFRAIL_NVAR_,			\
		said, saying, TAFFRAIL_BARE_ items)			\
	TAFFRAIL_EARLY_(each(TAFFRAIL_VALUE_, __VA_ARGS__, )		\
			each(TAFFRAIL_OPERAND_, __VA_ARGS__, ))		\
	TAFFRAIL_SITE_(taffrail_object_, note(channel, name,		\
		TAFFRAIL_EARLY_(each(TAFFRAIL_SDT_TEXT_,		\
				     __VA_ARGS__, )) ""),		\
		TAFFRAIL_EARLY_(each(TAFFRAIL_INPUT_, __VA_ARGS__, )));	\
	if (0) {							\
	taffrail_hit_: TAFFRAIL_COLD_LABEL_;				\
		TAFFRAIL_HIT_(each, packing, __VA_ARGS__)		\
	}								\
	TAFFRAIL_QUIET_END_						\
	(void)0; })

/* Of a provider: where the program called the function that has the marker
 * (taffrail_hit_fn). */
#ifndef TAFFRAIL_CALLER_
#define TAFFRAIL_CALLER_	0
#endif

/* A separate block: no declaration follows a statement. */
#define TAFFRAIL_HIT_(each, packing, ...) {				\
	TAFFRAIL_LATE_(each(TAFFRAIL_VALUE_, __VA_ARGS__, ))		\
	uint64_t taffrail_fixed_ = 0;					\
	struct taffrail_var taffrail_var_[TAFFRAIL_NVAR_ + 1];		\
	struct taffrail_var *taffrail_next_ = taffrail_var_;		\
	unsigned char taffrail_bytes_[TAFFRAIL_TOTAL_ + 16]		\
		__attribute__((__aligned__(16)));			\
	TAFFRAIL_BARE_ packing						\
	if (TAFFRAIL_TOTAL_ > 8)					\
		taffrail_fixed_ = (uintptr_t)taffrail_bytes_;		\
	taffrail_call_(&taffrail_object_.site_, taffrail_fixed_,	\
		taffrail_next_ == taffrail_var_ ? TAFFRAIL_CALLER_ :	\
						  taffrail_var_);	\
	}

#ifdef __clang__
#define TAFFRAIL_IS_LITERAL_(text)					\
	(!__builtin_strncmp(text, "\"", 1) || !__builtin_strncmp(text, "R", 1))
#else
#define TAFFRAIL_IS_LITERAL_(text)	(__builtin_strspn(text, "\"R") > 0)
#endif
#define TAFFRAIL_EVENT_(channel, name, text, ...)			\
	__extension__ ({						\
		TAFFRAIL_QUIET_BEGIN_					\
		TAFFRAIL_WORDS_(channel, name)				\
		TAFFRAIL_QUIET_END_					\
		TAFFRAIL_MARKER_(TAFFRAIL_KIND_EVENT, TAFFRAIL_SDT_NOTE_, \
				 channel, name, text, __VA_ARGS__);	\
	})

#define TAFFRAIL_PRINTF_CHECKED_(channel, name, behind, format, ...)	\
	__extension__ ({						\
		TAFFRAIL_QUIET_BEGIN_					\
		TAFFRAIL_WORDS_(channel, name)				\
		TAFFRAIL_ASSERT_(TAFFRAIL_IS_LITERAL_(			\
				TAFFRAIL_TEXT_OF_(format)),		\
			       TAFFRAIL_LITERAL_TEXT_);			\
		TAFFRAIL_QUIET_END_					\
		if (0)							\
			taffrail_format_(__VA_ARGS__);			\
		TAFFRAIL_MARKER_(TAFFRAIL_KIND_MARK, TAFFRAIL_SDT_NOTE_, \
				 channel, name, format behind, __VA_ARGS__); \
	})

#define TAFFRAIL_GUARD_(channel, name) __extension__ ({			\
	__label__ taffrail_hit_;					\
	TAFFRAIL_QUIET_BEGIN_						\
	TAFFRAIL_WORDS_(channel, name)					\
	TAFFRAIL_NODEBUG_ int taffrail_on_ = 0;				\
	TAFFRAIL_OBJECT_(TAFFRAIL_KIND_GUARD,				\
		channel "\0" name "\0" "\0" __FILE__, 0, 0, 0, (), (), 0) \
	TAFFRAIL_SITE_(taffrail_object_, "", );				\
	if (0) {							\
		taffrail_hit_: TAFFRAIL_COLD_LABEL_;			\
		taffrail_on_ = 1;					\
	}								\
	TAFFRAIL_QUIET_END_						\
	taffrail_on_; })

#endif

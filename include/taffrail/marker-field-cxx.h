/* SPDX-License-Identifier: MIT */
/*
 * Fields of a marker in C++: the types that arguments are recorded as, and the
 * description of them in a marker's object. Everything here is private.
 */
#ifndef TAFFRAIL_MARKER_FIELD_CXX_H
#define TAFFRAIL_MARKER_FIELD_CXX_H

#include <stddef.h>

#include <taffrail/marker-narrow.h>
#include <taffrail/site.h>

/* A program may include the header inside extern "C". */
extern "C++" {
namespace taffrail_ {

namespace {
struct local_ {};
}

template <size_t N_> struct chars_ { char c_[N_]; };

/* Parts of an object that follow each other; nothing_ has no bytes. */
struct nothing_ {
	char none_[0];
};
template <class Head_, class Tail_>
struct __attribute__((__packed__)) said_both_ {
	Head_ head_;
	Tail_ tail_;
};
template <class Tail_>
constexpr Tail_ said_join_(nothing_, Tail_ tail_) { return tail_; }
template <class Head_>
constexpr Head_ said_join_(Head_ head_, nothing_) { return head_; }
constexpr nothing_ said_join_(nothing_, nothing_) { return nothing_(); }
template <class Head_, class Tail_>
constexpr said_both_<Head_, Tail_> said_join_(Head_ head_, Tail_ tail_)
{
	return said_both_<Head_, Tail_>{ head_, tail_ };
}

/* How the fields of a signature are shown, and the members of structures:
 * type_, and of_(). */
template <class S_> struct said_by_;
template <class S_> struct groups_by_;

template <size_t Ids_, size_t N_, class S_>
struct TAFFRAIL_SITE_HIDDEN_ __attribute__((__aligned__(64))) object_ {
	taffrail_site site_;
	chars_<Ids_> ids_;
	typename groups_by_<S_>::type_ groups_;
	chars_<N_> text_;
	typename said_by_<S_>::type_ said_;
};

/* Types of arguments: a string, and a sequence. */
struct str_ {
	const void *p_;
	explicit str_(const void *p_) : p_(p_) {}
};

template <class T_>
struct seq_ {
	const void *p_;
	uint64_t n_;
	seq_(const void *p_, uint64_t n_) : p_(p_), n_(n_) {}
};

/* An array, of as many elements for each event. */
template <class T_, size_t N_>
struct elements_ {
	const void *p_;
};

/* A sequence of n_ characters, which need no NUL behind them. */
struct text_ {
	const void *p_;
	uint64_t n_;
};

/* One number, or none: a sequence that holds it. */
template <class T_>
struct maybe_ {
	T_ value_;
	bool there_;
};

/* A text that was made for the event. */
template <unsigned Bytes_>
struct written_ {
	char text_[Bytes_];
};

/* Members of a structure, and one member of a union: see marker-group-cxx.h and
 * marker-union-cxx.h. As one kind, they have this, which no agent sees. */
template <class Owner_, class... M_> struct group_;
template <class Owner_, class... M_> struct choice_;
#define TAFFRAIL_MANY_FIELDS_	15

/* A number that is shown in the way How (enum taffrail_how). */
template <class T_, int How_>
struct formatted_ {
	T_ value_;
};

template <class T_> struct plain_ { typedef T_ type_; };
template <class T_> struct plain_<const T_> { typedef T_ type_; };
template <class T_> struct plain_<volatile T_> { typedef T_ type_; };
template <class T_> struct plain_<const volatile T_> { typedef T_ type_; };

/* Stands for a T in decltype; never defined. */
template <class T_> T_ any_();

/* A type that is no pointer makes no field, which TAFFRAIL_CHECK_ refuses. NULL
 * is a pointer, and so is an object that converts to one. */
template <bool Bool_> struct when_ {};
template <> struct when_<true> { typedef int type_; };
char converts_(const volatile void *);
long converts_(...);
struct no_field_ {};

/* Objects of classes, but not of those above: see marker-library-cxx.h. */
template <class T_> struct foreign_ {
	static constexpr bool is_ = __is_class(T_) || __is_union(T_);
};
template <> struct foreign_<str_> { static constexpr bool is_ = false; };
template <> struct foreign_<text_> { static constexpr bool is_ = false; };
template <> struct foreign_<no_field_> { static constexpr bool is_ = false; };
template <class T_> struct foreign_<seq_<T_> > {
	static constexpr bool is_ = false;
};
template <class T_, size_t N_> struct foreign_<elements_<T_, N_> > {
	static constexpr bool is_ = false;
};
template <class T_> struct foreign_<maybe_<T_> > {
	static constexpr bool is_ = false;
};
template <unsigned Bytes_> struct foreign_<written_<Bytes_> > {
	static constexpr bool is_ = false;
};
template <class Owner_, class... M_> struct foreign_<group_<Owner_, M_...> > {
	static constexpr bool is_ = false;
};
template <class Owner_, class... M_> struct foreign_<choice_<Owner_, M_...> > {
	static constexpr bool is_ = false;
};
template <class T_, int How_> struct foreign_<formatted_<T_, How_> > {
	static constexpr bool is_ = false;
};
/* The kinds of objects; of those that an object is, the one of the highest
 * number counts. */
template <int N_> struct rank_ : rank_<N_ - 1> {};
template <> struct rank_<0> {};
typedef rank_<11> first_rank_;

struct no_pointer_ {
	template <class T_, typename when_<(sizeof(converts_(
			any_<const T_ &>())) > 1)>::type_ = 0>
	no_pointer_(const T_ &) {}
};
TAFFRAIL_ALWAYS_INLINE_ str_ make_str_(const volatile void *p_)
{
	return str_((const void *)p_);
}
TAFFRAIL_ALWAYS_INLINE_ no_field_ make_str_(no_pointer_)
{
	return no_field_();
}
TAFFRAIL_ALWAYS_INLINE_
text_ make_text_(const volatile void *p_, uint64_t n_)
{
	return text_{ (const void *)p_, n_ };
}
TAFFRAIL_ALWAYS_INLINE_ no_field_ make_text_(no_pointer_, uint64_t)
{
	return no_field_();
}
TAFFRAIL_ALWAYS_INLINE_
seq_<unsigned char> make_bytes_(const volatile void *p_, uint64_t n_)
{
	return seq_<unsigned char>((const void *)p_, n_);
}
TAFFRAIL_ALWAYS_INLINE_ no_field_ make_bytes_(no_pointer_, uint64_t)
{
	return no_field_();
}

template <class T_>
inline seq_<typename plain_<T_>::type_> make_array_(T_ *p_, uint64_t n_)
{
	return seq_<typename plain_<T_>::type_>((const void *)p_, n_);
}
template <class T_, size_t N_> TAFFRAIL_ALWAYS_INLINE_
elements_<typename plain_<T_>::type_, N_> make_elements_(T_ (&p_)[N_])
{
	return { (const void *)p_ };
}
TAFFRAIL_ALWAYS_INLINE_ no_field_ make_elements_(...) { return no_field_(); }
TAFFRAIL_ALWAYS_INLINE_ no_field_ make_array_(no_pointer_, uint64_t)
{
	return no_field_();
}

/* The integer type of an enumeration; void for every other type. */
template <class T_, bool Enum_ = __is_enum(T_)>
struct number_ { typedef void type_; };
template <class T_>
struct number_<T_, true> { typedef __underlying_type(T_) type_; };

/* kind 0: no field. `as` is the type that is recorded. */
template <class T_> struct arithmetic_ {
	static constexpr int kind_ = 0;
	typedef char as_;
};

#define TAFFRAIL_ARITHMETIC_(T, K, A)					\
	template <> struct arithmetic_<T> {				\
		static constexpr int kind_ = K;				\
		typedef A as_;						\
	}
#define TAFFRAIL_INTEGER_(T)						\
	TAFFRAIL_ARITHMETIC_(T,						\
		(sizeof(T) == 1 ? TAFFRAIL_T_U8 :			\
		 sizeof(T) == 2 ? TAFFRAIL_T_U16 :			\
		 sizeof(T) == 4 ? TAFFRAIL_T_U32 : TAFFRAIL_T_U64)	\
		- ((T)-1 < (T)1), T)

TAFFRAIL_ARITHMETIC_(bool, TAFFRAIL_T_BOOL, bool);
TAFFRAIL_ARITHMETIC_(float, TAFFRAIL_T_F32, float);
TAFFRAIL_ARITHMETIC_(double, TAFFRAIL_T_F64, double);
TAFFRAIL_ARITHMETIC_(long double, TAFFRAIL_T_F64, double);
TAFFRAIL_ARITHMETIC_(decltype(nullptr), TAFFRAIL_T_PTR, const void *);
TAFFRAIL_INTEGER_(char);
TAFFRAIL_INTEGER_(signed char);
TAFFRAIL_INTEGER_(unsigned char);
TAFFRAIL_INTEGER_(short);
TAFFRAIL_INTEGER_(unsigned short);
TAFFRAIL_INTEGER_(int);
TAFFRAIL_INTEGER_(unsigned int);
TAFFRAIL_INTEGER_(long);
TAFFRAIL_INTEGER_(unsigned long);
TAFFRAIL_INTEGER_(long long);
TAFFRAIL_INTEGER_(unsigned long long);
TAFFRAIL_INTEGER_(wchar_t);
TAFFRAIL_INTEGER_(char16_t);
TAFFRAIL_INTEGER_(char32_t);
#ifdef __cpp_char8_t
TAFFRAIL_INTEGER_(char8_t);
#endif

/* What an argument is recorded as: type_, and of_(argument). */
template <class T_, bool Foreign_ = foreign_<T_>::is_> struct as_;

/* A field: its enum taffrail_type, and its bytes if its size is fixed. */
template <class T_, bool Foreign_ = foreign_<T_>::is_>
struct field_ : field_<typename as_<T_>::type_> {};
template <class T_> struct field_<T_, false> {
	typedef typename number_<T_>::type_ integer_;
	static constexpr int kind_ = arithmetic_<T_>::kind_ ?
		arithmetic_<T_>::kind_ : arithmetic_<integer_>::kind_;
	typedef typename arithmetic_<T_>::as_ as_self_;
	static constexpr unsigned bytes_ =
		arithmetic_<T_>::kind_ ? sizeof(as_self_) : sizeof(T_);
};

template <class T_> struct pointer_field_ {
	static constexpr int kind_ = TAFFRAIL_T_PTR;
	static constexpr unsigned bytes_ = sizeof(void *);
};

struct string_field_ {
	static constexpr int kind_ = TAFFRAIL_T_STRING;
	static constexpr unsigned bytes_ = 0;
};

template <class T_> struct field_<T_ *, false> : pointer_field_<T_> {};
template <> struct field_<char *> : string_field_ {};
template <> struct field_<const char *> : string_field_ {};
template <> struct field_<volatile char *> : string_field_ {};
template <> struct field_<const volatile char *> : string_field_ {};
template <> struct field_<str_> : string_field_ {};
template <unsigned Bytes_>
struct field_<written_<Bytes_>, false> : string_field_ {};
template <> struct field_<text_> {
	static constexpr int kind_ = TAFFRAIL_T_TEXT;
	static constexpr unsigned bytes_ = 0;
};

/* The kind of an array's elements, which are recorded as they are. An array of
 * strings is one of pointers. */
template <class T_> struct element_ {
	typedef typename number_<T_>::type_ integer_;
	static constexpr int kind_ = arithmetic_<T_>::kind_ ?
		arithmetic_<T_>::kind_ : arithmetic_<integer_>::kind_;
};
template <class T_> struct element_<T_ *> {
	static constexpr int kind_ = TAFFRAIL_T_PTR;
};
template <> struct element_<long double> {
	static constexpr int kind_ = 0;
};
template <class T_> struct field_<seq_<T_>, false> {
	static constexpr int kind_ = element_<T_>::kind_ ?
		TAFFRAIL_T_SEQUENCE | element_<T_>::kind_ : 0;
	static constexpr unsigned bytes_ = 0;
};

template <class T_>
struct field_<maybe_<T_>, false> : field_<seq_<T_> > {};
template <class T_, size_t N_> struct field_<elements_<T_, N_>, false> {
	static constexpr int kind_ = element_<T_>::kind_ &&
		N_ * sizeof(T_) <= TAFFRAIL_ARRAY_BYTES_MAX ?
		TAFFRAIL_T_ARRAY | element_<T_>::kind_ : 0;
	static constexpr unsigned bytes_ = 0;
};
/* Only an integer is shown in another way, and a pointer by a symbol. */
template <class T_, int How_>
struct field_<formatted_<T_, How_>, false> : field_<T_> {
	static constexpr int all_ = field_<T_>::kind_;
	static constexpr int kind_ = all_ <= TAFFRAIL_T_U64 ||
		all_ == TAFFRAIL_T_BOOL ||
		(all_ == TAFFRAIL_T_PTR && How_ == TAFFRAIL_HOW_SYMBOL) ?
		all_ : 0;
};

/* The fields that an argument is: their number, how many of them have no fixed
 * size, and their kinds. */
template <class T_, bool Foreign_ = foreign_<T_>::is_>
struct fields_ : fields_<typename as_<T_>::type_> {};
template <class T_> struct fields_<T_, false> {
	static constexpr unsigned n_ = 1;
	static constexpr unsigned nvar_ =
		field_<T_>::kind_ >= TAFFRAIL_T_STRING;
	static constexpr int kind_(unsigned) { return field_<T_>::kind_; }
};
template <class Owner_, class M_>
struct fields_<group_<Owner_, M_>, false> : fields_<M_> {
	static constexpr unsigned bytes_ = field_<M_>::bytes_;
	static constexpr bool valid_ =
		field_<M_>::kind_ && field_<M_>::kind_ != TAFFRAIL_MANY_FIELDS_;
};
template <class Owner_, class M_, class N_, class... T_>
struct fields_<group_<Owner_, M_, N_, T_...>, false> {
	typedef fields_<group_<Owner_, M_> > head_;
	typedef fields_<group_<Owner_, N_, T_...> > rest_;
	static constexpr unsigned n_ = 1 + rest_::n_;
	static constexpr unsigned nvar_ = head_::nvar_ + rest_::nvar_;
	static constexpr int kind_(unsigned i_)
	{
		return i_ ? rest_::kind_(i_ - 1) : head_::kind_(0);
	}
	static constexpr unsigned bytes_ = head_::bytes_ + rest_::bytes_;
	static constexpr bool valid_ = head_::valid_ && rest_::valid_;
};
template <class Owner_, class... M_>
struct field_<group_<Owner_, M_...>, false> {
	typedef fields_<group_<Owner_, M_...> > members_;
	static constexpr int kind_ =
		members_::valid_ ? TAFFRAIL_MANY_FIELDS_ : 0;
	static constexpr unsigned bytes_ = members_::bytes_;
};

/* The description of the arguments in a marker's object. */
template <class... A_> struct signature_;

template <> struct signature_<> {
	static constexpr unsigned nargs_ = 0;
	static constexpr unsigned nfields_ = 0, nvar_ = 0, fixed_bytes_ = 0;
	static constexpr unsigned refused_ = 0;
	static constexpr uint8_t type_(unsigned) { return 0; }
};

template <class H_, class... T_> struct signature_<H_, T_...> {
	typedef H_ head_;
	typedef signature_<T_...> rest_;
	static constexpr unsigned nargs_ = 1 + sizeof...(T_);
	static constexpr unsigned nfields_ = fields_<H_>::n_ + rest_::nfields_;
	static constexpr unsigned nvar_ = fields_<H_>::nvar_ + rest_::nvar_;
	static constexpr unsigned fixed_bytes_ =
		field_<H_>::bytes_ + rest_::fixed_bytes_;
	static constexpr uint8_t type_(unsigned i_)
	{
		return i_ < fields_<H_>::n_ ? (uint8_t)fields_<H_>::kind_(i_) :
			rest_::type_(i_ - fields_<H_>::n_);
	}
	/* the number of the first argument that makes no field, or 0 */
	static constexpr unsigned refused_ =
		field_<H_>::kind_ == 0 ? 1 :
		rest_::refused_ ? rest_::refused_ + 1 : 0;
};

/* An argument as a function that takes a value would get it. Of a class, the
 * class: an abstract one, or one that cannot be copied, has no value. It stays
 * volatile: an argument that cannot be read so is no field. */
template <class T_> T_ value_(T_);
template <class T_, bool Foreign_ = foreign_<T_>::is_> struct value_of_ {
	typedef decltype(taffrail_::value_(any_<const T_ &>())) type_;
};
template <class T_> struct value_of_<T_, true> { typedef T_ type_; };
template <> struct value_of_<void> { typedef void type_; };

template <class... A_> struct any_foreign_ {
	static constexpr bool is_ = false;
};
template <class H_, class... T_> struct any_foreign_<H_, T_...> {
	static constexpr bool is_ =
		foreign_<H_>::is_ || any_foreign_<T_...>::is_;
};

/* Takes values: arrays decay, bit-fields and volatile objects are read. A
 * compiler names this function when it refuses `{}` or a call without a
 * value. Beside an object of a class, all are taken by reference: what that
 * would change, it does not do to types. */
template <class D_, class... A_,
	  typename when_<!any_foreign_<A_...>::is_>::type_ = 0>
signature_<A_...> a_marker_takes_values_(D_, A_...);
template <class D_, class... A_,
	  typename when_<any_foreign_<A_...>::is_>::type_ = 0>
signature_<typename value_of_<A_>::type_...>
a_marker_takes_values_(const D_ &, const A_ &...);
template <class S_> S_ pointed_(S_ *);
/* g++ takes an int where it has refused an argument; it complains no more. */
signature_<> pointed_(int *);

/* An argument as it is recorded. */
template <class T_> TAFFRAIL_ALWAYS_INLINE_ T_ recorded_(T_ v_) { return v_; }
TAFFRAIL_ALWAYS_INLINE_ double recorded_(long double v_)
{
	return taffrail_narrow_(v_);
}
TAFFRAIL_ALWAYS_INLINE_ const void *recorded_(decltype(nullptr)) { return 0; }
TAFFRAIL_ALWAYS_INLINE_ str_ recorded_(char *s_) { return str_(s_); }
TAFFRAIL_ALWAYS_INLINE_ str_ recorded_(const char *s_) { return str_(s_); }
TAFFRAIL_ALWAYS_INLINE_ str_ recorded_(volatile char *s_)
{
	return str_((const void *)s_);
}
TAFFRAIL_ALWAYS_INLINE_ str_ recorded_(const volatile char *s_)
{
	return str_((const void *)s_);
}

}
}

#endif

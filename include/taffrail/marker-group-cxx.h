/* SPDX-License-Identifier: MIT */
/*
 * Structures as fields in C++. Outside of all namespaces,
 *
 *	TAFFRAIL_STRUCT_MEMBERS(type, x, y, ...);
 *
 * says which members of a type are recorded; a marker that comes after it takes
 * objects of the type as they are. The rest is private.
 *
 * A structure is one argument, and a field for each member. The value is the
 * members as they are recorded; data that they point to stays the structure's.
 * Before a marker's text stand the members of each group: "\1" I ":x, y\2", I
 * counted from the right.
 */
/* First of all, so this header may also be the first. */
#include <taffrail/marker.h>

#ifndef TAFFRAIL_MARKER_GROUP_CXX_H
#define TAFFRAIL_MARKER_GROUP_CXX_H

#include <taffrail/marker-shown-cxx.h>

#define TAFFRAIL_STRUCT_MEMBERS(type, ...)				\
	TAFFRAIL_STRUCT_MEMBERS_(type, __VA_ARGS__)

/* Private from here on. */

/* The list may be a macro. */
#define TAFFRAIL_STRUCT_MEMBERS_(type, ...)				\
	template <> struct taffrail_members_of<type> {			\
		static TAFFRAIL_ALWAYS_INLINE_				\
		auto of_(const type &v_)				\
			-> decltype(::taffrail_::make_group_<		\
				taffrail_members_of<type> >(		\
				0 TAFFRAIL_EACH_(TAFFRAIL_MEMBER_, 0,	\
						 __VA_ARGS__)))		\
		{							\
			return ::taffrail_::make_group_<		\
				taffrail_members_of<type> >(		\
				0 TAFFRAIL_EACH_(TAFFRAIL_MEMBER_, 0,	\
						 __VA_ARGS__));		\
		}							\
		static constexpr					\
		::taffrail_::chars_<sizeof(#__VA_ARGS__)> names_()	\
		{							\
			return { #__VA_ARGS__ };			\
		}							\
	}
#define TAFFRAIL_MEMBER_(i, x)	, v_.x

/* In C++ the type says the members. */
#define TAFFRAIL_GROUP_(tag, e, ...)					\
	((void)tag, ::taffrail_::grouped_(e))

/* A program may include the header inside extern "C". */
extern "C++" {

/* The members of a structure that are fields. */
template <class T_> struct taffrail_members_of;

namespace taffrail_ {

template <class T_> TAFFRAIL_ALWAYS_INLINE_
auto object_as_(const T_ &v_, rank_<11>)
	-> decltype(taffrail_members_of<T_>::of_(v_))
{
	return taffrail_members_of<T_>::of_(v_);
}
template <class T_> TAFFRAIL_ALWAYS_INLINE_
auto grouped_(const T_ &v_) -> decltype(taffrail_members_of<T_>::of_(v_))
{
	return taffrail_members_of<T_>::of_(v_);
}
TAFFRAIL_ALWAYS_INLINE_ no_field_ grouped_(...) { return no_field_(); }

template <class Owner_, class M_> struct group_<Owner_, M_> {
	typename as_<M_>::type_ head_;
};
template <class Owner_, class M_, class N_, class... T_>
struct group_<Owner_, M_, N_, T_...> {
	typename as_<M_>::type_ head_;
	group_<Owner_, N_, T_...> tail_;
};

/* A member of type T as a field: an array of characters is a text, which need
 * not have a NUL. */
template <class T_> struct member_ {
	typedef typename value_of_<T_>::type_ type_;
	typedef typename as_<type_>::type_ recorded_;
	static TAFFRAIL_ALWAYS_INLINE_ recorded_ of_(const type_ &v_)
	{
		return as_<type_>::of_(v_);
	}
};
template <size_t N_> struct member_<char[N_]> {
	typedef text_ type_;
	typedef text_ recorded_;
	static TAFFRAIL_ALWAYS_INLINE_ text_ of_(const char (&v_)[N_])
	{
		return text_{ v_, N_ };
	}
};
template <size_t N_> struct member_<volatile char[N_]> {
	typedef text_ type_;
	typedef text_ recorded_;
	static TAFFRAIL_ALWAYS_INLINE_
	text_ of_(const volatile char (&v_)[N_])
	{
		return text_{ (const void *)v_, N_ };
	}
};
/* Another array is recorded whole. */
template <class T_, size_t N_> struct member_<T_[N_]> {
	typedef elements_<typename plain_<T_>::type_, N_> type_;
	typedef type_ recorded_;
	static TAFFRAIL_ALWAYS_INLINE_ type_ of_(const T_ (&v_)[N_])
	{
		return type_{ (const void *)v_ };
	}
};
/* The result of a member function must not own memory. */
template <class T_> struct member_of_ : member_<T_> {
	static_assert(!owns_<T_>::memory_, "taffrail: value_ must not "
		      "return an object that owns memory");
};
template <class T_> struct member_of_<const T_> : member_of_<T_> {};
template <class T_, size_t N_>
struct member_of_<const T_[N_]> : member_<T_[N_]> {};
template <class T_> struct member_of_<T_ &> : member_<T_> {};
template <class T_> struct member_of_<const T_ &> : member_<T_> {};
template <class T_> struct member_of_<volatile T_ &> : member_<T_> {};
template <class T_> struct member_of_<const volatile T_ &> : member_<T_> {};
template <class T_, size_t N_>
struct member_of_<const T_ (&)[N_]> : member_<T_[N_]> {};
template <class T_, size_t N_>
struct member_of_<T_ (&)[N_]> : member_<T_[N_]> {};
template <class T_, size_t N_>
struct member_of_<volatile T_ (&)[N_]> : member_<volatile T_[N_]> {};
template <class T_, size_t N_>
struct member_of_<const volatile T_ (&)[N_]> : member_<volatile T_[N_]> {};

template <class Owner_, class M_> TAFFRAIL_ALWAYS_INLINE_
group_<Owner_, typename member_of_<M_>::type_> make_group_(int, M_ &&head_)
{
	return group_<Owner_, typename member_of_<M_>::type_>{
		member_of_<M_>::of_(head_) };
}
template <class Owner_, class M_, class N_, class... T_>
TAFFRAIL_ALWAYS_INLINE_
group_<Owner_, typename member_of_<M_>::type_, typename member_of_<N_>::type_,
       typename member_of_<T_>::type_...>
make_group_(int, M_ &&head_, N_ &&next_, T_ &&...tail_)
{
	return group_<Owner_, typename member_of_<M_>::type_,
		      typename member_of_<N_>::type_,
		      typename member_of_<T_>::type_...>{
		member_of_<M_>::of_(head_),
		make_group_<Owner_>(0, (N_ &&)next_,
				    (T_ &&)tail_...) };
}

/* The text in front of a marker's text for a group, argument I. */
template <unsigned... I_> struct indices_ {};
template <unsigned N_, unsigned... I_>
struct count_up_ : count_up_<N_ - 1, N_ - 1, I_...> {};
template <unsigned... I_> struct count_up_<0, I_...> {
	typedef indices_<I_...> type_;
};
template <unsigned Bytes_> struct naming_ {
	char number_[4];
	chars_<Bytes_> names_;
	char end_;
};
template <unsigned Bytes_, size_t N_, unsigned... I_>
constexpr naming_<Bytes_> naming_of_(unsigned i_, chars_<N_> names_,
				     indices_<I_...>)
{
	return { { '\1', (char)('0' + i_ / 10), (char)('0' + i_ % 10), ':' },
		 { { names_.c_[I_]... } }, '\2' };
}
template <unsigned I_, class T_, bool Foreign_ = foreign_<T_>::is_>
struct naming_by_ : naming_by_<I_, typename as_<T_>::type_> {};
template <unsigned I_, class T_> struct naming_by_<I_, T_, false> {
	typedef nothing_ type_;
	static constexpr type_ of_() { return nothing_(); }
};
template <unsigned I_, class Owner_, class... M_>
struct naming_by_<I_, group_<Owner_, M_...>, false> {
	static constexpr unsigned bytes_ = sizeof(Owner_::names_()) - 1;
	typedef naming_<bytes_> type_;
	static constexpr type_ of_()
	{
		return naming_of_<bytes_>(I_, Owner_::names_(),
				typename count_up_<bytes_>::type_());
	}
};

template <> struct groups_by_<signature_<> > {
	typedef nothing_ type_;
	static constexpr type_ of_() { return nothing_(); }
};
template <class H_, class... T_> struct groups_by_<signature_<H_, T_...> > {
	typedef naming_by_<1 + sizeof...(T_), H_> head_;
	typedef groups_by_<signature_<T_...> > rest_;
	typedef decltype(said_join_(any_<typename head_::type_>(),
				    any_<typename rest_::type_>())) type_;
	static constexpr type_ of_()
	{
		return said_join_(head_::of_(), rest_::of_());
	}
};

}
}

#endif

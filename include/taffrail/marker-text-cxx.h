/* SPDX-License-Identifier: MIT */
/*
 * Values that are recorded as text, in C++; see marker-text.h. Everything here
 * is private.
 *
 * Invariant: a text is returned by value, and lives until the agent
 * has returned.
 */
#ifndef TAFFRAIL_MARKER_TEXT_CXX_H
#define TAFFRAIL_MARKER_TEXT_CXX_H

#include <taffrail/marker-field-cxx.h>
#include <taffrail/marker-text.h>

/* Names of members, in a program that has macros of such names. */
#pragma push_macro("s_addr")
#pragma push_macro("sa_data")
#pragma push_macro("sin6_addr")
#pragma push_macro("sin_addr")
#pragma push_macro("ss_family")
#pragma push_macro("sun_path")
#undef s_addr
#undef sa_data
#undef sin6_addr
#undef sin_addr
#undef ss_family
#undef sun_path

#define TAFFRAIL_MAKE_UUID_(p)		::taffrail_::make_uuid_(p)
#define TAFFRAIL_MAKE_IPV4_(p)		::taffrail_::make_ipv4_(p)
#define TAFFRAIL_MAKE_IPV6_(p)		::taffrail_::make_ipv6_(p)
#define TAFFRAIL_MAKE_SOCKADDR_(p, n)					\
	::taffrail_::make_sockaddr_((p), (uint64_t)(n))
#define TAFFRAIL_MAKE_INT128_(e)	::taffrail_::make_int128_(e)

/* A program may include the header inside extern "C". */
extern "C++" {
namespace taffrail_ {

typedef written_<TAFFRAIL_UUID_BYTES_> uuid_text_;
typedef written_<TAFFRAIL_IPV4_BYTES_> ipv4_text_;
typedef written_<TAFFRAIL_IPV6_BYTES_> ipv6_text_;
typedef written_<TAFFRAIL_SOCKADDR_BYTES_> sockaddr_text_;

TAFFRAIL_ALWAYS_INLINE_ uuid_text_ make_uuid_(const volatile void *p_)
{
	uuid_text_ to_;

	taffrail_uuid_text_(to_.text_, (const void *)p_);
	return to_;
}
TAFFRAIL_ALWAYS_INLINE_ no_field_ make_uuid_(no_pointer_)
{
	return no_field_();
}
TAFFRAIL_ALWAYS_INLINE_ ipv4_text_ make_ipv4_(const volatile void *p_)
{
	ipv4_text_ to_;

	taffrail_ipv4_text_(to_.text_, (const void *)p_);
	return to_;
}
TAFFRAIL_ALWAYS_INLINE_ no_field_ make_ipv4_(no_pointer_)
{
	return no_field_();
}
TAFFRAIL_ALWAYS_INLINE_ ipv6_text_ make_ipv6_(const volatile void *p_)
{
	ipv6_text_ to_;

	taffrail_ipv6_text_(to_.text_, (const void *)p_);
	return to_;
}
TAFFRAIL_ALWAYS_INLINE_ no_field_ make_ipv6_(no_pointer_)
{
	return no_field_();
}
TAFFRAIL_ALWAYS_INLINE_
sockaddr_text_ make_sockaddr_(const volatile void *p_, uint64_t n_)
{
	sockaddr_text_ to_;

	taffrail_sockaddr_text_(to_.text_, (const void *)p_, n_);
	return to_;
}
TAFFRAIL_ALWAYS_INLINE_ no_field_ make_sockaddr_(no_pointer_, uint64_t)
{
	return no_field_();
}

#ifdef __SIZEOF_INT128__
typedef written_<TAFFRAIL_INT128_BYTES_> int128_text_;
__extension__ typedef __int128 s128_;

TAFFRAIL_ALWAYS_INLINE_ int128_text_ make_int128_(taffrail_u128_ v_)
{
	int128_text_ to_, text_;

	taffrail_put_text_(text_.text_,
			   taffrail_int128_text_(to_.text_, v_, 0));
	return text_;
}
TAFFRAIL_ALWAYS_INLINE_ int128_text_ make_int128_(s128_ v_)
{
	int128_text_ to_, text_;

	taffrail_put_text_(text_.text_, taffrail_int128_text_(
			to_.text_, (taffrail_u128_)v_, 1));
	return text_;
}
template <class T_> TAFFRAIL_ALWAYS_INLINE_ int128_text_ make_int128_(T_ v_)
{
	return (T_)-1 < (T_)1 ? make_int128_((s128_)v_) :
				make_int128_((taffrail_u128_)v_);
}
template <> struct field_<s128_, false> : string_field_ {};
template <> struct field_<taffrail_u128_, false> : string_field_ {};
TAFFRAIL_ALWAYS_INLINE_ int128_text_ recorded_(s128_ v_)
{
	return make_int128_(v_);
}
TAFFRAIL_ALWAYS_INLINE_ int128_text_ recorded_(taffrail_u128_ v_)
{
	return make_int128_(v_);
}
#endif

/* in_addr; sockaddr_in and similar ones. Of a sockaddr, only the bytes of that
 * type. */
template <class T_> TAFFRAIL_ALWAYS_INLINE_
auto object_as_(const T_ &v_, rank_<6>)
	-> decltype((void)v_.s_addr, ipv4_text_())
{
	return make_ipv4_(&v_);
}
template <class T_> TAFFRAIL_ALWAYS_INLINE_
auto object_as_(const T_ &v_, rank_<6>)
	-> decltype((void)v_.sin_addr, sockaddr_text_())
{
	return make_sockaddr_(&v_, sizeof(v_));
}
template <class T_> TAFFRAIL_ALWAYS_INLINE_
auto object_as_(const T_ &v_, rank_<6>)
	-> decltype((void)v_.sin6_addr, sockaddr_text_())
{
	return make_sockaddr_(&v_, sizeof(v_));
}
template <class T_> TAFFRAIL_ALWAYS_INLINE_
auto object_as_(const T_ &v_, rank_<6>)
	-> decltype((void)v_.ss_family, sockaddr_text_())
{
	return make_sockaddr_(&v_, sizeof(v_));
}
template <class T_> TAFFRAIL_ALWAYS_INLINE_
auto object_as_(const T_ &v_, rank_<6>)
	-> decltype((void)v_.sun_path, sockaddr_text_())
{
	return make_sockaddr_(&v_, sizeof(v_));
}
template <class T_> TAFFRAIL_ALWAYS_INLINE_
auto object_as_(const T_ &v_, rank_<6>)
	-> decltype((void)v_.sa_data, sockaddr_text_())
{
	return make_sockaddr_(&v_, sizeof(v_));
}

}
}

#pragma pop_macro("s_addr")
#pragma pop_macro("sa_data")
#pragma pop_macro("sin6_addr")
#pragma pop_macro("sin_addr")
#pragma pop_macro("ss_family")
#pragma pop_macro("sun_path")

#endif

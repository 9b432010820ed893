/* SPDX-License-Identifier: MIT */
/*
 * The part of a marker in C++ that runs when it is on: packs the fields and
 * calls the agent. Everything here is private.
 *
 * Invariant: a number is taken by value, which needs no definition of a static
 * member of a class; an object of a class by reference, so that it is neither
 * copied nor sliced; the recorded form of an object lives until the agent has
 * returned.
 */
#ifndef TAFFRAIL_MARKER_HIT_CXX_H
#define TAFFRAIL_MARKER_HIT_CXX_H

#include <taffrail/marker.h>
#include <taffrail/marker-group-cxx.h>
#include <taffrail/marker-holder-cxx.h>
#include <taffrail/marker-union-cxx.h>

/* A program may include the header inside extern "C". */
extern "C++" {
namespace taffrail_ {

/* How an argument is passed on. */
template <class T_, bool Foreign_ = foreign_<T_>::is_> struct pass_ {
	typedef T_ type_;
};
template <class T_> struct pass_<T_, true> { typedef const T_ &type_; };

/* fixed: the value of all fields of fixed size, if they have at most eight
 * bytes. */
template <class S_> struct hit_;
template <class... A_> struct hit_<signature_<A_...> > {
	/* D is the dummy before the arguments. */
	template <class D_> TAFFRAIL_ALWAYS_INLINE_
	explicit hit_(taffrail_site *site_, D_,
		      typename pass_<A_>::type_... args_)
	{
		taffrail_var var_[S_::nvar_ + 1];
		unsigned char bytes_[S_::fixed_bytes_ + 1]
			__attribute__((__aligned__(16)));
		to_ to_ = { site_, 0, bytes_, var_ };

		pack_<0, 0, A_...>(to_, args_...);
	}

private:
	typedef signature_<A_...> S_;
	static constexpr bool long_ = S_::fixed_bytes_ > 8;

	struct to_ {
		taffrail_site *site_;
		uint64_t fixed_;
		unsigned char *bytes_;
		taffrail_var *var_;
	};

	template <unsigned O_, unsigned V_>
	static TAFFRAIL_ALWAYS_INLINE_ void pack_(to_ &to_)
	{
		taffrail_call_(to_.site_,
			       long_ ? (uintptr_t)to_.bytes_ : to_.fixed_,
			       S_::nvar_ ? to_.var_ : nullptr);
	}

	template <unsigned O_, unsigned V_, class H_, class... T_>
	static TAFFRAIL_ALWAYS_INLINE_
	void pack_(to_ &to_, const H_ &head_, const T_ &...tail_)
	{
		put_then_<O_, V_, H_, T_...>(to_, as_<H_>::of_(head_),
					     tail_...);
	}

	/* The value lives until this has called the rest. */
	template <unsigned O_, unsigned V_, class H_, class... T_, class N_>
	static TAFFRAIL_ALWAYS_INLINE_
	void put_then_(to_ &to_, const N_ &value_, const T_ &...tail_)
	{
		put_<O_>(to_, to_.var_ + V_, value_);
		pack_<O_ + field_<H_>::bytes_,
		      V_ + fields_<H_>::nvar_, T_...>(to_, tail_...);
	}

	template <unsigned O_, class N_>
	static TAFFRAIL_ALWAYS_INLINE_
	void put_(to_ &to_, taffrail_var *, const N_ &v_)
	{
		if (long_)
			__builtin_memcpy(to_.bytes_ + O_, &v_, sizeof(v_));
		else
			to_.fixed_ |= taffrail_bits_(&v_, sizeof(v_))
					<< (8 * O_ & 63);
	}

	template <unsigned O_>
	static TAFFRAIL_ALWAYS_INLINE_
	void put_(to_ &, taffrail_var *var_, const str_ &s_)
	{
		var_->p_ = s_.p_ ? s_.p_ : "(null)";
		var_->n_ = TAFFRAIL_VAR_STRING - !s_.p_;
	}

	template <unsigned O_, unsigned Bytes_>
	static TAFFRAIL_ALWAYS_INLINE_
	void put_(to_ &, taffrail_var *var_, const written_<Bytes_> &s_)
	{
		var_->p_ = s_.text_;
		var_->n_ = TAFFRAIL_VAR_STRING;
	}

	template <unsigned O_>
	static TAFFRAIL_ALWAYS_INLINE_
	void put_(to_ &, taffrail_var *var_, const text_ &s_)
	{
		var_->p_ = s_.p_ ? s_.p_ : "(null)";
		var_->n_ = s_.p_ ? s_.n_ : TAFFRAIL_VAR_NULL;
	}

	template <unsigned O_, class T_>
	static TAFFRAIL_ALWAYS_INLINE_
	void put_(to_ &, taffrail_var *var_, const seq_<T_> &s_)
	{
		var_->p_ = s_.p_;
		var_->n_ = s_.p_ ? s_.n_ : 0;
	}

	template <unsigned O_, class T_, size_t N_>
	static TAFFRAIL_ALWAYS_INLINE_
	void put_(to_ &, taffrail_var *var_, const elements_<T_, N_> &e_)
	{
		var_->p_ = e_.p_;
		var_->n_ = N_;
	}

	template <unsigned O_, class T_>
	static TAFFRAIL_ALWAYS_INLINE_
	void put_(to_ &, taffrail_var *var_, const maybe_<T_> &m_)
	{
		var_->p_ = &m_.value_;
		var_->n_ = m_.there_;
	}

	template <unsigned O_, class Owner_, class M_>
	static TAFFRAIL_ALWAYS_INLINE_
	void put_(to_ &to_, taffrail_var *var_, const group_<Owner_, M_> &g_)
	{
		put_<O_>(to_, var_, g_.head_);
	}

	template <unsigned O_, class Owner_, class M_, class N_, class... T_>
	static TAFFRAIL_ALWAYS_INLINE_
	void put_(to_ &to_, taffrail_var *var_,
		  const group_<Owner_, M_, N_, T_...> &g_)
	{
		put_<O_>(to_, var_, g_.head_);
		put_<O_ + field_<M_>::bytes_>(to_, var_ + fields_<M_>::nvar_,
					      g_.tail_);
	}

	template <unsigned O_, class Owner_, class... M_>
	static TAFFRAIL_ALWAYS_INLINE_
	void put_(to_ &to_, taffrail_var *var_,
		  const choice_<Owner_, M_...> &c_)
	{
		put_<O_>(to_, var_, c_.tag_);
		var_->p_ = c_.p_ ? c_.p_ : c_.bytes_;
		var_->n_ = c_.n_;
	}
};

#ifdef TAFFRAIL_SDT_ARGS
/* The operand in a note: the value, or the address of a string or sequence. */
template <class T_> TAFFRAIL_ALWAYS_INLINE_ T_ named_(const T_ &v_)
{
	return v_;
}
TAFFRAIL_ALWAYS_INLINE_ const void *named_(const str_ &s_) { return s_.p_; }
TAFFRAIL_ALWAYS_INLINE_ const void *named_(const text_ &s_) { return s_.p_; }
template <unsigned Bytes_>
TAFFRAIL_ALWAYS_INLINE_ const void *named_(const written_<Bytes_> &s_)
{
	const void *text_ = s_.text_;

	/* g++ 12 prints no address of a frame as an operand */
	__asm__("" : "+r" (text_));
	return text_;
}
template <class Owner_, class... M_>
TAFFRAIL_ALWAYS_INLINE_ const void *named_(const group_<Owner_, M_...> &g_)
{
	const void *group_ = &g_;

	__asm__("" : "+r" (group_));
	return group_;
}
template <class Owner_, class... M_>
TAFFRAIL_ALWAYS_INLINE_ const void *named_(const choice_<Owner_, M_...> &c_)
{
	const void *choice_ = &c_;

	__asm__("" : "+r" (choice_));
	return choice_;
}
template <class T_, size_t N_>
TAFFRAIL_ALWAYS_INLINE_ const void *named_(const elements_<T_, N_> &e_)
{
	return e_.p_;
}
template <class T_>
TAFFRAIL_ALWAYS_INLINE_ const void *named_(const seq_<T_> &s_)
{
	return s_.p_;
}
template <class T_>
TAFFRAIL_ALWAYS_INLINE_ const void *named_(const maybe_<T_> &m_)
{
	return m_.there_ ? &m_.value_ : nullptr;
}

/* Operand I of signature S, counted from the right. sdt_bytes has the opposite
 * sign, because %n prints it negated. */
template <class S_, unsigned I_, bool Here_ = S_::nargs_ == I_>
struct operand_at_ : operand_at_<typename S_::rest_, I_> {};
template <class S_, unsigned I_> struct operand_at_<S_, I_, true> {
	typedef typename as_<typename S_::head_>::type_ recorded_;
	typedef decltype(named_(any_<recorded_>())) type_;
	static constexpr int kind_ = field_<typename S_::head_>::kind_;
	static constexpr int sdt_bytes_ = (int)sizeof(type_) *
		(kind_ == TAFFRAIL_T_S8 || kind_ == TAFFRAIL_T_S16 ||
		 kind_ == TAFFRAIL_T_S32 || kind_ == TAFFRAIL_T_S64 ? 1 : -1);
};
template <class S_, unsigned I_>
using operand_ = typename operand_at_<S_, I_>::type_;

/* A site with arguments; D is the dummy before them. */
#ifdef __clang__
template <class S_, class P_> struct evaluated_;
template <class... A_, class P_> struct evaluated_<signature_<A_...>, P_> {
	template <class D_> TAFFRAIL_ALWAYS_INLINE_
	explicit evaluated_(D_, typename pass_<A_>::type_... args_)
	{
		taffrail_site *site_ =
			P_::on_(local_(), named_(as_<A_>::of_(args_))...);
#else
template <class S_> struct evaluated_;
template <class... A_> struct evaluated_<signature_<A_...> > {
	template <class F_, class D_> TAFFRAIL_ALWAYS_INLINE_
	explicit evaluated_(F_ on_, D_, typename pass_<A_>::type_... args_)
	{
		taffrail_site *site_ =
			on_(local_(), named_(as_<A_>::of_(args_))...);
#endif

		if (__builtin_expect(site_ != nullptr, 0))
			(void)hit_<signature_<A_...> >{ site_, 0, args_... };
	}
};
#endif

}
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A marker that every file including this compiles again. In C++ the linker
 * keeps one copy of the function, and must drop the notes of the others.
 */
#ifdef __cplusplus
inline
#else
static
#endif
__attribute__((noinline)) void shared_marker(int x)
{
	TAFFRAIL_EVENT(app, shared, x);
}

#ifdef __cplusplus
template <class T>
__attribute__((noinline)) void shared_template(T x)
{
	TAFFRAIL_EVENT(app, shared_template, x);
}
#endif

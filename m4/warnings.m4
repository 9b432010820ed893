# SPDX-License-Identifier: LGPL-2.1-or-later
# TAFFRAIL_WARNINGS(FLAGS): sets WARNINGS to the flags that the compiler takes.
AC_DEFUN([TAFFRAIL_WARNINGS],
[WARNINGS=
taffrail_saved_cflags=$CFLAGS
for taffrail_flag in m4_normalize([$1]); do
	AC_MSG_CHECKING([whether $CC takes $taffrail_flag])
	CFLAGS="$taffrail_saved_cflags -Werror $taffrail_flag"
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
		[WARNINGS="$WARNINGS $taffrail_flag"; AC_MSG_RESULT([yes])],
		[AC_MSG_RESULT([no])])
done
CFLAGS=$taffrail_saved_cflags
AC_SUBST([WARNINGS])])

# TAFFRAIL_FLAG(VARIABLE, FLAG): sets the variable to the flag if the compiler
# takes it, else to nothing.
AC_DEFUN([TAFFRAIL_FLAG],
[$1=
taffrail_saved_cflags=$CFLAGS
AC_MSG_CHECKING([whether $CC takes $2])
CFLAGS="$taffrail_saved_cflags -Werror $2"
AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
	[$1=$2; AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no])])
CFLAGS=$taffrail_saved_cflags
AC_SUBST([$1])])

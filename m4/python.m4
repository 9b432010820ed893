# SPDX-License-Identifier: LGPL-2.1-or-later
# TAFFRAIL_PYTHON: finds Python 3.9 or later (PYTHON) and its headers
# (PYTHON_CPPFLAGS), and sets taffrail_cv_python_headers to yes or no. Debian's
# own Python looks into dist-packages, in /usr into one for all its releases.
AC_DEFUN([TAFFRAIL_PYTHON],
[AM_PATH_PYTHON([3.9], [], [PYTHON=:])
AS_IF([test "$PYTHON" != :],
	[taffrail_include=`$PYTHON -c \
		'import sysconfig; print(sysconfig.get_path("include"))'`
	AS_IF([$PYTHON -c 'import sysconfig, sys; sys.exit("deb_system" not in
			sysconfig.get_scheme_names())'],
		[AS_CASE([$prefix],
			[/usr], [pyexecdir=/usr/lib/python3/dist-packages],
			[pyexecdir=`echo "$pyexecdir" |
				sed 's,site-packages$,dist-packages,'`])])
	# a wrapper of Python, as pyenv's, is left out
	PYTHON=`$PYTHON -c 'import sys; print(sys.executable)'`])
AC_CACHE_CHECK([for the headers of Python], [taffrail_cv_python_headers],
	[taffrail_saved_cppflags=$CPPFLAGS
	CPPFLAGS="$CPPFLAGS -I$taffrail_include"
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#define Py_LIMITED_API 0x03090000
#include <Python.h>]], [])],
		[taffrail_cv_python_headers=yes],
		[taffrail_cv_python_headers=no])
	CPPFLAGS=$taffrail_saved_cppflags])
AC_SUBST([PYTHON_CPPFLAGS], ["-isystem $taffrail_include"])])

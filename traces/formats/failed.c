/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Why an export failed. Apart from formats.c, so that the formats and formats.c
 * do not call each other in a circle.
 */
#include <stdarg.h>
#include <stdio.h>

#include "traces/formats/private.h"
#include "traces/metadata.h"

int export_failed(struct exporter *x, int ret, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(x->why, sizeof(x->why), format, ap);
	va_end(ap);
	return ret;
}

int export_unwritten(struct exporter *x, int ret)
{
	return ret ? export_failed(x, ret, "%s", trace_words(-ret)) : 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a marker's description means for its writer.
 */
#ifndef TRACEPOINTS_SITES_SHAPE_H
#define TRACEPOINTS_SITES_SHAPE_H

#include "buffers/writers/write.h"
#include "include/taffrail/site.h"

/*
 * Makes the shape of a site's events. `format` is its third text: that of a
 * mark says which strings are only addresses (%p) and which may have no end
 * (%.*s). Returns 0, or -EINVAL when the description contradicts itself.
 */
int shape_make(struct write_shape *shape, const struct taffrail_site *site,
	       const char *format);

/* The types of the fields as they are recorded. */
void shape_types(uint8_t *types, const struct taffrail_site *site,
		 const struct write_shape *shape);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The shape of a marker's events: what its writer knows of their fields.
 */
#ifndef TRACEPOINTS_SITES_SHAPE_PRIVATE_H
#define TRACEPOINTS_SITES_SHAPE_PRIVATE_H

#include "buffers/writers/write.h"
#include "include/taffrail/site.h"

/*
 * Makes the shape of a site's events. `format` is the site's third text: a
 * mark's format says which strings are recorded as addresses (%p) and which may
 * have no terminating NUL (%.*s). Returns 0, or -EINVAL when the description
 * contradicts itself.
 */
int shape_make(struct write_shape *shape, const struct taffrail_site *site,
	       const char *format);

/* Stores the types of the fields as they are recorded. */
void shape_types(uint8_t *types, const struct taffrail_site *site,
		 const struct write_shape *shape);

#endif

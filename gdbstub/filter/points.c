/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter's tables: tracepoints, and the addresses where gdb means a plain
 * tracepoint as a static one. See private.h.
 */
#include "gdbstub/filter/private.h"

struct filter_point *filter_point_at(struct filter *f, uint64_t number,
				     uint64_t site)
{
	for (uint32_t i = 0; i < f->npoints; i++)
		if (f->points[i].site == site && f->points[i].number == number)
			return &f->points[i];
	return NULL;
}

struct filter_point *filter_point_behind(struct filter *f, uint64_t number,
					 uint64_t place)
{
	for (uint32_t i = 0; i < f->npoints; i++)
		if (f->points[i].place == place &&
		    f->points[i].number == number &&
		    f->points[i].kind != POINT_PLAIN)
			return &f->points[i];
	return NULL;
}

const struct filter_point *filter_point_only(const struct filter *f,
					     uint64_t number)
{
	const struct filter_point *point = NULL;

	for (uint32_t i = 0; i < f->npoints; i++) {
		if (f->points[i].number != number)
			continue;
		if (point)
			return NULL;
		point = &f->points[i];
	}
	return point;
}

bool filter_point_place(const struct filter *f, uint64_t place)
{
	for (uint32_t i = 0; i < f->npoints; i++)
		if (f->points[i].place == place &&
		    f->points[i].kind != POINT_PLAIN)
			return true;
	return false;
}

bool filter_point_number(const struct filter *f, uint64_t number)
{
	for (uint32_t i = 0; i < f->npoints; i++)
		if (f->points[i].number == number &&
		    f->points[i].kind != POINT_PLAIN)
			return true;
	return false;
}

struct filter_point *filter_point_add(struct filter *f,
				      const struct filter_name *name)
{
	struct filter_point *point =
		filter_point_at(f, name->number, name->site);

	if (point || f->npoints == FILTER_POINTS)
		return point;
	point = &f->points[f->npoints++];
	*point = (struct filter_point){ name->number, name->site, name->site,
					POINT_PLAIN, 1 };
	return point;
}

void filter_point_remove(struct filter *f, struct filter_point *point)
{
	*point = f->points[--f->npoints];
}

bool filter_meant(const struct filter *f, uint64_t site)
{
	for (uint32_t i = 0; i < f->nmeant; i++)
		if (f->meant[i] == site)
			return true;
	return false;
}

bool filter_meant_add(struct filter *f, uint64_t site)
{
	if (filter_meant(f, site))
		return true;
	if (f->nmeant == FILTER_MEANT)
		return false;
	f->meant[f->nmeant++] = site;
	return true;
}

/* Finds a marker among those read last. Returns true if it is there. */
static bool marker_look(struct filter *f, uint64_t address,
			struct filter_marker *marker)
{
	for (uint32_t i = 0; i < f->nmarkers; i++) {
		f->host.get(f->host.arg, i, marker);
		if (marker->address == address)
			return true;
	}
	return false;
}

uint32_t filter_markers_read(struct filter *f)
{
	f->nmarkers = f->host.read(f->host.arg, &f->thread);
	f->known = 1;
	return f->nmarkers;
}

/* Returns true when one of the markers read last is served. */
static bool served_look(struct filter *f)
{
	struct filter_marker marker;

	for (uint32_t i = 0; i < f->nmarkers; i++) {
		f->host.get(f->host.arg, i, &marker);
		if (!marker.unserved)
			return true;
	}
	return false;
}

bool filter_marker_any(struct filter *f)
{
	if (f->known && served_look(f))
		return true;
	filter_markers_read(f);
	return served_look(f);
}

bool filter_marker_find(struct filter *f, uint64_t address,
			struct filter_marker *marker)
{
	if (f->known && marker_look(f, address, marker))
		return true;
	filter_markers_read(f);
	return marker_look(f, address, marker);
}

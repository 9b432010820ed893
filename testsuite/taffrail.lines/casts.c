/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program whose pointers have no type, or are numbers: rules name the type.
 */
#include <stdio.h>

typedef char *text;
struct item {
	int n;
	const char *name;
	struct item *next;
};
typedef struct item item_type;
struct object {
	int type;
	void *data;
	unsigned long word;
};

static struct item second = { 8, "second", NULL };
static struct item first = { 7, "first", &second };

__attribute__((noinline)) static int look(struct object *o, unsigned long raw,
					  int few)
{
	text words = (text)raw;
	const item_type *item = o->data;

	printf("%s %d %lu\n", o->type ? words : item->name, few, raw);
	return o->type;
}

int main(void)
{
	static const int numbers[] = { 5, 6, 7 };
	struct object a = { 1, "a text", (unsigned long)"words" };
	struct object b = { 0, &first, (unsigned long)numbers };

	look(&a, (unsigned long)"raw", 2);
	look(&b, (unsigned long)&second, 3);
	return 0;
}

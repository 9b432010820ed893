// SPDX-License-Identifier: LGPL-2.1-or-later
// Variables, and a type that is only declared in classes.cc.
struct hidden {
	int deep;
	const char *word;
};

static hidden one = { 77, "deep" };

extern hidden *far;
hidden *far = &one;
int elsewhere = 55;

int far_length()
{
	return far->deep / 77;
}

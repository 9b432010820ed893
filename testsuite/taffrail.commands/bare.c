/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program without a marker. */
int main(void)
{
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * GDB's remote serial protocol: the facts that gdb decides, read from
 * "Debugging with GDB", appendix E, of GDB 13.1, and checked against the
 * packets of gdb 13.1, 16.3 and 18.1.
 *
 *	$ payload # checksum		checksum: two hex digits, the sum of
 *					the payload's bytes as sent, mod 256
 *	+ -				received, send again; both until
 *					QStartNoAckMode is answered
 *	0x03				Ctrl-C, outside of packets
 *	} c				c ^ 0x20; for # $ } and, in answers, *
 *
 * Answers: empty: not supported. OK. E and two digits: an error. E. and text:
 * an error that gdb shows to the user. Numbers are hex without 0x.
 */
#ifndef GDBSTUB_WIRE_RSP_H
#define GDBSTUB_WIRE_RSP_H

#define RSP_BEGIN		'$'
#define RSP_END			'#'
#define RSP_ESCAPE		'}'
#define RSP_ESCAPE_XOR		0x20
#define RSP_REPEAT		'*'
#define RSP_ACK			'+'
#define RSP_NAK			'-'
#define RSP_INTERRUPT		0x03

/* qSupported, PacketSize: the longest packet of gdb; the NUL is ours. */
#define RSP_PACKET_BYTES	0x4000

/* vFile: errno and flags have the numbers of File-I/O, not those of Linux. */
#define RSP_ENOENT		2
#define RSP_EACCES		13
#define RSP_EBADF		9
#define RSP_EMFILE		24
#define RSP_EIO			9999	/* EUNKNOWN */
#define RSP_OPEN_WRITE_MASK	0x3	/* O_RDONLY is 0 */

/* vFile:fstat: big-endian words of 4 and 8 bytes without padding. */
#define RSP_STAT_BYTES		64

#endif

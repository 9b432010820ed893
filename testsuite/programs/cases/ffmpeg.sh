# SPDX-License-Identifier: LGPL-2.1-or-later
packages='ffmpeg'
command=(ffmpeg -nostdin -hide_banner -loglevel error -threads 4 -bitexact
	-f lavfi -i testsrc2=duration=4:size=640x480
	-f lavfi -i sine=duration=4 -flags bitexact -c:v mpeg4 -c:a aac
	-f framemd5 -)

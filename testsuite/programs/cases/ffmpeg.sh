# SPDX-License-Identifier: LGPL-2.1-or-later
packages='ffmpeg'
variants='mpeg4 x264'
input_files=(-f lavfi -i testsrc2=duration=4:size=640x480
	-f lavfi -i sine=duration=4)
command=(ffmpeg -nostdin -hide_banner -loglevel error -threads 4 -bitexact
	"${input_files[@]}" -flags bitexact -c:v mpeg4 -c:a aac -f framemd5 -)
# Encodes with threads of x264, and decodes with threads of libavcodec.
test "$variant" != x264 || {
	target=ffmpeg
	command=(bash -c "ffmpeg -nostdin -hide_banner -loglevel error -bitexact \
		${input_files[*]} -flags +bitexact -fflags bitexact -c:v libx264 \
		-preset fast -threads 4 -c:a aac -y video.mkv
	echo \$?
	sha256sum video.mkv
	ffmpeg -nostdin -hide_banner -loglevel error -threads 4 \
		-thread_type frame -bitexact -i video.mkv -f framemd5 -")
}

# SPDX-License-Identifier: LGPL-2.1-or-later
packages='gimp'
target=gimp-console
# Its filters run in threads of GEGL, and in plug-ins, which are processes. babl
# measures which way to convert a colour is the fastest, and notes it in .cache.
command=(bash -c 'export HOME=$PWD TMPDIR=$PWD
	test ! -e "$1/warm" || cp -r "$1"/warm/.[a-z]* .
	unset ${!XDG_*}
	gimp-console -i -d -f --batch-interpreter \
		plug-in-script-fu-eval -b "$(cat "$1/draw.scm")" \
		-b "(gimp-quit 1)" >log 2>&1
	echo $?
	sha256sum image.ppm
	grep -iE "crash|segmentation|batch command|error" log' sh "$work")

prepare()
{
	cat >draw.scm <<-'END'
	(let* ((image (car (gimp-image-new 640 480 RGB)))
	       (layer (car (gimp-layer-new image 640 480 RGB-IMAGE "l" 100
				LAYER-MODE-NORMAL))))
	  (gimp-image-insert-layer image layer 0 0)
	  (gimp-context-set-foreground '(200 40 90))
	  (gimp-context-set-background '(20 140 90))
	  (gimp-edit-blend layer BLEND-FG-BG-RGB LAYER-MODE-NORMAL
		GRADIENT-RADIAL 100 0 REPEAT-TRIANGULAR FALSE FALSE 1 0 FALSE
		100 100 320 300)
	  (plug-in-plasma RUN-NONINTERACTIVE image layer 7 3)
	  (plug-in-gauss RUN-NONINTERACTIVE image layer 30 30 0)
	  (plug-in-unsharp-mask RUN-NONINTERACTIVE image layer 5 0.7 0)
	  (gimp-image-scale image 1200 900)
	  (file-ppm-save RUN-NONINTERACTIVE image
		(car (gimp-image-flatten image)) "image.ppm" "image.ppm" 1))
	END
	mkdir first && cd first && "${command[@]}" && mv "$work/first" "$work/warm"
	rm -f "$work/warm/image.ppm"
}

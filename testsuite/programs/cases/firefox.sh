# SPDX-License-Identifier: LGPL-2.1-or-later
packages='firefox-esr'
variants='root user'
test "$variant" = root || as=nobody
limit=60
varies="descriptors threads"
target=firefox-esr
command=(bash -c 'mkdir -p profile
	firefox-esr --headless --no-remote --profile profile --window-size=400,300 \
		--screenshot "$PWD/shot.png" file://'"$work"'/page.html >log 2>&1
	echo $?
	sha256sum shot.png
	grep -iE "crash|abort|segmentation" log')

prepare()
{
	mkdir -p home && chown -R "$as" home && chmod 755 .
	cat >page.html <<-'END'
	<body style="background: #fed"><h1 id=h>before</h1><script>
	let s = 0;
	for (let i = 0; i < 3e7; i++) s += i % 7;
	document.getElementById("h").textContent = s;
	</script>
	END
}

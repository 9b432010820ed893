# SPDX-License-Identifier: LGPL-2.1-or-later
packages='chromium'
variants='root sandbox'
test "$variant" = root || as=nobody
sandbox=''
misses='forked processes could not make files'
test "$variant" != root || sandbox=--no-sandbox
limit=60
varies="descriptors threads"
# shellcheck disable=SC2206
command=(bash -c 'trap "" TERM
	chromium --headless=new '$sandbox' --disable-gpu --user-data-dir=profile \
		--no-first-run --disable-dev-shm-usage --hide-scrollbars \
		--force-device-scale-factor=1 --window-size=400,300 \
		--screenshot=shot.png file://'"$work"'/page.html >log 2>&1
	echo $?
	sha256sum shot.png
	grep -c "written to file" log')
target=chromium

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

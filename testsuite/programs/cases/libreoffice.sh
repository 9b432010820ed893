# SPDX-License-Identifier: LGPL-2.1-or-later
packages='libreoffice-writer-nogui libreoffice-calc-nogui fonts-dejavu-core
	poppler-utils'
target=soffice.bin
# Dates and names of fonts in a PDF vary. So what it shows is compared.
command=(bash -c 'export HOME=$PWD
	unset ${!XDG_*}
	soffice "-env:UserInstallation=file://$PWD/profile" \
		--headless --norestore --convert-to pdf --outdir . \
		"$1/text.fodt" "$1/sheet.csv" >log 2>&1
	echo $?
	grep -c "^convert .* using filter" log
	for name in text sheet; do
		pdftotext -layout $name.pdf - | sha256sum
		pdftoppm -r 40 $name.pdf $name
	done
	sha256sum *.ppm
	grep -iE "crash|abort|segmentation|unspecified" log' sh "$work")

prepare()
{
	local i
	{
		echo '<?xml version="1.0"?><office:document
		xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
		xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
		office:version="1.2"
		office:mimetype="application/vnd.oasis.opendocument.text">
		<office:body><office:text>'
		for i in $(seq 300); do
			echo "<text:p>Line $i: $(seq -s ' ' "$i" $((i + 30)))</text:p>"
		done
		echo '</office:text></office:body></office:document>'
	} >text.fodt
	for i in $(seq 400); do
		echo "$i,$((i * i)),row $i,=A$i+B$i"
	done >sheet.csv
}

# SPDX-License-Identifier: LGPL-2.1-or-later
packages='openssl'
target=openssl
command=(bash -c "
	openssl enc -aes-256-cbc -pbkdf2 -iter 1500000 -S 0102030405060708 \
		-pass pass:x -in $work/data | sha256sum
	openssl dgst -sha512 $work/data
	openssl genpkey -algorithm ed25519 -out key
	openssl pkeyutl -sign -rawin -inkey key -in $work/small -out sig
	openssl pkeyutl -verify -rawin -inkey key -in $work/small -sigfile sig
	openssl x509 -in $work/small")

prepare()
{
	seq 5000000 >data
	seq 100 >small
}

filter()
{
	sed 's/^[0-9A-F]*:error/error/'
}

# SPDX-License-Identifier: LGPL-2.1-or-later
packages='php-cli'
rules=('php/*')
command=(env USE_ZEND_DTRACE=1 php -r '
	function count_up($n) { $s = 0;
		for ($i = 0; $i < $n; $i++) $s += $i * $i % 7; return $s; }
	for ($i = 0; $i < 20; $i++) echo count_up(1000000), "\n";
	echo shell_exec("echo from a shell");
	echo hash("sha256", str_repeat("x", 20000000)), "\n";
	try { throw new Exception("thrown"); }
	catch (Exception $e) { echo $e->getMessage(), "\n"; }
	exit(9);')

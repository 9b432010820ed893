# SPDX-License-Identifier: LGPL-2.1-or-later
packages='emacs-nox'
command=(emacs -Q --batch --eval '(progn
	(dotimes (i 60) (with-temp-buffer
		(dotimes (j 3000) (insert (format "%d " (* i j))))
		(goto-char 1)
		(while (re-search-forward "7+" nil t) (replace-match "x"))
		(princ (md5 (buffer-string)))
		(terpri)))
	(princ (shell-command-to-string "echo from a shell"))
	(let ((n 0)) (dotimes (k 3)
		(make-thread (lambda () (dotimes (_ 1000) (setq n (1+ n))))))
		(mapc (function thread-join) (cdr (all-threads)))
		(princ (format "%d\n" n)))
	(garbage-collect)
	(kill-emacs 8))')

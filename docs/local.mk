# docs/: manual pages, one page a layer, examples.
dist_man_MANS +=

EXTRA_DIST +=

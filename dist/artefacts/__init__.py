"""The kinds of artefact that `dist/build` makes, one a module."""

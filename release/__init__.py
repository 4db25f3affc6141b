"""Makes a release, and proves it: nothing is published. `make release VERSION=0.2.0` runs it."""

"""MicroPython takes no notice of annotations, so there is nothing to switch on."""

annotations = None

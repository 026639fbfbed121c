"""The game, pure: what happened at a Brag table, what it means, and whether it was right.

Nothing in this package reads a file, a clock or a network. It imports the standard library only, and keeps to the part
of Python that MicroPython runs, because the same code runs in the page on the scorekeeper's phone.
"""

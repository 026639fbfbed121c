"""What goes wrong with the Postgres that comes along."""


class EmbeddedFault(Exception):
    """It cannot be used. The text says why and what to do, in one or two sentences."""

"""Names that only a type checker reads."""

TYPE_CHECKING = False

"""The game, pure: what happened, what it means, and whether it was right. Standard library only."""

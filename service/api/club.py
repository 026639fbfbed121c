"""The club: its people and its leaderboard, over sessions (contract.md §2, §4)."""

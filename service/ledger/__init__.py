"""A plain ledger as home games keep them: a table with a row per player and night, of what was bought and taken."""

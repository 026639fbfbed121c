"""Postgres: the log and what stands beside it, a module a table.

Everything about one session names the session in every statement, so that one shard answers it; nothing is shared
between sessions. Callers get plain values: no cursor, no connection and no row of the driver leaves this package.
"""

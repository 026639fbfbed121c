"""The pages: what a person at the table, or watching, sees in a browser."""

"""The world around the game: store, HTTP, pages, exports and the command line."""

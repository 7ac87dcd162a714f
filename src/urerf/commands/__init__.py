"""The commands on a user's own file: each parses, calls the library and prints."""

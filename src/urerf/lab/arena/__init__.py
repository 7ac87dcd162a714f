"""The arena: every method that a person might use to find neighbors among noise columns."""

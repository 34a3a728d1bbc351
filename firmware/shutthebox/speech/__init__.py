"""The box by ear: its screens as sentences, the file that publishes them, and the voice."""

"""The spoken box: screens as sentences, the file that publishes them, and the voice."""

"""The box by ear: what it shows as sentences, the file they are published in, and the voice that reads it."""

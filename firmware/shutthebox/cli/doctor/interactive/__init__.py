"""The doctor's modes in which a person moves levers, looks and listens."""

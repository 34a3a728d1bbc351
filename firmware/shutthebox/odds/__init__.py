"""Exact play: values, policies, distributions and advice. Standard library only."""

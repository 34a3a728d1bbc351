"""Tools that make pages, pictures and files of the project from its code."""

from pathlib import Path

PROJECT = Path(__file__).parents[3]

"""Tools that make pages, pictures and files of the project from its code."""

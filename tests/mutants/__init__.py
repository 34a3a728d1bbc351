"""Random small changes to the program, and whether the tests notice them: `make mutants`."""

"""The suite on the Pythons of other Debians than this one."""

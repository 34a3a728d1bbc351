"""The modes of the box: each module has its data, what its inputs do, and its screen."""

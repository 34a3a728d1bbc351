"""`python -m shutthebox` is the `shutthebox` command."""

import sys

from shutthebox.cli import main

sys.exit(main())

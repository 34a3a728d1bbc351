"""`python -m shutthebox` is the `shutthebox` command."""

import sys

from shutthebox.cli.main import main

sys.exit(main())

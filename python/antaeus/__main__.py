"""`python -m antaeus VERB …` is `antaeus VERB …`. With --verb first it runs a verb that is written in Python."""

import sys

from antaeus import _command_line

if len(sys.argv) > 2 and sys.argv[1] == "--verb":
    sys.exit(_command_line.run_verb(sys.argv[2], sys.argv[3:]))
sys.exit(_command_line.main())

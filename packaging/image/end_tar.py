#!/usr/bin/python3
"""Cuts a tar right behind its end mark.

    end_tar.py TAR

tar stops reading at the mark, and mmdebstrap's tar-in fails now and then if it has more to write.
"""

import os
import sys
import tarfile

BLOCK = tarfile.BLOCKSIZE

(path,) = sys.argv[1:]
with tarfile.open(path) as tar:
    last = tar.getmembers()[-1]
end = last.offset_data + -(-last.size // BLOCK) * BLOCK
os.truncate(path, end + 2 * BLOCK)

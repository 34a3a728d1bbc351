"""The model of the box: its figures, printed and bought parts, and the check.

[dimensions][hwtools.box.dimensions] has every figure once, [printed][hwtools.box.printed] the parts that are
printed, [assembly][hwtools.box.assembly] everything in its place and in the order of the guide, and
[check][hwtools.box.check] looks for what a builder would trip over.
"""

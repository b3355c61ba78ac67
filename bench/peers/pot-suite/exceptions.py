"""Tests of POT that rot does not pass, by the beginning of their names, and why.

They are expected to fail: one that passes after all fails the suite, so that this
list stays true.
"""

EXCEPTIONS = {}

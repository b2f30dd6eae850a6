"""What goes wrong with one medium. It costs that row and no other: whoever asks for a view
turns it into a `Failure` of kind `MEDIA`.
"""

from __future__ import annotations


class MediaError(Exception):
    """A medium cannot be sent as the policy asks; the message says which, found and expected."""

"""About how many tokens a prompt takes, before anyone has counted them.

For budgets and for `plan`; what endpoints say afterwards is in a response's `usage`.
"""

from __future__ import annotations

import math

from ifbench.types import ImagePolicy, Part, Prompt, Text

CHARACTERS_PER_TOKEN = 4
TOKENS_PER_TILE = 170  # A tile of 512 x 512 px, and a base for each picture (OpenAI's price list).
BASE_TOKENS_PER_IMAGE = 85
MOST_TILES = 4
TOKENS_PER_OTHER_MEDIUM = 1000  # Audio and video, for want of their length.
UNKNOWN_OUTPUT_TOKENS = 512  # Where `max_tokens` leaves the length to the endpoint.


def estimated_input_tokens(prompt: Prompt) -> int:
    """About how many tokens a prompt has: text by length, pictures by the size they are sent in."""
    characters = len(prompt.system) + sum(
        len(part.text) for part in prompt.parts if isinstance(part, Text)
    )
    text = math.ceil(characters / CHARACTERS_PER_TOKEN)
    return text + sum(_media_tokens(part) for part in prompt.parts)


def estimated_tokens(prompt: Prompt) -> int:
    """Input and the longest output: what endpoints count against a quota when a request comes."""
    return estimated_input_tokens(prompt) + (prompt.sampling.max_tokens or UNKNOWN_OUTPUT_TOKENS)


def _media_tokens(part: Part) -> int:
    if isinstance(part, Text):
        return 0
    if not isinstance(part.policy, ImagePolicy):
        return TOKENS_PER_OTHER_MEDIUM
    side = part.policy.long_side_px
    tiles = MOST_TILES if side is None else min(MOST_TILES, math.ceil(side / 512) ** 2)
    return BASE_TOKENS_PER_IMAGE + TOKENS_PER_TILE * tiles

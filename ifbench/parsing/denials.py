"""Whether a text denies what it mentions: "not SEM", "instead of the ideal gas law", "non-stable".

One reach for all who ask. Back from the mention, a denial holds over articles, prepositions and
the verbs of being, calling and applying ("is not obtained by the use of X" reaches X, "could not
be resolved by X" does not: there X was used). It ends at punctuation, at a conjunction ("not Y
but X") and at every other word, so that the denial of something else in the same sentence is
none. Behind the mention it holds where the mention is the subject ("X does not apply"). Two
denials of one mention cancel each other ("not without X"), and "not only" denies nothing.
Of "not X or Y" the X alone is denied, of "neither X nor Y" both. English, and some Chinese.
"""

from __future__ import annotations

import re

REACH = 80
"""Characters on either side of the mention that are read."""


def is_denied(text: str, start: int, end: int) -> bool:
    """True where the text denies what `text[start:end]` mentions."""
    before = text[max(start - REACH, 0) : start]
    return _is_denied_before(before) or _DENIED_AFTER.match(text, end) is not None


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_TOKEN = re.compile(
    r"(?:rather\s+than|instead\s+of|as\s+opposed\s+to|in\s+place\s+of|anything\s+but|far\s+from"
    r"|as\s+well\s+as|not\s+(?:only|just|merely|solely|simply))(?![^\W_])"
    r"|non[-‐–](?=\S|\Z)|[^\W_]+(?:['’]t)?|[^\w\s]",
    re.IGNORECASE,
)
_DRESS = frozenset("*_`\"'“”‘’(){}[]$\\~-")
_DENIALS = _words(
    "not no nor never neither without unlike cannot isn't aren't wasn't weren't don't doesn't "
    "didn't can't couldn't won't wouldn't shouldn't hasn't haven't mustn't needn't"
)
_PHRASES = _words("rather instead opposed place anything far")
"""The telling words of denials of several words."""
_LIGHT = _words(
    "a an the any this that these those its their our such kind type form sort use usage means "
    "application by with from using in on of to under via through for at based upon "
    "be been being is are was were am have has had do does did can could will would should may "
    "use uses used apply applies applied applying employ employs employed employing rely relies "
    "relied relying need needs needed call called considered regarded described explained modelled "
    "modeled treated justified solved assume assumed given taken made done recorded acquired"
)


_CUE = re.compile(
    r"n(?:o|ei|eve|['’]t)|without|unlike|than|instead|opposed|place|anything|far|[不而无]",
    re.IGNORECASE,
)
"""Something of each denial. Most mentions have none before them, which is quick to see."""


def _is_denied_before(before: str) -> bool:
    """Whether an odd number of denials reaches the end of a text."""
    if _CUE.search(before) is None:
        return False
    count = 0
    for token in reversed(list(_TOKEN.finditer(before))):
        word = " ".join(token[0].lower().replace("’", "'").split())
        if word in _DRESS or word in _LIGHT:
            continue
        is_phrase = " " in word and bool(_PHRASES & set(word.split()))
        if not (is_phrase or word in _DENIALS or word[:-1] == "non"):
            break
        count += 1
    return count % 2 == 1 or _DENIED_BEFORE_ZH.search(before) is not None


_DENIED_AFTER = re.compile(
    r"[*_`\"'”’)$}]{0,4}\s(?:(?:is|are|was|were|does|do|did|has|have|had|can|could|would|should|will"
    r"|must|may)(?:\s(?:not|never)|n['’]t)|cannot|can['’]t|won['’]t)\s(?:(?!(?:on|mere|sole|simp)ly)[a-z]{2,12}ly\s)?(?:be\s|been\s)?"
    r"(?:(?!(?:on|mere|sole|simp)ly)[a-z]{2,12}ly\s)?(?:used|using|apply|applied|applicable|valid|hold|appropriate|suitable"
    r"|needed|necessary|required|employed|relevant|work|possible|available|performed|done|true"
    r"|correct|right|the case|it|sufficient|enough|allowed|meant|chosen|taken|satisfied|obeyed"
    r"|followed|considered|assumed)(?![^\W_])"
    r"|[*_`\"'”’)$}]{0,4}\s(?:fails|breaks down)(?![^\W_])|(?:不适用|不成立|无法)",
    re.IGNORECASE,
)
_DENIED_BEFORE_ZH = re.compile(
    r"(?:不(?:能|用|使用|采用|适用)|而不是|而非|无法)[^。，；\n]{0,12}\Z"
)

"""The release's rules on addresses, relations between entities, and techniques."""

from __future__ import annotations

import re

from ifbench.constraints.constraint import Check, Example, failed, passed, quote
from ifbench.constraints.scimif_release.objects import last_object
from ifbench.constraints.scimif_release.rule import ReleaseParams, scripted_rule

_READ = 20_000  # Characters of a question or a parameter that are searched; none is longer.
_SNIPPET = re.compile(r"\{[^{}]*\}")
_KEY = re.compile(r"""['"]([^'"\n]{1,80})['"]\s*:""")
_HIERARCHY = re.compile(r"\bhierarchy format\s*[:=]\s*(?P<list>[^\n.;]+)", re.IGNORECASE)


@scripted_rule(
    "address_format",
    decides=("geography:address_hierarchy",),
    group="terminology",
    reads_text=True,
    example=Example(
        params={"raw": "hierarchy format: Continent, Country, City"},
        instruction="Give the address as JSON with continent, country and city.",
        passing='{"continent": "Atlantis", "country": "", "city": 7}',
        failing='{"continent": "Asia", "country": "Japan"}',
    ),
)
def address_format(text: str, params: ReleaseParams) -> Check:
    """The answer's JSON object has the keys of the asked hierarchy, lower-cased and with `_` for
    blanks; values do not count. Where no hierarchy is found, any JSON object or any two commas
    pass: what the release's heuristics are is open, and this is our reading.
    """
    wanted = _hierarchy(params.text) or _hierarchy(params.question)
    value = last_object(text)
    if not wanted:
        if value is not None or text.count(",") >= 2:
            return passed("no hierarchy was found; the answer has an object or two commas")
        return failed("no hierarchy was found, and the answer looks like no address")
    if value is None:
        return failed("there is no JSON object")
    own = {_name(str(key)) for key in value}
    missing = [key for key in wanted if key not in own]
    found = {"wanted": list(wanted), "keys": sorted(own)[:40]}
    if missing:
        return failed(f"the object lacks {', '.join(missing)}", found=found)
    return passed("the object has the keys of the hierarchy", found=found)


def _hierarchy(text: str) -> tuple[str, ...]:
    text = text[:_READ]
    for snippet in _SNIPPET.finditer(text):
        if keys := _KEY.findall(snippet[0]):
            return tuple(dict.fromkeys(map(_name, keys)))
    listed = _HIERARCHY.search(text)
    names = re.split(r",|>|→", listed["list"]) if listed else []
    return tuple(dict.fromkeys(_name(name) for name in names if name.strip()))


def _name(key: str) -> str:
    return re.sub(r"\s+", "_", key.strip().lower())


_TUPLE = re.compile(r"\((?:[^(),\n]*,){1,4}[^(),\n]*\)|\[(?:[^\[\],\n]*,){1,4}[^\[\],\n]*\]")


@scripted_rule(
    "entity_relationship",
    decides=("biology:entity_relationship_format_validity",),
    group="terminology",
    example=Example(
        params={"raw": "Format: (Chemical Substance, Corresponding Disease)"},
        instruction="Give pairs as (chemical, disease).",
        passing="It rose (see figures 1, 2).",
        failing="pilocarpine causes seizures",
    ),
)
def entity_relationship(text: str, params: ReleaseParams) -> Check:
    """Round or square brackets with two to five parts between commas stand anywhere."""
    del params
    hit = _TUPLE.search(text)
    if hit is None:
        return failed("there are no brackets with two to five parts")
    return passed("there are brackets with parts", evidence=(quote(text, *hit.span()),))


TECHNIQUES = (
    "SEM", "TEM", "STEM", "XRD", "AFM", "STM", "XPS", "FTIR", "NMR", "EDS", "EDX", "DSC", "TGA",
    "AES", "SIMS", "EELS", "LEED", "XRF", "XAS", "EPR", "UPS", "EXAFS", "DMA", "ESCA",
)  # fmt: skip
"""24 abbreviations, as the release has. Its list begins with SEM, ends with ESCA and holds neither
EBSD nor SAXS; what is between is our guess."""
_TECHNIQUE = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(TECHNIQUES)})(?![A-Za-z])")


@scripted_rule(
    "characterization_technique",
    decides=("material:characterization_technique",),
    group="terminology",
    example=Example(
        params={"raw": "abbreviation in uppercase, such as SEM"},
        instruction="Name the technique by its abbreviation.",
        passing="Not SEM but electron backscatter diffraction.",
        failing="EBSD",
    ),
)
def characterization_technique(text: str, params: ReleaseParams) -> Check:
    """One of 24 abbreviations stands anywhere; EBSD and SAXS are none of them."""
    del params
    hit = _TECHNIQUE.search(text)
    if hit is None:
        return failed("none of the 24 abbreviations stands in the answer")
    return passed(f"{hit[0]} stands there", evidence=(quote(text, *hit.span()),))

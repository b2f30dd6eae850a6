"""Techniques that characterise materials: their names, their acronyms, and where a text names them.

Acronyms are whole tokens in their own case, so that no "item" holds a TEM and "STEM" is no TEM;
names are whole words in any case. The longest name wins: scanning transmission electron
microscopy is one technique, not two.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class Technique:
    """One technique. `label` is its usual acronym, or its name where it has none."""

    label: str
    acronyms: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    kind_of: tuple[str, ...] = ()
    """Labels of the wider techniques that it is a form of: HRTEM is TEM as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedTechnique:
    """A place of a text that names a technique."""

    technique: Technique
    start: int
    end: int
    is_acronym: bool


def _row(acronyms: str, *names: str, kind_of: str = "") -> Technique:
    short = tuple(acronyms.split())
    label = short[0] if short else names[0]
    return Technique(label=label, acronyms=short, names=names, kind_of=tuple(kind_of.split()))


# What `_folded` lets vary (microscopy and microscopes, spectroscopy and spectra, hyphens and
# blanks between words) needs no spelling of its own here.
_ROWS = (
    # Microscopy
    _row("OM", "optical microscopy", "light microscopy", "reflected light microscopy"),
    _row("CLSM", "confocal laser scanning microscopy", "confocal microscopy"),
    _row("SEM", "scanning electron microscopy"),
    _row("FESEM FE-SEM", "field emission scanning electron microscopy", kind_of="SEM"),
    _row("ESEM", "environmental scanning electron microscopy", kind_of="SEM"),
    _row("TEM", "transmission electron microscopy"),
    _row("HRTEM HR-TEM", "high resolution transmission electron microscopy", kind_of="TEM"),
    _row("cryo-EM cryo-TEM cryoEM", "cryogenic electron microscopy", "cryo electron microscopy"),
    _row("STEM", "scanning transmission electron microscopy"),
    _row(
        "HAADF-STEM HAADF",
        "high angle annular dark field scanning transmission electron microscopy",
        "high angle annular dark field",
        kind_of="STEM",
    ),
    _row("SAED SAD", "selected area electron diffraction", "selected area diffraction"),
    _row("EBSD", "electron backscatter diffraction", "electron backscattered diffraction"),
    _row("FIB", "focused ion beam", "focussed ion beam"),
    _row("APT", "atom probe tomography", "atom probe"),
    _row("AFM", "atomic force microscopy"),
    _row("KPFM", "Kelvin probe force microscopy", kind_of="AFM"),
    _row("PFM", "piezoresponse force microscopy", kind_of="AFM"),
    _row("MFM", "magnetic force microscopy", kind_of="AFM"),
    _row("STM", "scanning tunnelling microscopy", "scanning tunneling microscopy"),
    _row("XCT micro-CT", "X-ray computed tomography", "X-ray tomography", "X-ray microtomography"),
    # Diffraction and scattering
    _row("XRD", "X-ray diffraction"),
    _row("PXRD", "powder X-ray diffraction", kind_of="XRD"),
    _row("SCXRD SC-XRD", "single crystal X-ray diffraction", kind_of="XRD"),
    _row(
        "GIXRD GI-XRD",
        "grazing incidence X-ray diffraction",
        "glancing incidence X-ray diffraction",
        kind_of="XRD",
    ),
    _row("XRR", "X-ray reflectivity", "X-ray reflectometry"),
    _row("SAXS", "small angle X-ray scattering"),
    _row("WAXS", "wide angle X-ray scattering"),
    _row("SANS", "small angle neutron scattering"),
    _row("NPD", "neutron diffraction", "neutron powder diffraction"),
    _row("LEED", "low energy electron diffraction"),
    _row("RHEED", "reflection high energy electron diffraction"),
    _row("DLS", "dynamic light scattering"),
    # Composition and surfaces
    _row(
        "EDS EDX EDXS EDXA",
        "energy dispersive X-ray spectroscopy",
        "energy dispersive X-ray analysis",
        "energy dispersive spectroscopy",
    ),
    _row(
        "WDS WDX",
        "wavelength dispersive X-ray spectroscopy",
        "wavelength dispersive spectroscopy",
    ),
    _row("EPMA", "electron probe microanalysis", "electron microprobe analysis"),
    _row("EELS", "electron energy loss spectroscopy"),
    _row(
        "XPS ESCA",
        "X-ray photoelectron spectroscopy",
        "X-ray photoemission spectroscopy",
        "electron spectroscopy for chemical analysis",
    ),
    _row("UPS", "ultraviolet photoelectron spectroscopy", "UV photoelectron spectroscopy"),
    _row("ARPES", "angle resolved photoemission spectroscopy"),
    _row("AES", "Auger electron spectroscopy", "Auger spectroscopy"),
    _row("XRF", "X-ray fluorescence", "X-ray fluorescence spectroscopy"),
    _row("XAS", "X-ray absorption spectroscopy"),
    _row(
        "XANES NEXAFS",
        "X-ray absorption near edge structure",
        "X-ray absorption near edge spectroscopy",
        "near edge X-ray absorption fine structure",
        kind_of="XAS",
    ),
    _row("EXAFS", "extended X-ray absorption fine structure", kind_of="XAS"),
    _row("SIMS", "secondary ion mass spectrometry"),
    _row(
        "ToF-SIMS TOF-SIMS",
        "time of flight secondary ion mass spectrometry",
        kind_of="SIMS",
    ),
    _row("RBS", "Rutherford backscattering", "Rutherford backscattering spectrometry"),
    _row("ICP-MS", "inductively coupled plasma mass spectrometry"),
    _row(
        "ICP-OES ICP-AES",
        "inductively coupled plasma optical emission spectroscopy",
        "inductively coupled plasma atomic emission spectroscopy",
    ),
    _row("AAS", "atomic absorption spectroscopy"),
    _row("GC-MS GCMS", "gas chromatography mass spectrometry"),
    _row(
        "BET",
        "Brunauer Emmett Teller",
        "Brunauer Emmett Teller method",
        "nitrogen physisorption",
        "nitrogen adsorption",
    ),
    # Bonds, spins and light
    _row(
        "FTIR FT-IR IR ATR-FTIR",
        "Fourier transform infrared spectroscopy",
        "Fourier transform infrared",
        "infrared spectroscopy",
    ),
    _row("", "Raman spectroscopy", "Raman", "Raman scattering", "micro Raman spectroscopy"),
    _row("SERS", "surface enhanced Raman scattering", "surface enhanced Raman spectroscopy"),
    _row("NMR", "nuclear magnetic resonance", "nuclear magnetic resonance spectroscopy"),
    _row("EPR ESR", "electron paramagnetic resonance", "electron spin resonance"),
    _row("", "Mössbauer spectroscopy", "Mossbauer spectroscopy"),
    _row(
        "UV-Vis UV-vis UV-VIS UV-Vis-NIR",
        "ultraviolet visible spectroscopy",
        "UV visible spectroscopy",
        "UV Vis spectroscopy",
    ),
    _row("PL", "photoluminescence", "photoluminescence spectroscopy"),
    _row("CL", "cathodoluminescence", "cathodoluminescence spectroscopy"),
    _row("", "ellipsometry", "spectroscopic ellipsometry"),
    # Heat, mechanics, magnetism, charge
    _row("DSC", "differential scanning calorimetry"),
    _row("DTA", "differential thermal analysis"),
    _row("TGA TG", "thermogravimetric analysis", "thermogravimetry"),
    _row("DMA DMTA", "dynamic mechanical analysis", "dynamic mechanical thermal analysis"),
    _row("TMA", "thermomechanical analysis"),
    _row("", "dilatometry"),
    _row("", "nanoindentation", "instrumented indentation"),
    _row("VSM", "vibrating sample magnetometry"),
    _row("SQUID", "superconducting quantum interference device", "SQUID magnetometry"),
    _row("CV", "cyclic voltammetry"),
    _row("LSV", "linear sweep voltammetry"),
    _row("EIS", "electrochemical impedance spectroscopy"),
    _row("GPC", "gel permeation chromatography", "size exclusion chromatography"),
)

TECHNIQUES: Mapping[str, Technique] = MappingProxyType({row.label: row for row in _ROWS})
"""Every technique of the table, by its label."""


def technique_called(words: str) -> Technique:
    """The technique of the table that bears this name or acronym, else one of that name alone."""
    found = techniques_in(words)
    if len(found) == 1 and (found[0].start, found[0].end) == (0, len(words)):
        return found[0].technique
    is_acronym = len(words) <= 12 and sum(letter.isupper() for letter in words) > 1
    return Technique(
        label=words,
        acronyms=(words,) if is_acronym else (),
        names=() if is_acronym else (words,),
    )


def techniques_in(
    text: str, further: Iterable[Technique] = (), *, ignore_case: bool = False
) -> tuple[NamedTechnique, ...]:
    """Every place that names a technique of the table or a `further` one, none inside another.

    With `ignore_case` acronyms count in any case, for answers that may not use capitals.
    """
    added = tuple(one for one in further if one.label not in TECHNIQUES)
    return tuple(_places(text, _trees(added, ignore_case=ignore_case)))


def is_form_of(technique: Technique, wanted: Technique) -> bool:
    """True when one is the other, or a narrower form of it."""
    return technique.label == wanted.label or wanted.label in technique.kind_of


# ── Searching ────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class _Node:
    """A place in a tree of words; each row of words from the root spells a technique."""

    following: dict[str, _Node] = field(default_factory=dict)
    spelled: list[Technique] = field(default_factory=list)
    """At most one: the technique whose spelling ends here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trees:
    """Acronyms and names apart, since they are compared in different forms."""

    acronyms: _Node = field(default_factory=_Node)
    names: _Node = field(default_factory=_Node)
    ignore_case: bool

    def acronym_word(self, word: str) -> str:
        return word.upper() if self.ignore_case else word


# "Xray" is two words without a gap; a script without blanks ends a word.
_WORD = re.compile(r"[Xx](?=[Rr]ay(?![^\W_]))|[^\W_\u3040-\u30ff\u3400-\u9fff]+")
_GAP = re.compile(r"(?:\s{1,3}|\s?[-‐‑–—/]\s?)?")


@lru_cache(maxsize=64)
def _trees(added: tuple[Technique, ...], *, ignore_case: bool) -> _Trees:
    trees = _Trees(ignore_case=ignore_case)
    for technique in (*_ROWS, *added):
        for acronym in technique.acronyms:
            _plant(trees.acronyms, map(trees.acronym_word, _WORD.findall(acronym)), technique)
        for name in technique.names:
            _plant(trees.names, map(_folded, _WORD.findall(name)), technique)
    return trees


def _plant(node: _Node, words: Iterable[str], technique: Technique) -> None:
    for word in words:
        node = node.following.setdefault(word, _Node())
    node.spelled[:] = node.spelled or [technique]


def _places(text: str, trees: _Trees) -> Iterator[NamedTechnique]:
    words = list(_WORD.finditer(text))
    index = 0
    while index < len(words):
        name = _longest(text, words, index, trees.names, _folded)
        acronym = _longest(text, words, index, trees.acronyms, trees.acronym_word)
        technique, end = max(name, acronym, key=lambda found: found[1])
        if technique is None:
            index += 1
            continue
        yield NamedTechnique(
            technique=technique,
            start=words[index].start(),
            end=words[end - 1].end(),
            is_acronym=acronym[1] > name[1],
        )
        index = end


def _longest(
    text: str,
    words: Sequence[re.Match[str]],
    index: int,
    node: _Node,
    form: Callable[[str], str],
) -> tuple[Technique | None, int]:
    """The technique with the longest spelling that begins here, and the word after it."""
    best: tuple[Technique | None, int] = (None, index)
    for place in range(index, len(words)):
        after = node.following.get(form(words[place][0]))
        if after is None or (place > index and not _joins(text, words[place - 1], words[place])):
            return best
        node = after
        if node.spelled:
            best = (node.spelled[0], place + 1)
    return best


def _joins(text: str, word: re.Match[str], other: re.Match[str]) -> bool:
    return _GAP.fullmatch(text, word.end(), other.start()) is not None


_ENDINGS = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"spectr(?:ometry|ometers?|ometric|oscop(?:y|es?|ic)|um|a|al)\Z", "spectroscopy"),
        (r"microscop(?:y|es?|ic|ical)\Z|micrographs?\Z", "microscopy"),
        (r"diffract(?:ion|ometry|ometers?|ometric|ograms?)\Z", "diffraction"),
        (r"metr(?:y|ic)\Z|meters?\Z", "metry"),
        (r"graph(?:y|s|ic)\Z", "graphy"),
        (r"analys(?:is|er|ers)\Z|analyz(?:er|ers)\Z", "analysis"),
    )
)


@lru_cache(maxsize=4096)
def _folded(word: str) -> str:
    """Lower case, with one ending for a method, its instrument and what it records."""
    lower = word.lower()
    for ending, plain in _ENDINGS:
        if ending.search(lower):
            return ending.sub(plain, lower)
    return lower

import pytest

from ifbench.parsing.techniques import TECHNIQUES, is_form_of, technique_called, techniques_in


def labels(text, **options):
    return [place.technique.label for place in techniques_in(text, **options)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SEM", ["SEM"]),
        ("a semantic item", []),
        ("the system, stem cells and items", []),
        ("SEMANTIC SYSTEMS", []),
        ("STEM", ["STEM"]),
        ("HRTEM", ["HRTEM"]),
        ("TEM and STEM", ["TEM", "STEM"]),
        ("XTEM1", []),
        ("TEM_image", ["TEM"]),
        ("raman", ["Raman spectroscopy"]),
        ("Raman spectra", ["Raman spectroscopy"]),
        ("RAMAN SPECTROSCOPY", ["Raman spectroscopy"]),
        ("EDS", ["EDS"]),
        ("EDX", ["EDS"]),
        ("EDXS", ["EDS"]),
        ("EDXRF", []),
        ("energy-dispersive X-ray spectroscopy", ["EDS"]),
        ("energy dispersive x-ray analysis", ["EDS"]),
        ("X-ray diffraction", ["XRD"]),
        ("X‑ray diffractometer", ["XRD"]),
        ("xray diffraction", ["XRD"]),
        ("X-ray photoelectron spectroscopy", ["XPS"]),
        ("X-ray photons, and diffraction of neutrons", []),
        ("powder X-ray diffraction", ["PXRD"]),
        ("transmission electron\nmicroscope", ["TEM"]),
        ("scanning transmission electron microscopy", ["STEM"]),
        ("scanning electron micrographs", ["SEM"]),
        ("scanning, electron microscopy", []),
        ("electron microscopy", []),
        ("scanning", []),
        ("SEM/EDS", ["SEM", "EDS"]),
        ("HAADF-STEM", ["HAADF-STEM"]),
        ("STEM-EDS", ["STEM", "EDS"]),
        ("UV–Vis", ["UV-Vis"]),
        ("UV/Vis", ["UV-Vis"]),
        ("UV light is visible", []),
        ("FT-IR and ir", ["FTIR"]),
        ("Mössbauer and Mossbauer spectrometry", ["Mössbauer spectroscopy"]),
        ("differential scanning calorimeter", ["DSC"]),
        ("用XRD图谱测定", ["XRD"]),
    ],
)
def test_a_name_or_acronym_is_found_as_whole_words_alone(text, expected):
    assert labels(text) == expected


def test_a_place_is_that_of_the_words():
    text = "By scanning electron microscopy (SEM)."
    places = techniques_in(text)
    assert [text[place.start : place.end] for place in places] == [
        "scanning electron microscopy",
        "SEM",
    ]
    assert [place.is_acronym for place in places] == [False, True]


def test_small_acronyms_count_only_where_case_is_ignored():
    assert labels("xrd and tem, not a system") == []
    assert labels("xrd and tem, not a system", ignore_case=True) == ["XRD", "TEM"]


def test_a_name_that_the_table_lacks_is_looked_for_as_it_is_written():
    further = [technique_called("XMCD"), technique_called("positron annihilation")]
    assert labels("XMCD, xmcd and Positron-Annihilation", further=further) == [
        "XMCD",
        "positron annihilation",
    ]
    assert labels("XMCD") == []


@pytest.mark.parametrize(
    ("words", "label"),
    [
        ("EDX", "EDS"),
        ("scanning electron microscope", "SEM"),
        ("Raman", "Raman spectroscopy"),
        ("XRD and SEM", "XRD and SEM"),
        ("dark magic", "dark magic"),
    ],
)
def test_a_technique_is_called_by_any_of_its_names(words, label):
    assert technique_called(words).label == label


def test_a_narrower_form_is_its_kind_and_not_the_reverse():
    tem, hrtem = TECHNIQUES["TEM"], TECHNIQUES["HRTEM"]
    assert is_form_of(hrtem, tem)
    assert not is_form_of(tem, hrtem)
    assert not is_form_of(TECHNIQUES["STEM"], tem)


def test_the_table_contradicts_itself_nowhere():
    assert len(TECHNIQUES) >= 60
    spelled = {}
    for technique in TECHNIQUES.values():
        assert set(technique.kind_of) <= set(TECHNIQUES)
        for words in (*technique.acronyms, *technique.names):
            assert spelled.setdefault(words.lower(), technique.label) == technique.label
            assert technique_called(words) == technique, words

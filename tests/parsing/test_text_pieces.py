"""Keywords, quoted passages, patterns and tables: small readers, a table of cases each."""

from __future__ import annotations

import pytest

from ifbench.parsing.keywords import keyword_count, keyword_places
from ifbench.parsing.languages import LANGUAGES, language_code, verify_language
from ifbench.parsing.markdown_tables import markdown_tables
from ifbench.parsing.patterns import check_pattern
from ifbench.parsing.quoted_passages import quoted_passages
from ifbench.parsing.visible_text import visible_text


def test_places_of_a_keyword_are_those_of_the_text():
    text = "A Lamp and a “lamp”; clamp, lamps."
    assert [text[start:end] for start, end in keyword_places(text, "lamp")] == ["Lamp", "lamp"]
    assert len(keyword_places(text, "lamp", inflections=True)) == 3
    assert len(keyword_places(text, "lamp", whole_word=False)) == 4
    assert keyword_count("**la**mp", "lamp") == 1
    assert keyword_places("**la**mp", "lamp") == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('He says "go on".', ["go on"]),
        ("“a” «b» 「c」 『d』 „e“", ["a", "b", "c", "d", "e"]),
        ("It's the dog's bone", []),
        ("He says 'it's on' and goes", ["it's on"]),
        ('an open " mark', []),
        ('over "a\nline" end', []),
        ('""', []),
    ],
)
def test_quoted_passages_stand_between_marks(text, words):
    assert [passage.words for passage in quoted_passages(text)] == words


@pytest.mark.parametrize("pattern", [r"[A-Z]-\d{2}", r"(?:ab|cd)?x+", r"a{2}(b){3}", r"\(a\)+"])
def test_plain_patterns_are_taken(pattern):
    assert check_pattern(pattern) == pattern


@pytest.mark.parametrize("pattern", ["(", "(a+)+", "(?:a|b*)*", "((a{2,}))+x", "a" * 501])
def test_patterns_that_may_never_end_are_refused(pattern):
    with pytest.raises(ValueError, match="pattern"):
        check_pattern(pattern)


def test_tables_have_their_cells_as_a_reader_sees_them():
    (table,) = markdown_tables("x\n\n| **a** | b |\n|-|-|\n| 1 \\| 2 |\n\nend")
    assert table.header == ("a", "b")
    assert table.rows == (("1 / 2", ""),)
    assert (table.start_line, table.end_line) == (2, 5)
    assert markdown_tables("```\n| a |\n|---|\n```") == ()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("## **Head**", "Head"),
        ("- [x] a_b _c_", "a_b c"),
        ("a\n---\nb", "a\n\nb"),
        ("```js\n- x\n```\n- y", "\n- x\n\ny"),
        ("2 * 3", "2  3"),
    ],
)
def test_marks_go_and_lines_stay(text, shown):
    assert visible_text(text) == shown


def test_every_language_is_found_by_its_names():
    for language in LANGUAGES.values():
        assert language_code(language.code.upper()) == language.code
        assert all(language_code(name) == language.code for name in language.names)
    assert language_code("Klingon") is None


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("fr", "Un homme ouvre la porte et quitte la maison en courant."),
        ("de", "Ein Mann öffnet die Tür und verlässt schnell das Haus."),
        ("pt", "Um homem abre a porta e sai da casa correndo para o carro."),
        ("it", "Un uomo apre la porta ed esce di corsa dalla casa."),
        ("nl", "Een man opent de deur en verlaat snel het huis."),
        ("vi", "Một người đàn ông mở cửa và rời khỏi ngôi nhà."),
        ("tr", "Bir adam kapıyı açar ve hızla evden çıkar."),
        ("uk", "Чоловік відчиняє двері та виходить з будинку."),
        ("ar", "رجل يفتح الباب ويغادر المنزل مسرعا."),
        ("kn", "ಮನುಷ್ಯ ಬಾಗಿಲು ತೆರೆದು ಮನೆಯಿಂದ ಹೊರಡುತ್ತಾನೆ."),
        ("ne", "मानिस ढोका खोल्छ र घरबाट निस्कन्छ।"),
    ],
)
def test_a_sentence_is_in_its_own_language_and_not_in_english(code, text):
    assert verify_language(text, [code]).is_in
    assert not verify_language(text, ["en"]).is_in
    english = "A man opens the door and leaves the house."
    assert not verify_language(english, [code]).is_in

from __future__ import annotations

import pytest
from deciding import params_of, passes, seen, settled
from pydantic import ValidationError

SPANISH = "El hombre abre la puerta y sale de la casa. Después corre hacia el coche."
ENGLISH = "The man opens the door and leaves the house. Then he runs to the car."
CHINESE = "这个男人打开门，离开房子，然后跑向汽车。"


@pytest.mark.parametrize(
    ("text", "languages", "expected"),
    [
        (SPANISH, ["Spanish"], True),
        (SPANISH, ["es"], True),
        (ENGLISH, ["Spanish"], False),
        (SPANISH, ["English"], False),
        (f"Here is the answer that you asked for in Spanish:\n{SPANISH}", ["Spanish"], False),
        (f"# Resumen\n\n- {SPANISH}", ["Spanish"], True),
        ("O homem abre a porta e sai da casa correndo.", ["Spanish"], False),
        (CHINESE, ["Chinese"], True),
        (ENGLISH, ["Chinese"], False),
        (CHINESE, ["zh-hans"], True),
        (CHINESE, ["zh-hant"], False),
        ("這個男人打開門，離開房子。", ["zh-hant"], True),
        ("男性がドアを開けて家を出る。", ["Japanese"], True),
        ("男性がドアを開けて家を出る。", ["Chinese"], False),
        (CHINESE, ["Japanese"], False),
        ("남자가 문을 열고 집을 나간다.", ["Korean"], True),
        ("Мужчина открывает дверь и выходит из дома.", ["Russian"], True),
        ("वह आदमी दरवाज़ा खोलता है और बाहर जाता है।", ["Hindi"], True),
        (f"{ENGLISH}\n{CHINESE}", ["English", "Chinese"], True),
        (ENGLISH, ["English", "Chinese"], False),
        (f"{SPANISH}\n{CHINESE}", ["English", "Chinese"], False),
        ("Sí", ["Spanish"], True),
        ("Yes", ["Spanish"], False),
        ("OK", ["Spanish"], True),  # Two letters tell nothing.
        ("12:05", ["Spanish"], False),
        (f"```python\nprint('the door is open and the man leaves')\n```\n{SPANISH}", ["es"], True),
    ],
)
def test_the_whole_answer_is_in_the_language(text, languages, expected):
    assert passes("response_language", text, languages=languages) is expected


def test_terms_that_the_instruction_asks_for_are_no_foreign_words():
    text = "这是 touchdown replay highlight show 的画面。"
    assert not passes("response_language", text, languages=["zh"])
    terms = ["touchdown replay highlight show"]
    assert passes("response_language", text, languages=["zh"], allow_terms=terms)


@pytest.mark.parametrize("languages", [[], ["Klingon"], ["en", "zh", "es"]])
def test_languages_that_cannot_be_verified_are_refused(languages):
    with pytest.raises(ValidationError):
        params_of("response_language", languages=languages)


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ('It reads "NO ENTRY".', {"case": "upper"}, True),
        ('It reads "No entry".', {"case": "upper"}, False),
        ("It reads “NO ENTRY 24”, not 「STOP」.", {"case": "upper"}, True),
        ("It's the guard's \"STOP\".", {"case": "upper"}, True),  # Apostrophes are no quotes.
        ("It reads 'no entry'.", {"case": "upper"}, False),
        ("It says nothing.", {"case": "upper"}, None),
        ("It says nothing.", {"case": "upper", "required": True}, False),
        ('It reads "No Entry"', {"case": "title"}, True),
        ('It reads "No entry"', {"case": "title"}, False),
        ('It reads "24"', {"characters": "digits"}, True),
        ('It reads "2A"', {"characters": "digits"}, False),
        ('It reads "стоп"', {"script": "Cyrillic"}, True),
        ('It reads "stop"', {"script": "Cyrillic"}, False),
        ('It reads "A-12"', {"pattern": r"[A-Z]-\d+"}, True),
        ('It reads "A-12b"', {"pattern": r"[A-Z]-\d+"}, False),
        ("ALL OF IT", {"target": "all", "case": "upper"}, True),
        ("all of it", {"target": "all", "case": "upper"}, False),
        ("anything", {}, None),
    ],
)
def test_characters_of_quotations_are_checked_by_script(text, params, expected):
    assert settled("text_type_restriction", text, **params) is expected


@pytest.mark.parametrize("params", [{"script": "Elvish"}, {"pattern": "(a+)+"}, {"case": "mixed"}])
def test_text_types_that_nobody_can_check_are_refused(params):
    with pytest.raises(ValidationError):
        params_of("text_type_restriction", **params)


def test_the_judge_of_perspective_is_told_of_pronouns_outside_quotations():
    told = seen("first_person_perspective", 'I open it. "He is here", I say to my friend.')
    assert "3 words of the first person and 0 of the third" in told


def test_the_judge_of_tenses_gets_numbered_sentences_and_the_rules():
    rules = [{"which": "first", "tense": "past"}]
    told = seen("temporal_tense_constraint", "It went. It had gone at 3.5 s.", rules=rules)
    assert told == (
        "it has 2 sentences: [1] It went. [2] It had gone at 3.5 s. Asked for: first: past."
    )

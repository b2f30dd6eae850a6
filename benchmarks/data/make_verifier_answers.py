"""Writes verifier_answers.jsonl: 400 answers of about 1,000 characters, three checks on each.

All of it is made up from the sentences below by a seeded generator; run it again to get the
same file. Three of SciMIF's five categories of scripted general constraints are drawn for each
answer and one constraint of each, as its construction injects them (at most one a category);
an answer that is to have a data format has it. About four in ten answers have a defect.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

OUT = Path(__file__).with_name("verifier_answers.jsonl")
COUNT = 400
CHARACTERS = 1_000

SENTENCES = (
    "The sample was heated to {t:.1f} °C and held there for {n} minutes.",
    "From Hooke's law the spring constant is {x:.2f} N/m.",
    "The diffraction peaks at 2θ = {t:.2f}° belong to the (110) plane.",
    "We therefore find a density of {x:.3f} g/cm³ for the alloy.",
    "Ethanol, C2H5OH, boils at a lower temperature than water does.",
    "The enzyme loses half of its activity within {n} hours.",
    "A star of this type has a surface temperature near {k} K.",
    "The current through the second resistor is {x:.2f} A.",
    "At the boundary, oceanic crust sinks below the lighter continent.",
    "Taking logarithms of both sides gives a straight line of slope {x:.2f}.",
    "The residue at position {n} is exposed to the solvent.",
    "No further reaction takes place once the catalyst is removed.",
    "Its refractive index, {x:.4f}, agrees with the table to three digits.",
    "Hence the total energy is {x:.2f} × 10^{n} J, as the balance requires.",
)
OPTIONS = ("stable", "unstable", "metastable")


def prose(rng: random.Random, characters: int) -> str:
    """Plain sentences, in paragraphs."""
    words: list[str] = []
    while sum(map(len, words)) < characters:
        sentence = rng.choice(SENTENCES).format(
            t=rng.uniform(20, 900),
            n=rng.randint(2, 60),
            x=rng.uniform(0.1, 90),
            k=rng.randint(3, 40) * 1000,
        )
        words.append(sentence + ("\n\n" if rng.random() < 0.15 else " "))
    return "".join(words).strip()


def records(rng: random.Random, characters: int) -> list[dict[str, Any]]:
    """Rows of measurements, as many as fill the characters."""
    return [
        {
            "sample": f"S-{number:02d}",
            "mass_g": round(rng.uniform(1, 9), 2),
            "phase": rng.choice(OPTIONS),
        }
        for number in range(1, characters // 58 + 1)
    ]


# ── One answer of each format ────────────────────────────────────────────────────────


def as_json(rng: random.Random, is_good: bool) -> tuple[str, str, dict[str, Any]]:
    text = json.dumps({"rows": records(rng, CHARACTERS - 200), "note": prose(rng, 150)}, indent=1)
    if rng.random() < 0.5:
        text = f"```json\n{text}\n```"
    if not is_good:
        text = rng.choice(
            (text.replace('"', "'"), f"Here is the JSON:\n{text}", text.replace("}]", "},]"))
        )
    return (
        "general:json_constraint",
        text,
        {"required_keys": ["rows"]} if rng.random() < 0.5 else {},
    )


def as_list(rng: random.Random, is_good: bool) -> tuple[str, str, dict[str, Any]]:
    rows = [[row["sample"], row["mass_g"], row["phase"]] for row in records(rng, CHARACTERS)]
    text = repr(rows) if is_good else "\n".join(f"- {row}" for row in rows)
    return "general:list_constraint", text, {"min_length": 2}


def as_tuple(rng: random.Random, is_good: bool) -> tuple[str, str, dict[str, Any]]:
    rows = tuple((row["sample"], row["mass_g"]) for row in records(rng, 3 * CHARACTERS))
    return "general:tuple_constraint", repr(rows if is_good else list(rows)), {}


def as_dictionary(rng: random.Random, is_good: bool) -> tuple[str, str, dict[str, Any]]:
    rows = {row["sample"]: row for row in records(rng, CHARACTERS)}
    text = repr(rows) if is_good else repr(rows).replace("'S-01'", "S-01")
    return "general:dictionary_constraint", text, {}


def as_csv(rng: random.Random, is_good: bool) -> tuple[str, str, dict[str, Any]]:
    rows = records(rng, 3 * CHARACTERS)
    lines = ["sample,mass_g,phase"]
    lines += [f"{row['sample']},{row['mass_g']},{row['phase']}" for row in rows]
    if not is_good:
        lines[5] += ",extra"
    return "general:csv_constraint", "\n".join(lines), {"columns": 3}


def as_xml(rng: random.Random, is_good: bool) -> tuple[str, str, dict[str, Any]]:
    rows = "\n".join(
        f'<row id="{row["sample"]}"><mass>{row["mass_g"]}</mass><phase>{row["phase"]}</phase></row>'
        for row in records(rng, CHARACTERS - 200)
    )
    text = f"<answer>\n{rows}\n</answer>"
    return (
        "general:xml_constraint",
        text if is_good else text.replace("</mass>", "", 1),
        {"root": "answer"},
    )


def as_html(rng: random.Random, is_good: bool) -> tuple[str, str, dict[str, Any]]:
    rows = "".join(
        f"<li><b>{row['sample']}</b>: {row['mass_g']} g, {row['phase']}</li>\n"
        for row in records(rng, CHARACTERS - 300)
    )
    text = f"<h2>Result</h2>\n<p>{prose(rng, 250)}</p>\n<ul>\n{rows}</ul>"
    return "general:html_constraint", text if is_good else text.replace("</b>", "", 1), {}


def as_markdown(rng: random.Random, is_good: bool) -> tuple[str, str, dict[str, Any]]:
    if not is_good:
        return "general:markdown_constraint", prose(rng, CHARACTERS), {}
    rows = "\n".join(
        f"| {row['sample']} | {row['mass_g']} | {row['phase']} |" for row in records(rng, 400)
    )
    text = (
        f"## Result\n\n{prose(rng, 300)}\n\n| sample | mass | phase |\n|---|---|---|\n{rows}\n\n"
        f"- **Phase**: {rng.choice(OPTIONS)}\n- *Note*: {prose(rng, 100)}"
    )
    return "general:markdown_constraint", text, {"require": ["table"]} if rng.random() < 0.3 else {}


def as_prose(rng: random.Random, is_good: bool) -> tuple[str, str, dict[str, Any]]:
    text = prose(rng, CHARACTERS - 60)
    box = rf"$\boxed{{{rng.uniform(1, 9):.2f}\ \text{{kg}}}}$." if is_good else r"\boxed{}"
    return "general:wrap_up", f"{text} The answer is {box}", {}


FORMATS = (
    as_json, as_list, as_tuple, as_dictionary, as_csv, as_xml, as_html, as_markdown,
)  # fmt: skip

# One constraint of each category, beside C2, whose constraints are the formats above.
CATEGORIES: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "C1": (
        ("general:decimal_number", {"places": 2, "scope": "all"}),
        ("general:decimal_number", {"places": 2, "scope": "final"}),
        ("general:scientific_annotation", {}),
        ("general:all_lowercase", {}),
        ("general:all_uppercase", {}),
    ),
    "C3": (
        ("general:choose_from", {"options": list(OPTIONS), "mode": "contains"}),
        ("general:judge", {}),
    ),
    "C4": (("general:wrap_up", {}), ("general:wrap_up", {"last": True})),
    "C6": (("general:response_structure", {"position": "end"}),),
}


def answer(rng: random.Random) -> tuple[str, list[dict[str, Any]]]:
    """A text and its checklist."""
    drawn = rng.sample(("C1", "C2", "C3", "C4", "C6"), 3)
    is_good = rng.random() < 0.6
    name, text, params = (rng.choice(FORMATS) if "C2" in drawn else as_prose)(rng, is_good)
    items = [{"constraint": name, "params": params}] if "C2" in drawn else []
    for category in drawn:
        if category != "C2":
            name, params = rng.choice(CATEGORIES[category])
            items.append({"constraint": name, "params": params})
    return text, items


def main() -> None:
    rng = random.Random(20260)
    with OUT.open("w", encoding="utf-8", newline="\n") as file:
        for number in range(COUNT):
            text, items = answer(rng)
            line = {"id": f"answer-{number:03d}", "response": text, "checklist": items}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    print(f"{OUT.name}: {COUNT} answers, {OUT.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

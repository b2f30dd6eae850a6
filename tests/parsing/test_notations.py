import time

import pytest

from ifbench.parsing.notations import find_molecule

pytest.importorskip("rdkit")

ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"


@pytest.mark.parametrize(
    ("text", "notation"),
    [
        # JSON, whole or broken by a bare backslash.
        ('{"molecule": "CCO"}', "CCO"),
        ('{"SMILES": "CCO", "note": "c1ccccc1 is benzene"}', "CCO"),
        ("{'smiles': 'CCO'}", "CCO"),
        ('```json\n{"smiles": "CCO"}\n```', "CCO"),
        (r'{"molecule": "F/C=C\F"}', r"F/C=C\F"),
        (r'{"molecule": "F/C=C\\F"}', r"F/C=C\F"),
        (r'{"molecule": "C/C=C\n1cccc1"}', r"C/C=C\n1cccc1"),
        (r'{"molecule": "C\u003dC"}', "C=C"),
        ('{"molecule": ""}', ""),
        ('{"molecule": " CCO "}', "CCO"),
        ('{"molecule": "CCC"} No: {"molecule": "CCO"}', "CCO"),
        # Tags and boxes.
        ("<SMILES>CCO</SMILES>", "CCO"),
        ("I think <smiles> CCO </smiles> fits `CCN`.", "CCO"),
        (r"\boxed{CCO}", "CCO"),
        ("<answer>CCO</answer>", "CCO"),
        ("<answer>It is CC(=O)O.</answer>", "CC(=O)O"),
        (r"$\text{CCO}$", "CCO"),
        (r"So $\boxed{\text{CCO}}$.", "CCO"),
        # Code.
        ("The product is `CCO`.", "CCO"),
        ("The product is `C1CC`.", "C1CC"),
        (f"Run `rdkit` on `{ASPIRIN}`, made of `C` and `O` only.", ASPIRIN),
        ("`CCO` and again `CCO`", "CCO"),
        ("`H2O` is lost from `CCO`", "CCO"),
        ("```\nCCO\n```", "CCO"),
        ("```smiles\nC1CC\n```\nas asked", "C1CC"),
        ("```\nCC this is junk\n```", "CC this is junk"),
        ("```python\nx = 1\n```\nSMILES: CCO", "CCO"),
        # Labels.
        ("SMILES: CCO", "CCO"),
        ("SMILES: CCO.", "CCO"),
        ("SMILES: CCO (ethanol)", "CCO"),
        ("smiles string = CCO", "CCO"),
        ("**SMILES:** `CCO`", "CCO"),
        ("**SMILES**: **CC(C)O**", "CC(C)O"),
        ("**SMILES:**CCO", "CCO"),
        ("SMILES: *CC*", "*CC*"),
        ("Answer (SMILES): CCO", "CCO"),
        ("SMILES：CCO", "CCO"),
        ("SMILES:\n\nCC(=O)O\n", "CC(=O)O"),
        ("The SMILES of the product is CCO.", "CCO"),
        ("SMILES: CCX", "CCX"),
        (f"The SMILES string of aspirin is {ASPIRIN}.", ASPIRIN),
        (f"SMILES for aspirin: {ASPIRIN}", ASPIRIN),
        ("分子的SMILES为：CC(=O)O。", "CC(=O)O"),
        ("其SMILES字符串是CC(=O)O，即乙酸。", "CC(=O)O"),
        ("该分子是CC(=O)O。", "CC(=O)O"),
        ("SMILES: C1CC", "C1CC"),
        ("SMILES: CCN. After correction, SMILES: CCO", "CCO"),
        ("`CCN` or `CCO`? SMILES: `CCO`", "CCO"),
        ("SMILES is a notation. The molecule is CC(=O)O.", "CC(=O)O"),
        # The whole text.
        ("CCO", "CCO"),
        ("  CCO\n", "CCO"),
        ("ethanol", "ethanol"),
        ("['CCO']", "CCO"),
        ('("CCO",)', "CCO"),
        ("**CCO**", "CCO"),
        ("[Na+]", "[Na+]"),
        ("CCO>>CC=O", "CCO>>CC=O"),
        # The longest word that reads.
        (f"Aspirin ({ASPIRIN}) is not CC(=O)O.", ASPIRIN),
        ("The molecule is [Na+].", "[Na+]"),
        ("It is (CC(=O)O, of course).", "CC(=O)O"),
        ("Acid CC(=O)O or amide CC(=O)N in 2.5 mL", "CC(=O)N"),
        # A step of a reaction is no single molecule, on either side of its arrow.
        ("CCO -> CC=O", "CCO -> CC=O"),
        ("CC(=O)O => CCO", "CC(=O)O => CCO"),
        ("`CCO` → `CC=O`", "CCO` → `CC=O"),
        ("SMILES: CCO >> CC=O", "CCO >> CC=O"),
        ("Ethanol → CC(=O)O", "CC(=O)O"),
        ("C1CC1 → cyclopropane", "C1CC1"),
        ("CC(=O)O\n> a quotation", "CC(=O)O"),
    ],
)
def test_smiles_is_found_where_the_answer_gives_it(text, notation):
    assert find_molecule(text) == notation


@pytest.mark.parametrize(
    "text",
    [
        "I do not know.",
        "No, it is not I who knows.",
        "It is H2O with C6H12O6 in 2.5 mL (see [3]).",
        "Ethanol, CCO, has two carbon atoms.",
        "x = [1, 2, 3] (see a=b)",
        "Either `CCO` or `CCN`.",
        "```\nfirst\nsecond\n```",
        "",
    ],
)
def test_text_without_a_molecule_that_rules_can_find_needs_a_reader(text):
    assert find_molecule(text) is None


def test_field_of_the_asked_name_comes_first():
    text = '{"smiles": "CCN", "final answer": "CCO"}'
    assert find_molecule(text, key="final answer") == "CCO"
    assert find_molecule(text) == "CCN"
    assert find_molecule(text, key="product") == "CCN"


@pytest.mark.parametrize(
    ("text", "system", "notation"),
    [
        ("It is InChI=1S/CH4/h1H4.", "inchi", "InChI=1S/CH4/h1H4"),
        ("InChI: InChI=1S/CH4/h1H4", "inchi", "InChI=1S/CH4/h1H4"),
        ('{"inchi": "InChI=1S/CH4/h1H4"}', "inchi", "InChI=1S/CH4/h1H4"),
        ("SMILES: CCO", "inchi", None),
        ("The SELFIES is [C][C][O].", "selfies", "[C][C][O]"),
        ("`[C][C][O]`", "selfies", "[C][C][O]"),
        ("SELFIES: CCO", "selfies", None),
        ("**IUPAC name:** 2-methylpropan-1-ol", "iupac", "2-methylpropan-1-ol"),
        ("IUPAC name: acetic acid\nIt is sour.", "iupac", "acetic acid"),
        ('{"name": "acetic acid"}', "iupac", "acetic acid"),
        ("The compound is acetic acid, of course.", "iupac", None),
    ],
)
def test_other_systems_have_places_of_their_own(text, system, notation):
    assert find_molecule(text, system) == notation


@pytest.mark.parametrize(
    "text",
    [
        "[" * 20_000,
        "(" * 200_000,
        "`" * 200_000,
        "`a" * 100_000,
        "`C1`" * 20_000,
        '"smiles":"' * 20_000,
        "<smiles>" * 20_000,
        "SMILES: " * 20_000,
        "SMILES " * 20_000,
        "\\boxed{" * 30_000,
        "->" * 100_000,
        "C1 > " * 20_000,
        "CC(=O)O " * 20_000,
        "C" * 200_000,
        "=" * 200_000,
        "\ud800 \x00",
    ],
)
@pytest.mark.parametrize("system", ["smiles", "inchi", "selfies", "iupac"])
def test_hostile_text_takes_little_time(text, system):
    begin = time.process_time()
    find_molecule(text, system)
    assert time.process_time() - begin < 10


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("[C] [C] [O]", "[C] [C] [O]"),
        ("The string is [C][C] [O].", "[C][C] [O]"),
        ("It is [C][C][O] (see [1]).", "[C][C][O]"),
    ],
)
def test_one_symbol_of_a_row_is_not_its_molecule(text, row):
    assert find_molecule(text, "selfies") == row

"""Geography drafts: maps, distances, densities, scenes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from ifbench.benchmarks.scimif.starter.draft import Draft, demand
from ifbench.benchmarks.scimif.starter.pictures import contour_map, town_map

EARTH_RADIUS_KM = 6371.0


def geography() -> Iterator[Draft]:
    """Eighteen samples."""
    yield from _maps()
    yield from _numbers()
    yield from _words()
    yield from _disciplined()


def great_circle_km(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Between two points in degrees of latitude and longitude, on a sphere."""
    a, b = (math.radians(value) for value in (one[0], other[0]))
    turn = math.radians(other[1] - one[1])
    cosine = math.sin(a) * math.sin(b) + math.cos(a) * math.cos(b) * math.cos(turn)
    return EARTH_RADIUS_KM * math.acos(cosine)


def _maps() -> Iterator[Draft]:
    towns = {"Arden": (90.0, 200.0), "Brook": (330.0, 110.0), "Calder": (210.0, 60.0)}
    scale = 20.0  # km on 100 px
    (x1, y1), (x2, y2) = towns["Arden"], towns["Brook"]
    km = math.hypot(x2 - x1, y2 - y1) / 100 * scale
    drawn = partial(town_map, towns, scale)
    yield Draft(
        id="geography-map-distance",
        discipline="geography",
        task_type="earth_calculation_task",
        question="How far is it in a straight line from Arden to Brook, in km? Use the scale bar.",
        reference=f"{km:.0f}",
        demands=(demand("decimal_number", places=0), demand("wrap_up")),
        good=f"\\boxed{{{km:.0f}}}",
        bad=f"\\boxed{{{km:.1f}}}",
        picture=drawn,
    )
    yield Draft(
        id="geography-map-north",
        discipline="geography",
        task_type="earth_scene_option",
        question="Does Calder lie north of Arden on this map?",
        reference="yes",
        demands=(demand("judge"),),
        good="yes",
        bad="Calder lies to the north.",
        picture=drawn,
    )
    yield Draft(
        id="geography-map-towns",
        discipline="geography",
        task_type="earth_address_format",
        question="Which towns does the map show, from west to east?",
        reference="Arden, Calder, Brook",
        demands=(demand("list_constraint", length=3),),
        good="['Arden', 'Calder', 'Brook']",
        bad="Arden, Calder, Brook",
        picture=drawn,
    )
    yield Draft(
        id="geography-contours-interval",
        discipline="geography",
        task_type="earth_calculation_task",
        question="What is the contour interval of this map, in metres?",
        reference="50",
        demands=(demand("json_constraint", required_keys=["interval_m"]),),
        good='{"interval_m": 50}',
        bad="interval_m: 50",
        picture=partial(contour_map, (100, 150, 200, 250)),
    )


def _numbers() -> Iterator[Draft]:
    km = great_circle_km((0.0, 0.0), (0.0, 90.0))
    yield Draft(
        id="geography-great-circle",
        discipline="geography",
        task_type="earth_calculation_task",
        question=(
            "Two places lie on the equator, a quarter of the globe apart. How long is the shortest "
            "way between them over the surface, in km? Take a radius of 6371 km."
        ),
        reference=f"{km:.0f}",
        demands=(demand("scientific_annotation"),),
        good=f"{km / 10**4:.3f} × 10^4 km",
        bad=f"{km:.0f} km",
    )
    people, area = 1_200_000, 480
    yield Draft(
        id="geography-density",
        discipline="geography",
        task_type="earth_calculation_task",
        question=(
            f"A region of {area} km² has {people} inhabitants. "
            "What is its population density per km²?"
        ),
        reference=f"{people / area:.0f}",
        demands=(
            demand("csv_constraint", header=["quantity", "value"]),
            demand("decimal_number", places=1),
        ),
        good=f"quantity,value\ndensity,{people / area:.1f}",
        bad=f"quantity,value\ndensity,{people / area:.0f}",
    )
    yield Draft(
        id="geography-lapse-rate",
        discipline="geography",
        task_type="earth_reasoning_steps",
        question=(
            "Air cools by 6.5 °C for each km of height. It is 20 °C at sea level. "
            "What is the temperature at 2 km, in °C?"
        ),
        reference="7.0",
        demands=(
            demand("response_structure", position="beginning"),
            demand(
                "decimal_number",
                "Give the final answer with one decimal place.",
                places=1,
                scope="final",
            ),
        ),
        good="Final answer: 7.0 °C\n\nThe air loses 6.5 degrees on each of two kilometres.",
        bad="The air loses 13 degrees in all.\n\nFinal answer: 7.0 °C",
    )
    hours = (30 - -45) / 15
    yield Draft(
        id="geography-solar-time",
        discipline="geography",
        task_type="earth_calculation_task",
        question=(
            "By how many hours does solar time at 30° E run ahead of that at 45° W? "
            "The Earth turns by 15° an hour."
        ),
        reference=f"{hours:g}",
        demands=(demand("tuple_constraint", length=1),),
        good=f"({hours:g},)",
        bad=f"({hours:g})",
    )


def _words() -> Iterator[Draft]:
    yield Draft(
        id="geography-layer",
        discipline="geography",
        task_type="earth_scene_option",
        question="In which layer of the atmosphere does nearly all weather take place?",
        reference="troposphere",
        demands=(demand("choose_from", options=["troposphere", "stratosphere", "mesosphere"]),),
        good="Troposphere.",
        bad="It is the troposphere, below the stratosphere.",
    )
    yield Draft(
        id="geography-continent",
        discipline="geography",
        task_type="earth_address_format",
        question="On which continent does the river Nile flow?",
        reference="AFRICA",
        demands=(demand("all_uppercase"),),
        good="AFRICA",
        bad="Africa",
    )
    yield Draft(
        id="geography-erosion",
        discipline="geography",
        task_type="earth_reasoning_steps",
        question="What wears a sea cliff away? Name processes of coastal erosion.",
        reference="hydraulic action, abrasion, attrition, solution",
        demands=(
            demand("number_response", "Give exactly 3 different processes.", n=3),
            demand("markdown_constraint"),
        ),
        good="- **hydraulic action**\n- **abrasion**\n- **solution**",
        bad="hydraulic action, abrasion and solution",
    )
    yield Draft(
        id="geography-water-cycle",
        discipline="geography",
        task_type="earth_reasoning_steps",
        question="Name the two processes by which water gets from land into the air.",
        reference="evaporation, transpiration",
        demands=(demand("html_constraint"),),
        good="<ul><li>evaporation</li><li>transpiration</li></ul>",
        bad="evaporation and transpiration",
    )
    yield Draft(
        id="geography-place",
        discipline="geography",
        task_type="earth_address_format",
        question="In which country and on which continent does Machu Picchu lie?",
        reference={"country": "Peru", "continent": "South America"},
        demands=(demand("xml_constraint", root="place"),),
        good="<place><country>Peru</country><continent>South America</continent></place>",
        bad="<place><country>Peru</country><continent>South America</place>",
    )


def _disciplined() -> Iterator[Draft]:
    """Addresses, scenes, a law and an analysis in steps."""
    yield Draft(
        id="geography-address-row",
        discipline="geography",
        task_type="earth_address_format",
        question="Where does the basilica Sagrada Família stand?",
        reference={"continent": "Europe", "country": "Spain", "city": "Barcelona"},
        demands=(
            demand(
                "geography:address_hierarchy",
                "Write the address alone, as continent, country, city, parted by commas.",
                level_names=["continent", "country", "city"],
                order="large_to_small",
            ),
        ),
        good="Europe, Spain, Barcelona",
        bad="Barcelona, Spain, Europe",
    )
    yield Draft(
        id="geography-address-keys",
        discipline="geography",
        task_type="earth_address_format",
        question="Which city lies at the foot of Table Mountain?",
        reference={"continent": "Africa", "country": "South Africa", "city": "Cape Town"},
        demands=(
            demand(
                "geography:address_hierarchy",
                "Give its address with the levels continent, country and city.",
                level_names=["continent", "country", "city"],
            ),
            demand("json_constraint", required_keys=["continent", "country", "city"]),
        ),
        good='{"continent": "Africa", "country": "South Africa", "city": "Cape Town"}',
        bad='{"continent": "Africa", "country": "South Africa", "city": ""}',
    )
    yield Draft(
        id="geography-scene",
        discipline="geography",
        task_type="earth_scene_option",
        question=(
            "A photograph from behind a windscreen shows wet asphalt, moving wipers, and street "
            "lamps under a black sky. Describe the scene."
        ),
        reference={
            "weather": "rainy",
            "lighting_condition": "night",
            "platform": "driving surface",
        },
        demands=(
            demand(
                "geography:scene_option_constraint",
                "Give one value for each field. weather: clear, cloudy, rainy; "
                "lighting_condition: day, dusk/dawn, night; "
                "platform: driving surface, walking surface.",
                fields={
                    "weather": ["clear", "cloudy", "rainy"],
                    "lighting_condition": ["day", "dusk/dawn", "night"],
                    "platform": ["driving surface", "walking surface"],
                },
            ),
        ),
        good="weather: rainy\nlighting_condition: night\nplatform: driving surface",
        bad="weather: wet\nlighting_condition: night\nplatform: driving surface",
    )
    flux = 12 * 0.005
    yield Draft(
        id="geography-darcy",
        discipline="geography",
        task_type="earth_calculation_task",
        question=(
            "An aquifer conducts 12 m a day, and its water table falls by 5 m on 1000 m. "
            "What is the specific discharge, in m a day?"
        ),
        reference=f"{flux:.2f}",
        demands=(
            demand(
                "geography:method_constraint",
                "Apply Darcy's law and name it.",
                methods=[{"name": "Darcy's law", "aliases": ["Darcy law"]}],
            ),
            demand("wrap_up"),
        ),
        good=f"By Darcy's law the discharge is conductivity times gradient: \\boxed{{{flux:.2f}}}",
        bad=f"Conductivity times gradient is {flux:.2f} m a day.",
    )
    runoff = 50e6 * 0.020 * 0.4
    yield Draft(
        id="geography-runoff",
        discipline="geography",
        task_type="earth_reasoning_steps",
        question=(
            "A catchment of 50 km² receives 20 mm of rain, of which 40 % run off. "
            "Which volume runs off, in m³?"
        ),
        reference=f"{runoff:.0f}",
        demands=(
            demand(
                "geography:analysis_steps_constraint",
                "First convert area and depth to metres, then compute the volume of rain, then "
                "take the share that runs off.",
                steps=[
                    "Convert area and depth of rain to metres",
                    "Compute the volume of the rain",
                    "Take the share that runs off",
                ],
            ),
            demand("response_structure", position="end"),
        ),
        good=(
            "1. The area is 5e7 m², the depth 0.02 m.\n2. Together they hold 1e6 m³.\n"
            f"3. Of this, 0.4 run off.\n\nFinal answer: {runoff:.0f} m³"
        ),
        bad=f"Final answer: {runoff:.0f} m³\n\nThis is 0.4 of the rain.",
    )

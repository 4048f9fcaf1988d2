"""The look's tokens: one source, readable in both schemes, one color per value."""

import re
from pathlib import Path

import pytest

from components import theme
from components.figures.template import template

CSS = (Path(theme.__file__).parents[1] / "assets/heliograph.css").read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", theme.SCHEMES)
def test_the_style_sheet_declares_the_tokens_of_the_theme(scheme: str) -> None:
    block = re.search(rf'\[data-mantine-color-scheme="{scheme}"\] \{{(.*?)\}}', CSS, re.DOTALL)[1]
    declared = dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6});", block))
    assert declared == {name: theme.token(name, scheme) for name in theme.TOKENS}


def luminance(color: str) -> float:
    channels = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colors as WCAG 2.1 defines it."""
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", theme.SCHEMES)
@pytest.mark.parametrize("name", ["ink", "muted", "accent", "good", "bad"])
def test_text_is_readable_on_cards_in_both_schemes(name: str, scheme: str) -> None:
    assert contrast(theme.token(name, scheme), theme.token("surface", scheme)) >= 4.5


@pytest.mark.parametrize("scheme", theme.SCHEMES)
def test_lines_stand_out_from_cards_in_both_schemes(scheme: str) -> None:
    colors = [*theme.CLUSTER_COLORS, *(style[0] for style in theme.POLICIES.values())]
    weakest = min(colors, key=lambda color: contrast(color, theme.token("surface", scheme)))
    assert contrast(weakest, theme.token("surface", scheme)) >= 2.2, weakest


def test_a_cluster_keeps_its_color_whatever_else_a_trace_has() -> None:
    alone = theme.cluster_styles(["Saturn"])
    together = theme.cluster_styles(["Uranus", "Saturn", "Venus", "Earth", "mine"])
    assert alone["Saturn"] == together["Saturn"]
    assert len(set(together.values())) == 5


def test_clusters_differ_in_line_style_too_until_the_styles_repeat() -> None:
    styles = theme.cluster_styles(theme.KNOWN_CLUSTERS)
    assert len({dash for _, dash in styles.values()}) == 4


def test_mantine_paints_dark_inputs_on_the_surface_of_the_cards() -> None:
    dark = theme.mantine()["colors"]["dark"]
    assert (dark[6], dark[4], dark[0]) == tuple(
        theme.token(name, "dark") for name in ("surface", "line", "ink")
    )


@pytest.mark.parametrize(("scheme", "label"), [("light", "#ffffff"), ("dark", "#0e1217")])
def test_red_buttons_are_filled_with_our_red_on_which_their_label_is_readable(
    scheme: str, label: str
) -> None:
    made = theme.mantine()
    filled = made["colors"]["red"][made["primaryShade"][scheme]]
    assert filled == theme.token("bad", scheme)
    assert contrast(label, filled) >= 4.5


def test_fonts_and_pictures_come_from_the_assets_alone() -> None:
    addresses = re.findall(r"url\(([^)]*)\)", CSS)
    assert addresses == ['"fonts/inter-latin.woff2"']
    folder = Path(theme.__file__).parents[1] / "assets/fonts"
    assert (folder / "inter-latin.woff2").read_bytes()[:4] == b"wOF2"
    assert "SIL Open Font License" in (folder / "inter-OFL.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", theme.SCHEMES)
def test_in_a_heat_map_more_stands_out_more_in_both_schemes(scheme: str) -> None:
    shades = [color for _, color in template(scheme)["data"]["heatmap"][0]["colorscale"]]
    against = [contrast(color, theme.token("surface", scheme)) for color in shades]
    assert against == sorted(against)
    assert against[-1] >= 7

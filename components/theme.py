"""Colors, type and spacing, in one place: the tokens, the palettes, and Mantine's theme made of them.

``assets/heliograph.css`` declares the same tokens as CSS variables; a test compares the two.
"""

from collections.abc import Iterable
from typing import Any

FONT = "Inter, system-ui, -apple-system, 'Segoe UI', sans-serif"

#: Token → (light, dark).
TOKENS: dict[str, tuple[str, str]] = {
    "background": ("#f6f7f9", "#0e1217"),
    "surface": ("#ffffff", "#151b23"),
    "line": ("#e4e7ec", "#27303b"),
    "ink": ("#1a2230", "#e8ebef"),
    "muted": ("#667085", "#93a0b0"),
    "accent": ("#b45309", "#f5a524"),
    "good": ("#0f766e", "#3fb8a5"),
    "bad": ("#b42318", "#f27a6b"),
}
SCHEMES = ("light", "dark")

#: Clusters take these in order; they survive color blindness and greyscale with the line styles below.
CLUSTER_COLORS = ("#0072B2", "#009E73", "#D98A00", "#B5578F", "#56B4E9", "#7A7A2E", "#C2620A", "#6B7280")
#: Long dashes: short ones turn a noisy line into dust.
LINE_STYLES = ("solid", "9px,2px", "4px,2px", "12px,2px,2px,2px")
#: The published clusters come first, so that they look the same in every trace.
KNOWN_CLUSTERS = ("Venus", "Earth", "Saturn", "Uranus")

#: Policy → (color, line style, line width): FIFO is the baseline, QSSF the one in question.
POLICIES: dict[str, tuple[str, str, float]] = {
    "fifo": ("#8a94a3", "solid", 1.6),
    "qssf": ("#c2620a", "solid", 2.6),
    "sjf": ("#0072B2", "dash", 1.8),
    "srtf": ("#009E73", "dot", 1.8),
    "smallest": ("#B5578F", "dashdot", 1.8),
    "gputime": ("#56B4E9", "longdash", 1.8),
    "fairshare": ("#8F8F2E", "longdashdot", 1.8),
    "srsf": ("#8B6FC0", "3px,5px", 1.8),
    "las": ("#D98A00", "14px,4px", 1.8),
    "priority": ("#D0605E", "8px,3px,2px,3px,2px,3px", 1.8),
}
#: Job status → (color, bar pattern).
STATUSES: dict[str, tuple[str, str]] = {
    "completed": ("#1b9e8a", ""),
    "cancelled": ("#98a2b3", "/"),
    "failed": ("#d55e00", "x"),
    "running": ("#0072B2", ""),
    "waiting": ("#e69f00", "."),
}
#: Node series → (color, line style; of an area its pattern).
NODE_SERIES: dict[str, tuple[str, str]] = {
    "in use": ("#0072B2", "solid"),
    "awake": ("#d9720a", "solid"),
    "present": ("#8a94a3", "dot"),
    "forecast": ("#009E73", "dash"),
    "asleep": ("#6f86d6", "/"),
}
#: GPU jobs and CPU jobs → (color, line style).
KINDS: dict[str, tuple[str, str]] = {"GPU jobs": ("#0072B2", "solid"), "CPU jobs": ("#D98A00", "dash")}
#: Jobs of one GPU or less, and of several → (color, bar pattern).
SIZES: dict[str, tuple[str, str]] = {"multi": ("#0072B2", ""), "single": ("#D98A00", "/")}
#: Classes of GPU counts, small to large → color.
SIZE_CLASSES: dict[str, str] = {
    "≤ 1": "#fff2d0",
    "≤ 2": "#fddc94",
    "≤ 4": "#f9bd4f",
    "≤ 8": "#eb9220",
    "≤ 16": "#d06b12",
    "≤ 32": "#ab460c",
    "> 32": "#7c2d07",
}
#: A quantity from little to much, readable in greyscale.
SEQUENTIAL = ("#fff7e0", "#fdd88a", "#f5a524", "#d9720a", "#a13d06", "#5c1f05")

#: From the worst to the best, by scheme: the worst fades into the card, and ink is read on each.
WORST_TO_BEST = {
    "light": ("#fff7e0", "#fdd88a", "#f5a524", "#d9720a"),
    "dark": ("#2b2722", "#553a18", "#7d4a12", "#9f550a"),
}


def in_order(clusters: Iterable[str]) -> list[str]:
    """Clusters in the order in which charts show them: the published ones first, then by name."""
    names = set(clusters)
    return [name for name in KNOWN_CLUSTERS if name in names] + sorted(names - set(KNOWN_CLUSTERS))


def cluster_styles(clusters: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Color and line style of each cluster of a trace; give all of them, so that a filter recolors none."""
    ordered = in_order(clusters)
    places = {name: KNOWN_CLUSTERS.index(name) for name in ordered if name in KNOWN_CLUSTERS}
    free = (place for place in range(len(ordered) + len(KNOWN_CLUSTERS)) if place not in places.values())
    places |= {name: next(free) for name in ordered if name not in KNOWN_CLUSTERS}
    return {
        name: (CLUSTER_COLORS[place % len(CLUSTER_COLORS)], LINE_STYLES[place % len(LINE_STYLES)])
        for name, place in places.items()
    }


def token(name: str, scheme: str) -> str:
    """The color of a token in the light or the dark scheme."""
    return TOKENS[name][SCHEMES.index(scheme)]


def mantine() -> dict[str, Any]:
    """Mantine's theme: our accent as primary color, and its greys replaced by ours in both schemes.

    Mantine paints dark inputs with ``dark[6]`` and their borders with ``dark[4]``: our surface and line.
    """
    return {
        "fontFamily": FONT,
        "primaryColor": "accent",
        "primaryShade": {"light": 7, "dark": 4},
        "black": token("ink", "light"),
        "autoContrast": True,
        "defaultRadius": "md",
        "fontSizes": {"xs": "11.5px", "sm": "12.5px", "md": "13.5px", "lg": "15px", "xl": "20px"},
        "radius": {"xs": "4px", "sm": "6px", "md": "8px", "lg": "10px", "xl": "16px"},
        "colors": {
            "accent": [
                "#fff8eb",
                "#feecc7",
                "#fdd88a",
                "#fbc04d",
                "#f5a524",
                "#e28a10",
                "#cc6d08",
                "#b45309",
                "#92400e",
                "#78350f",
            ],
            "red": [
                "#fef3f2",
                "#fee4e2",
                "#fecdca",
                "#fda29b",
                "#f27a6b",
                "#f04438",
                "#d92d20",
                "#b42318",
                "#912018",
                "#7a271a",
            ],
            "gray": [
                "#f6f7f9",
                "#eef0f3",
                "#e4e7ec",
                "#dde1e7",
                "#d0d5dd",
                "#98a2b3",
                "#667085",
                "#475467",
                "#344054",
                "#1a2230",
            ],
            "dark": [
                "#e8ebef",
                "#c9d0d9",
                "#93a0b0",
                "#6b7889",
                "#27303b",
                "#1f2731",
                "#151b23",
                "#0e1217",
                "#0b0e12",
                "#07090c",
            ],
        },
    }

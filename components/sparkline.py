"""A small line without axes beside a number: its course over the window."""

from collections.abc import Sequence
from urllib.parse import quote

from dash import html

from components.numbers import is_unknown

WIDTH, HEIGHT, MARGIN = 160, 30, 2
#: One grey that is visible on both surfaces: an image does not know the scheme.
COLOR = "#8a94a3"
MOST_POINTS = 120


def sparkline(values: Sequence[float | None], alt: str) -> html.Img | None:
    """The line, with gaps where a value is unknown; None for fewer than three. ``alt`` is read aloud."""
    shown = list(values)[:: -(-len(values) // MOST_POINTS) or 1]
    known = [float(value) for value in shown if not is_unknown(value)]
    if len(known) < 3:
        return None
    low, high = min(known), max(known)
    reach = (high - low) or 1.0
    step = (WIDTH - 2 * MARGIN) / (len(shown) - 1)
    path, pen = [], "M"
    for place, value in enumerate(shown):
        if is_unknown(value):
            pen = "M"
            continue
        x, y = MARGIN + place * step, HEIGHT - MARGIN - (float(value) - low) / reach * (HEIGHT - 2 * MARGIN)
        path.append(f"{pen}{x:.1f} {y:.1f}")
        pen = "L"
    line = f"<path d='{' '.join(path)}' fill='none' stroke='{COLOR}' stroke-width='1.4'/>"
    box = f"viewBox='0 0 {WIDTH} {HEIGHT}' preserveAspectRatio='none'"
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' {box}>{line}</svg>"
    return html.Img(src=f"data:image/svg+xml,{quote(svg)}", alt=alt, className="spark")

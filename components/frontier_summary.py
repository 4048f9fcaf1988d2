"""Whether the forecast is worth it: what the comparison of a frontier says, in a sentence."""

from collections.abc import Mapping
from typing import Any

from components.controllers import controller_title
from components.forecast_models import model_title
from components.numbers import listing, plural

#: Fewer nodes than this are no gain that anybody would notice.
NOTHING_NODES = 0.05
INSTEAD = {"none": "no forecast", "last": "the last value"}


def forecast_verdict(comparison: Mapping[str, Any], chosen: str | None = None) -> str:
    """Whether the model lets more nodes sleep than no forecast or the last value, at equal lack events."""
    gains = [each for each in comparison["forecasts"] if each["mean_nodes"] is not None]
    if not gains:
        return "The forecast was not compared: no two lines cover the same numbers of lack events."
    title = model_title(gains[0]["forecast"], chosen)
    clear = [each for each in gains if each["mean_nodes"] >= NOTHING_NODES and each["least_nodes"] >= 0]
    mixed = [each for each in gains if each["mean_nodes"] >= NOTHING_NODES and each["least_nodes"] < 0]
    if clear:
        return f"At equal lack events the forecast “{title}” lets {listing([_gain(each) for each in clear])}."
    if mixed:
        return (
            f"At equal lack events the forecast “{title}” makes no clear difference: it lets "
            f"{listing([_gain(each) for each in mixed])}, but fewer at some numbers of lack events."
        )
    return f"At equal lack events the forecast “{title}” adds nothing to any controller here."


def best_curve(comparison: Mapping[str, Any], limit: str = "true future") -> str:
    """Which controller lets the most nodes sleep at the lack events at which they are compared."""
    known = [
        each
        for each in comparison["curves"]
        if each["mean_sleeping_nodes"] is not None and each["forecast"] != limit
    ]
    if not known:
        return ""
    best = max(known, key=lambda each: each["mean_sleeping_nodes"])
    using = "" if best["forecast"] in (None, "none") else f" with “{model_title(best['forecast'])}”"
    title, asleep = controller_title(best["controller"]), best["mean_sleeping_nodes"]
    at = plural(comparison["at_lack_events"], "lack event")
    return f"At {at} {title}{using} lets the most nodes sleep, {asleep:.1f}."


def _gain(each: Mapping[str, Any]) -> str:
    instead = INSTEAD.get(each["instead_of"], each["instead_of"])
    title = controller_title(each["controller"])
    return f"{title} put {each['mean_nodes']:.1f} nodes more to sleep than {instead}"

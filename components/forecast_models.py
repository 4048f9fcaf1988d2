"""The forecast models as forms and results name them."""

#: Forecast models, the default first (energy.MODELS; a test compares the two).
MODEL_TITLES = {
    "seasonal": "level, day and week",
    "auto": "automatic, the best on the past",
    "last": "last value",
    "day": "same slot yesterday",
    "week": "same slot a week ago",
    "level": "level",
    "sarimax": "SARIMAX, day and week",
    "holt-winters": "Holt-Winters",
    "theta": "Theta",
    "stl": "shape of the day (STL)",
    "lightgbm": "gradient-boosted trees",
}
#: What stands in a forecast's place on the frontier.
FORESIGHT_TITLES = {"none": "no forecast", "true future": "true future (limit)"}


def model_title(name: str, chosen: str | None = None) -> str:
    """The title of a model, or of what stands in its place; of the automatic one with what it has chosen."""
    if name == "auto" and chosen:
        return f"automatic: {model_title(chosen)}"
    return MODEL_TITLES.get(name) or FORESIGHT_TITLES.get(name, name)

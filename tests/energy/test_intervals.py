"""Intervals against a plain computation, and how often they cover."""

import numpy as np
import pytest

from energy.adaptive import ERROR_SLOTS, LEAST_ERRORS, LOWEST_LEVEL, STEP, adaptive_bounds
from energy.family import fit
from energy.intervals import outlook, rolling_forecast

DAY = 144
TAILS = np.array([0.1, 0.025])


def walk(days, seed=1, missing=0.05, size=0.5):
    """A random walk of whole nodes, with missing slots."""
    rng = np.random.default_rng(seed)
    values = (90 + rng.normal(0, size, days * DAY).cumsum()).round()
    values[rng.random(values.size) < missing] = np.nan
    return values


def plain_bounds(values, mean, step, share):
    """Adaptive conformal inference as it is written down, slot by slot: low and high of one tail share."""
    errors = values - mean
    errors[: DAY + step - 1] = np.nan
    levels, bounds = [share, share], np.full((2, len(values)), np.nan)
    for target in range(len(values)):
        known = target - step
        if known >= 0 and not np.isnan(errors[known]):
            for side, bound in enumerate(bounds[:, known]):
                if np.isnan(bound):
                    continue
                miss = values[known] < bound - 1e-6 if side == 0 else values[known] > bound + 1e-6
                level = levels[side] + STEP / np.sqrt(step) * (share - miss)
                levels[side] = min(max(level, LOWEST_LEVEL), 0.5)
        window = errors[max(0, known + 1 - ERROR_SLOTS) : max(0, known + 1)]
        window = window[~np.isnan(window)]
        if len(window) >= LEAST_ERRORS:
            low, high = (max(level, 0.0) for level in levels)
            bounds[:, target] = mean[target] + np.quantile(window, [low, 1 - high])
    return bounds


@pytest.mark.parametrize("step", [1, 6, 144])
def test_bounds_are_those_of_adaptive_conformal_inference_computed_plainly(step):
    values = walk(11)
    mean = rolling_forecast(fit("last", values), values, step).mean
    bounds = adaptive_bounds(values, mean.copy(), step, TAILS)
    for tail, share in enumerate(TAILS):
        expected = plain_bounds(values, mean, step, share)
        np.testing.assert_allclose(bounds[:, tail], np.maximum(expected, 0), atol=1e-9)


def test_an_interval_is_unknown_until_enough_errors_are_past():
    values = np.arange(3.0 * DAY)
    step = 6
    got = rolling_forecast(fit("last", values), values, step)
    first_error = DAY + step - 1
    known_from = first_error + LEAST_ERRORS - 1 + step
    assert np.isnan(got.low[:known_from]).all()
    assert got.low[known_from] == got.high[known_from] == values[known_from]  # always 6 above the last value


@pytest.mark.parametrize("step", [1, 6, 30])
def test_whole_numbers_with_many_ties_are_covered_as_often_as_promised(step):
    values = walk(28, missing=0.0, size=0.6)  # at one slot a third of the errors are 0, and most others ±1
    made = rolling_forecast(fit("last", values), values, step)
    window = slice(14 * DAY, None)
    for low, high, promised in ((made.low, made.high, 0.8), (made.low_95, made.high_95, 0.95)):
        covered = ((low - 1e-6 <= values) & (values <= high + 1e-6))[window].mean()
        assert covered == pytest.approx(promised, abs=0.04)


def test_intervals_adapt_when_demand_becomes_restless():
    calm, restless = walk(10, missing=0.0, size=0.3), walk(10, seed=2, missing=0.0, size=3.0)
    values = 1000 + np.r_[calm, calm[-1] + restless - restless[0]]
    made = rolling_forecast(fit("last", values), values, 6)
    covered = ((made.low <= values) & (values <= made.high))[12 * DAY :].mean()
    assert covered == pytest.approx(0.8, abs=0.08)  # with the calm days' errors it would be 0.2


def test_the_95_per_cent_interval_holds_the_80_per_cent_one_nearly_always():
    values = walk(20)
    made = rolling_forecast(fit("level", values), values, 6)
    known = ~np.isnan(made.low)
    assert ((made.low_95 <= made.low) & (made.high <= made.high_95))[known].mean() > 0.99


def test_the_outlook_continues_the_rolling_forecast():
    values = walk(5)
    model = fit("level", values)
    ahead = outlook(model, values, 30)
    for step in (1, 6, 30):
        extended = rolling_forecast(model, np.r_[values, np.full(step, np.nan)], step)
        target = len(values) + step - 1
        for name in ("mean", "low", "high", "low_95", "high_95"):
            assert getattr(ahead, name)[step - 1] == pytest.approx(getattr(extended, name)[target])

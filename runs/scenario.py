"""The settings of a run: frozen, comparable, and the same in JSON, in a URL and in a result."""

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from runs.errors import RunError


@dataclass(frozen=True)
class SchedulingScenario:
    """A replay of a trace's GPU jobs.

    ``from_`` and ``to`` are dates or instants as text in the trace's time zone (empty: the whole
    trace); ``clusters`` and ``vcs`` empty means all; ``extra_nodes`` adds (or removes) nodes per VC,
    keyed ``cluster/vc``, and ``dated_nodes`` from a date on (``cluster/vc:nodes@date``); ``load_factor`` 1
    replays each job once, each taking ``duration_factor`` times as long.

    ``backfill`` lets jobs overtake a blocked head. Capacity is each VC's maximum in the window unless it
    follows its daily quota (``capacity_over_time``); the cluster is empty at the start unless it has the jobs
    that ran and waited then (``start_state``). ``moves`` sends the jobs of ``user:U`` or ``vc:A`` to a VC,
    ``merges`` gives all of a VC, nodes included, to another. ``tie_sensitivity`` replays with the order of
    equal submissions reversed too. The replay stops at ``until`` (empty: when the last job has ended).
    """

    trace: str
    clusters: tuple[str, ...] = ()
    vcs: tuple[str, ...] = ()
    from_: str = ""
    to: str = ""
    policies: tuple[str, ...] = ("fifo", "sjf", "qssf")
    placement: str = "consolidate"
    extra_nodes: dict[str, int] = field(default_factory=dict)
    load_factor: float = 1.0
    seed: int = 1
    backfill: bool = False
    capacity_over_time: bool = False
    start_state: bool = False
    duration_factor: float = 1.0
    dated_nodes: tuple[str, ...] = ()
    moves: dict[str, str] = field(default_factory=dict)
    merges: dict[str, str] = field(default_factory=dict)
    tie_sensitivity: bool = False
    until: str = ""

    kind = "scheduling"


@dataclass(frozen=True)
class SweepScenario:
    """A grid of replays: ``policies`` × ``nodes`` × ``load_factors`` × ``seeds`` in each of the clusters.

    ``nodes`` are steps of every VC's capacity (``x1.2``, ``+3``, ``-1``), ``seeds`` draws of a load. The
    other settings, those of ``base``, are the same in every replay.
    """

    trace: str
    clusters: tuple[str, ...] = ()
    vcs: tuple[str, ...] = ()
    from_: str = ""
    to: str = ""
    policies: tuple[str, ...] = ("fifo",)
    nodes: tuple[str, ...] = ("x1",)
    load_factors: tuple[float, ...] = (1.0,)
    seeds: tuple[int, ...] = (1,)
    placement: str = "consolidate"
    backfill: bool = False
    capacity_over_time: bool = False
    start_state: bool = False

    kind = "sweep"

    @property
    def base(self) -> SchedulingScenario:
        """The replay of all policies at the nodes and the load that there are."""
        return SchedulingScenario(
            self.trace,
            self.clusters,
            self.vcs,
            self.from_,
            self.to,
            self.policies,
            self.placement,
            backfill=self.backfill,
            capacity_over_time=self.capacity_over_time,
            start_state=self.start_state,
        )


@dataclass(frozen=True)
class PlanScenario:
    """What to find: the fewest ``nodes`` or the largest ``load`` (``by``) that meet a target.

    It is for one cluster, or some of its VCs, under one policy. ``target`` is text as ``runs.target`` reads
    it. The interval is of ``resamples`` draws of the window's weeks; ``seed`` draws them, and a load's jobs.
    """

    trace: str
    clusters: tuple[str, ...] = ()
    vcs: tuple[str, ...] = ()
    from_: str = ""
    to: str = ""
    policy: str = "fifo"
    target: str = "p95_queueing_delay_s<=3600"
    by: str = "nodes"
    resamples: int = 20
    seed: int = 1
    placement: str = "consolidate"
    backfill: bool = False
    start_state: bool = False

    kind = "plan"

    @property
    def base(self) -> SchedulingScenario:
        """The replay of the cluster as it is."""
        return SchedulingScenario(
            self.trace,
            self.clusters,
            self.vcs,
            self.from_,
            self.to,
            (self.policy,),
            self.placement,
            backfill=self.backfill,
            start_state=self.start_state,
        )


@dataclass(frozen=True)
class EnergyScenario:
    """A forecast of one cluster's node demand and the controller that lets nodes sleep.

    ``controller`` is one of ``energy.CONTROLLERS``; ``preset`` names a published parameter set of CES
    (empty: the cluster's own, else Earth's) and ``parameters`` replaces single ones. ``policy`` is the
    replay whose demand is studied; empty: the recorded node series, FIFO where there is none. A wake-up takes
    ``boot_time_s`` and fails with ``wake_failure_probability`` (seeded by ``seed``). ``forecast_only``
    leaves the controller out; ``frontier`` sweeps every controller's parameter as well; ``jobs`` replays
    the jobs of a replayed demand on the awake nodes (``runs.sleeping_jobs``).

    ``keep`` and ``drop`` are spans FROM/TO in the trace's time zone: marks of outages that the operator
    lifts, and slots to leave out. ``holidays`` are local dates, for the models that can use them.

    The power inputs are the operator's own: idle power in W, the cooling factor or in its place PUE, price
    per kWh, grams of CO₂e per kWh; None is unknown, and then no saving is computed. Sleep power (W) and the
    energy of a boot (Wh) are left out of it where they are None.
    """

    trace: str
    cluster: str
    from_: str = ""
    to: str = ""
    model: str = "seasonal"
    policy: str = ""
    controller: str = "ces"
    preset: str = ""
    parameters: dict[str, float] = field(default_factory=dict)
    boot_time_s: float = 0.0
    wake_failure_probability: float = 0.0
    seed: int = 1
    forecast_only: bool = False
    frontier: bool = False
    jobs: bool = True
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    holidays: tuple[str, ...] = ()
    idle_w: float | None = None
    sleep_w: float | None = None
    boot_wh: float | None = None
    cooling_factor: float | None = None
    pue: float | None = None
    price_per_kwh: float | None = None
    carbon_g_per_kwh: float | None = None

    kind = "energy"


@dataclass(frozen=True)
class ImportScenario:
    """A look at a file, a check of it, or its import (``step``: ``look``, ``check``, ``publish``).

    ``source`` and ``capacity`` name files as ``runs.import_files`` does; ``seen`` is the state of the source
    that was looked at, so that a file which changed meanwhile is not taken for it. The others are what an
    operator says about an import (``traces.formats.Wishes``, ``traces.intake.Plan``); empty is unsaid.
    """

    source: str
    step: str = "look"
    seen: str = ""
    format: str = ""
    trace: str = ""
    cluster: str = ""
    timezone: str = ""
    file_timezone: str = ""
    mapped: dict[str, str] = field(default_factory=dict)
    capacity: str = ""
    gpus_per_node: int | None = None
    vc_field: str = "Partition"
    adds: bool = False
    starts_over: bool = False
    pseudonymize: bool = False
    processors_are_gpus: bool = False
    ids_follow_submission: bool = False

    kind = "import"


Scenario = SchedulingScenario | SweepScenario | PlanScenario | EnergyScenario | ImportScenario
KINDS: dict[str, type[Scenario]] = {
    "scheduling": SchedulingScenario,
    "sweep": SweepScenario,
    "plan": PlanScenario,
    "energy": EnergyScenario,
    "import": ImportScenario,
}


def document(scenario: Scenario) -> dict[str, Any]:
    """The scenario as JSON-ready values; ``from_`` is called ``from``."""
    values = dataclasses.asdict(scenario)
    if "from_" in values:
        values["from"] = values.pop("from_")
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def scenario(kind: str, values: dict[str, Any]) -> Scenario:
    """The scenario that ``document`` wrote.

    Raises RunError for an unknown kind or an unknown setting.
    """
    if kind not in KINDS:
        raise RunError(f"There is no kind of run called {kind!r}; the kinds are {', '.join(KINDS)}.")
    values = {("from_" if name == "from" else name): value for name, value in values.items()}
    known = {each.name for each in dataclasses.fields(KINDS[kind])}
    if unknown := sorted(set(values) - known):
        raise RunError(f"A {kind} scenario has no setting called {unknown[0]!r}.")
    fixed: dict[str, Any] = {}
    for name, value in values.items():
        fixed[name] = tuple(value) if isinstance(value, list) else value
    return KINDS[kind](**fixed)

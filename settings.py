"""Every knob of Heliograph: name, default, unit and help, read once from ``HELIOGRAPH_*``.

``docs/reference/settings.md`` lists the same knobs; a test compares the two.
"""

from functools import lru_cache
from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """The settings of one process. Each field is set by ``HELIOGRAPH_<FIELD>`` in the environment."""

    model_config = SettingsConfigDict(env_prefix="HELIOGRAPH_", frozen=True, extra="ignore")

    data: Path = Field(Path("data"), description="Folder that holds traces, runs and the task queue.")
    host: str = Field("127.0.0.1", description="Address the server listens on.")
    port: int = Field(8050, ge=0, le=65535, description="Port the server listens on.")
    prefix: str = Field(
        "/", description="URL path under which a proxy that does not strip it serves the pages."
    )
    web_workers: int = Field(2, ge=1, le=64, description="gunicorn worker processes.")
    web_threads: int = Field(4, ge=1, le=64, description="Threads of each gunicorn worker.")
    auth: str = Field(
        "none", pattern="^(none|basic)$", description="`none` or `basic` (HTTP basic authentication)."
    )
    auth_file: Path | None = Field(
        None,
        description="File of `user:hash` lines for `basic`, hashes as `heliograph password` prints them.",
    )
    allow_unauthenticated_network: bool = Field(
        False,
        description="Listen beyond loopback without authentication; only behind a proxy that has its own.",
    )
    helios_url: str = Field(
        "https://github.com/S-Lab-System-Group/HeliosData/raw/master/data.zip",
        description="Where `heliograph fetch helios` downloads from; a mirror or file server works.",
    )
    helios_sha256: str = Field(
        "", description="SHA-256 that the downloaded release must have; not checked where empty."
    )
    import_most_mb: int = Field(
        20_000, ge=1, description="Largest size that an archive may unpack to at import, in MB."
    )
    query_threads: int = Field(
        2, ge=1, description="DuckDB threads: of an import all, of each web worker its share, at least one."
    )
    query_memory_mb: int = Field(1024, ge=128, description="DuckDB memory limit of each process, in MB.")
    query_timeout_s: float = Field(15.0, gt=0, description="Longest time a page's query may take, in s.")
    users: str = Field(
        "names",
        pattern="^(names|pseudonyms|off)$",
        description="How pages speak of users: by `names`, by `pseudonyms` made here, or not at all (`off`).",
    )
    live_poll_s: float = Field(
        30.0, ge=1, description="How often an open page asks whether newer data are imported, in s."
    )
    replay_jobs_in_web: int = Field(
        500_000,
        ge=0,
        description="Largest number of job replays (jobs × policies; a preemptive one counts 5 times, one "
        "with backfill 20 times) that a web worker does itself while a form changes. 0: none.",
    )
    upload_mb: int = Field(2048, ge=1, description="Largest file that the browser may upload, in MB.")
    upload_kept_h: float = Field(
        24.0, gt=0, description="How long an uploaded file and the record of its import are kept, in h."
    )
    import_folder: Path | None = Field(
        None, description="Folder whose files the Traces page offers for import; nothing else is read."
    )
    run_heartbeat_s: float = Field(2.0, gt=0, description="How often a running run says that it lives, in s.")
    run_lost_after_s: float = Field(
        15.0, gt=0, description="A run silent for this long is started again, in s."
    )
    run_attempts: int = Field(
        2, ge=1, description="How often a run whose worker died is started before it is called interrupted."
    )


@lru_cache(maxsize=1)
def current() -> Settings:
    """The settings of this process, read from the environment at the first call."""
    return Settings()

"""How gunicorn serves Heliograph; the knobs are in settings.py."""

from pathlib import Path

import settings

_knobs = settings.current()

wsgi_app = "app:server"
bind = f"{_knobs.host}:{_knobs.port}"
workers = _knobs.web_workers
threads = _knobs.web_threads
worker_class = "gthread"
preload_app = True  # import and warm up once, then fork; DuckDB opens after the fork
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None
control_socket_disable = True
limit_request_line = 8190  # an address that chooses many virtual clusters by name
timeout = 60
graceful_timeout = 5
accesslog = None
loglevel = "warning"


def post_worker_init(worker):
    """Open the data and load replays once in each worker, so that no visitor waits for it."""
    from app import load_replays, warm_worker

    warm_worker()
    load_replays()

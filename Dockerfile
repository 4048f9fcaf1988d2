# Heliograph in one image: `heliograph serve` (web and worker), or either alone (see compose.yaml).
FROM python:3.11-slim-bookworm

WORKDIR /app
ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1 \
    NUMBA_CACHE_DIR=/app/.cache/numba \
    HELIOGRAPH_DATA=/data \
    HELIOGRAPH_HOST=0.0.0.0

# LightGBM needs OpenMP's runtime.
RUN apt-get update \
    && apt-get install -y --no-install-recommends "libgomp1=12.*" \
    && rm -rf /var/lib/apt/lists/*

COPY requirements.txt pyproject.toml README.md ./
RUN python -m pip install --require-hashes -r requirements.txt

COPY app.py cli.py security.py serving.py settings.py gunicorn.conf.py ./
COPY assets/ assets/
COPY commands/ commands/
COPY components/ components/
COPY energy/ energy/
COPY pages/ pages/
COPY queries/ queries/
COPY runs/ runs/
COPY scheduling/ scheduling/
COPY traces/ traces/
RUN python -m pip install --no-deps --no-build-isolation -e . \
    && python -c "import scheduling; scheduling.compile_kernels()" \
    && mkdir -p /data \
    && chown 10001:10001 /data \
    && chmod -R a+rwX /app/.cache

USER 10001:10001
VOLUME /data
EXPOSE 8050
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8050/health', timeout=4)"]
CMD ["heliograph", "serve", "--with-demo"]

#!/bin/sh
# Make sure that there is a Chromium for the browser tests: found, from Debian, from Playwright, or a clear sentence.
set -u
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing Debian's chromium for the browser tests ..."
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core; } >/dev/null 2>&1 &&
        command -v chromium >/dev/null 2>&1 && exit 0
fi
.venv/bin/playwright install chromium >/dev/null 2>&1 && exit 0
echo "The browser tests need Chromium: install it (Debian: apt-get install chromium) and run make test again." >&2
exit 1

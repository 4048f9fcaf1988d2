"""How the kernels of this room are compiled, and cached on disk for the next process."""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


ROOM = Path(__file__).parent


@cache
def source_fingerprint(folder: Path) -> str:
    """A digest of the source files of this room and of ``folder``, in which a kernel's own file is."""
    digest = hashlib.sha256()
    for file in sorted({*ROOM.glob("*.py"), *folder.glob("*.py")}):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def kernel(function: Function) -> Function:
    """Compile ``function`` at its first call, without the interpreter's lock, and keep the result on disk.

    The compiled code lies in ``NUMBA_CACHE_DIR`` where that is set, else beside the source. Numba alone would
    reuse it as long as the kernel's *own* file is unchanged, although code of other files is compiled into
    it; here it is reused as long as no file of the room or of the kernel's folder has changed (and regardless
    of file times, so that a container image may carry it).
    """
    return _compiled(function, _nrt=True)


NOT_FROM_PYTHON = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def allocating_kernel(function: Function) -> Function:
    """As :func:`kernel`, for what only kernels call: without a way in from Python it compiles faster."""
    return _compiled(function, _nrt=True, **NOT_FROM_PYTHON)


def inner_kernel(function: Function) -> Function:
    """As :func:`allocating_kernel`, for what makes no array and returns none.

    It counts no references: counting those of all the arrays that are handed over (atomically, at each call)
    would take longer than the work itself.
    """
    return _compiled(function, _nrt=False, **NOT_FROM_PYTHON)


def part_of_kernel(function: Function) -> Function:
    """As :func:`inner_kernel`, for what the compiler is to write into its caller."""
    return _compiled(function, _nrt=False, forceinline=True, **NOT_FROM_PYTHON)


def _compiled(function: Function, **options: Any) -> Function:
    compiled = cast(Any, numba.njit(nogil=True, cache=True, **options)(function))
    store = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if store is not None:  # absent when numba is switched off for debugging
        store._source_stamp = source_fingerprint(Path(function.__code__.co_filename).parent)
        # The version is read before the rest, which another source may have written with types that are gone.
        store._version = f"{numba.__version__} {store._source_stamp}"
    return cast(Function, compiled)

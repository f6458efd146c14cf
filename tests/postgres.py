"""A server of PostgreSQL in a temporary folder, on a free port of this machine."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tests.servers import refuse


@contextmanager
def serve_postgres() -> Iterator[str]:
    """Start a server, and yield the address of its database; it trusts everybody."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        refuse("psycopg is not installed: pip install 'modlearn[postgres]'")
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1:]
    found = shutil.which("initdb") or (programs and programs[0] / "initdb")
    if not found:
        refuse("PostgreSQL is not installed: apt-get install postgresql")
    folder_of_programs = Path(str(found)).resolve().parent
    with tempfile.TemporaryDirectory() as name, closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        user = {"user": "postgres"} if os.geteuid() == 0 else {}  # it refuses to run as root
        folder = Path(name) / "data"
        if user:
            shutil.chown(name, "postgres")
        options = ["-D", str(folder), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"]
        quiet = {"check": True, "stdout": subprocess.DEVNULL, "cwd": name, **user}
        subprocess.run([folder_of_programs / "initdb", *options], **quiet)
        free.close()
        settings = f"-p {port} -c listen_addresses=127.0.0.1 -k {name} -F"
        control = [folder_of_programs / "pg_ctl", "-D", folder, "-w", "-l", Path(name) / "log"]
        subprocess.run([*control, "-o", settings, "start"], **quiet)
        try:
            yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
        finally:
            subprocess.run([*control, "-m", "immediate", "stop"], **quiet)


def empty_database(address: str) -> None:
    """Create the database of an address anew, whatever tables, views and schemas it held."""
    import psycopg

    server, _, name = address.rpartition("/")
    with psycopg.connect(f"{server}/template1", autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template0".encode())

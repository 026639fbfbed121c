"""What every test can have: a real Postgres, and in it a database of its own.

`TEST_DATABASE_URL` names a server to use (15 or later; its user must be allowed to create databases). Else the Postgres
that comes along is started, once for the whole run, in a folder of its own that is removed after it.

`TEST_POOLED=1` (`make test TEST_POOLED=1`) puts PgBouncer in transaction mode before it: then every database that a
fixture here hands out is reached through that. A test that is about the server itself asks for `direct`.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from service import migrate
from service.embedded import EmbeddedPostgres
from tests.pooler import pgbouncer, through

# How long an example takes to make or to try says how busy the machine is; what has to be quick is measured where that
# is the point.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

POOLED = os.environ.get("TEST_POOLED", "") not in ("", "0")
POOL_SIZE = 4
SERVER = pytest.StashKey[str]()
POOLER = pytest.StashKey[str]()
EMBEDDED = pytest.StashKey[tuple[EmbeddedPostgres, Path]]()
RUNNING = pytest.StashKey[ExitStack]()


def pytest_configure(config: pytest.Config) -> None:
    """A worker is handed the server that the run began with; see pytest_configure_node."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # As a shell starts what is to run behind it; whatever the tests start would take no notice of it either.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    worker = getattr(config, "workerinput", None)
    if worker is not None and "bragbook_server" in worker:
        config.stash[SERVER], config.stash[POOLER] = worker["bragbook_server"], worker["bragbook_pooler"]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node) -> None:
    node.workerinput["bragbook_server"] = start_server(node.config)
    node.workerinput["bragbook_pooler"] = start_pooler(node.config)


def start_server(config: pytest.Config) -> str:
    """How to connect to the server of this run, started at the first call."""
    if SERVER not in config.stash:
        named = os.environ.get("TEST_DATABASE_URL")
        if named:
            config.stash[SERVER] = named
        else:
            folder = Path(tempfile.mkdtemp(prefix="bragbook-tests-"))
            folder.chmod(0o711)  # as root, the server's user has to pass through
            embedded = EmbeddedPostgres(folder / "data")
            config.stash[EMBEDDED] = (embedded, folder)
            config.stash[SERVER] = embedded.start()
    return config.stash[SERVER]


def start_pooler(config: pytest.Config) -> str:
    """How the tests connect to that server: through a pooler, started at the first call, where one is asked for."""
    if POOLER not in config.stash:
        server = start_server(config)
        if POOLED:
            config.stash[RUNNING] = ExitStack()
            server = config.stash[RUNNING].enter_context(pgbouncer(server, POOL_SIZE))
        config.stash[POOLER] = server
    return config.stash[POOLER]


def pytest_unconfigure(config: pytest.Config) -> None:
    if RUNNING in config.stash:
        config.stash[RUNNING].close()
    if EMBEDDED in config.stash:
        embedded, folder = config.stash[EMBEDDED]
        embedded.stop()
        shutil.rmtree(folder, ignore_errors=True)


def create_database(server: str, template: str | None = None) -> str:
    """Make a database of a new name and return how to connect to it; a template may have nobody connected."""
    name = f"bragbook_test_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"create database {name}" + (f" template {template}" if template else ""))
    return make_conninfo(server, dbname=name)


def drop_database(server: str, conninfo: str) -> None:
    name = conninfo_to_dict(conninfo)["dbname"]
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"drop database if exists {name} with (force)")


@pytest.fixture(scope="session")
def postgres(request: pytest.FixtureRequest) -> str:
    """A running server: how to connect to it as a user who may create databases."""
    return start_server(request.config)


@pytest.fixture(scope="session")
def reached(request: pytest.FixtureRequest) -> Callable[[str], str]:
    """How the tests connect to a database of that server: through the pooler, where there is one."""
    pooler = start_pooler(request.config)
    return lambda conninfo: through(pooler, conninfo) if POOLED else conninfo


@pytest.fixture(scope="session")
def direct(postgres: str) -> Callable[[str], str]:
    """How to connect to a database of that server with nothing between."""
    return lambda conninfo: make_conninfo(postgres, dbname=str(conninfo_to_dict(conninfo)["dbname"]))


@pytest.fixture
def empty_database(postgres: str, reached: Callable[[str], str]) -> Iterator[str]:
    """A new database with nothing in it."""
    conninfo = create_database(postgres)
    yield reached(conninfo)
    drop_database(postgres, conninfo)


@pytest.fixture(scope="session")
def template(postgres: str) -> Iterator[str]:
    """The name of a migrated database to copy; nobody connects to it."""
    conninfo = create_database(postgres)
    migrate.apply(conninfo)
    yield str(conninfo_to_dict(conninfo)["dbname"])
    drop_database(postgres, conninfo)


@pytest.fixture(scope="module")
def database(postgres: str, template: str, reached: Callable[[str], str]) -> Iterator[str]:
    """A migrated database, shared by the tests of one file."""
    conninfo = create_database(postgres, template)
    yield reached(conninfo)
    drop_database(postgres, conninfo)


@pytest.fixture
def fresh_database(postgres: str, template: str, reached: Callable[[str], str]) -> Iterator[str]:
    """A migrated database for one test alone."""
    conninfo = create_database(postgres, template)
    yield reached(conninfo)
    drop_database(postgres, conninfo)

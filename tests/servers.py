"""What tests need besides Python: Java for Spark. Where it is missing, they are skipped."""

import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


def refuse(reason: str) -> None:
    """Skip, or fail where nothing may be skipped."""
    if os.environ.get("MODLEARN_NO_SKIP"):
        pytest.fail(reason)
    pytest.skip(reason)


def free_port() -> int:
    """Return a port of this machine that nobody uses."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


FAST = {
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "1",
}
"""Settings for queries of few rows, which take less time than to compile them."""

USUAL = {
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.shuffle.partitions": "3",
}
"""What users have instead."""


@contextmanager
def started_spark() -> Iterator[Any]:
    """Start Spark on two threads of this machine, with Spark Connect; nothing stays behind."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        refuse("Java is not installed: apt-get install default-jre-headless")
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        refuse("pyspark is not installed: pip install 'modlearn[spark]'")
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    with tempfile.TemporaryDirectory() as folder:
        settings = FAST | {
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": str(free_port()),
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.local.dir": folder,
            "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
            "spark.sql.session.timeZone": "America/New_York",
            "spark.sql.warehouse.dir": f"{folder}/warehouse",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }
        builder = SparkSession.builder.master("local[2]").appName("modlearn tests")
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        try:
            yield session
        finally:
            session.stop()


@contextmanager
def connected_to_spark(session: Any) -> Iterator[Any]:
    """Open a session of Spark Connect, whose server is that of another session."""
    try:
        import grpc  # noqa: F401
    except ImportError:
        refuse("Spark Connect needs gRPC: pip install 'pyspark[connect]'")
    from pyspark.sql.connect.session import SparkSession

    port = session.conf.get("spark.connect.grpc.binding.port")
    connected = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").create()
    try:
        yield connected
    finally:
        connected.stop()

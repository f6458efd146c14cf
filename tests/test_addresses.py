"""Passwords of addresses are never shown."""

import traceback

import pytest

from modlearn._addresses import hide_passwords, is_address, table_of, without_password
from modlearn._tables.files.formats import open_source
from modlearn.errors import FileError

SECRETS = [
    "postgresql://ada:s3cret@localhost/shop::orders",
    "postgres://ada:s3cret@[::1]:5432/shop::orders",
    "postgresql://ada:s3cret@x/s3cret@localhost/shop::orders",  # an @ and a / not encoded
    "postgresql://ada:s3cret::s3cret@localhost/shop",
    "postgresql://:s3cret@localhost/shop::orders",
    "postgresql://localhost/shop?user=ada&password=s3cret::orders",
    "postgresql://localhost:5432/shop?password=s3cret@s3cret&user=ada",
    "postgresql://localhost/shop?sslPassword=s3cret",
    "mysql://ada:s3cret@localhost/shop",
    "s3://bucket/part?X-Amz-Security-Token=s3cret",
]


@pytest.mark.parametrize("address", SECRETS)
def test_a_shown_address_has_no_password(address):
    assert is_address(address)
    shown = without_password(address)
    assert "s3cret" not in shown
    assert "***" in shown
    assert shown.partition("://")[0] == address.partition("://")[0]


@pytest.mark.parametrize(
    "name",
    [
        "host=localhost user=ada password=s3cret dbname=shop",
        "host=localhost PASSWORD = 'a s3cret' dbname=shop::orders",
        "ada:s3cret@localhost/shop::orders",
        "ada:x@s3cret/s3cret@localhost:5432/shop",
        "postgresql:/ada:s3cret@localhost/shop",
    ],
)
def test_a_password_is_hidden_in_a_name_that_is_not_an_address(name):
    assert not is_address(name)
    with pytest.raises(FileError, match=r"There is no file .*\*\*\*") as caught:
        open_source(name)
    assert "s3cret" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://localhost/shop::orders",
        "postgresql://ada@localhost:5432/shop::orders",
        "postgresql://[::1]/shop::orders",
        "orders.csv",
        "shop.duckdb::orders@2024/x",
        "C:\\ada@home/orders.csv",
        "12:30@home",
    ],
)
def test_an_address_without_a_password_is_shown_as_it_is(address):
    assert without_password(address) == address


@pytest.mark.parametrize("name", ["orders.csv", "shop.duckdb::orders", "C:/orders.csv", "-", "://"])
def test_names_of_files_are_not_addresses(name):
    assert not is_address(name)


@pytest.mark.parametrize(
    ("address", "table"),
    [
        ("postgresql://localhost/shop::orders", "orders"),
        ("postgresql://[::1]/shop::sales.orders", "sales.orders"),
        ('postgresql://localhost/shop::"a/b"', '"a/b"'),
        ("postgresql://[::1]/shop", ""),
        ("postgresql://localhost", ""),
    ],
)
def test_the_table_of_an_address_follows_two_colons(address, table):
    assert table_of(address) == table


@pytest.mark.parametrize("typed", [SECRETS[0], f"--test-file={SECRETS[0]}", "pos\\tgresql://a:b@c"])
def test_typed_addresses_are_hidden_wherever_a_text_quotes_them(typed):
    address = typed.removeprefix("--test-file=")
    text = hide_passwords(f"There is no file {address!r} or {address}.", ["fit", typed])
    assert "s3cret" not in text
    assert text.count(address) == (0 if "s3cret" in address else 1)

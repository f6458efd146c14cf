"""Passwords of addresses are never shown."""

import pytest

from modlearn._addresses import hide_passwords, is_address, table_of, without_password

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
    "address",
    [
        "postgresql://localhost/shop::orders",
        "postgresql://ada@localhost:5432/shop::orders",
        "postgresql://[::1]/shop::orders",
        "orders.csv",
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

"""Places of memories in a database: names, and passwords that nothing shows."""

import traceback

import pytest

from hmem.errors import InputError
from hmem.storage.location import Location
from hmem_postgres.address import Address, locate


def parse(url: str) -> Address:
    return Address.parse(Location.parse(url))


@pytest.mark.parametrize("name", ["alice", "Alice B", "a/b", "ü?&=#", "../x", "50%"])
def test_a_memory_of_any_name_is_located_and_found_again(name: str) -> None:
    database = Location.parse("postgresql://me@db:5433/agents?sslmode=require")
    there = locate(database, name)
    assert Address.parse(there).require_memory() == name
    assert Address.parse(there).conninfo == Address.parse(database).conninfo


def test_one_database_is_one_pool_however_it_is_written() -> None:
    one = parse("postgresql://me@db/agents?sslmode=require&application_name=x&memory=a")
    other = parse("postgres://me@db/agents?memory=b&application_name=x&sslmode=require")
    assert one.conninfo == other.conninfo
    assert (one.memory, other.memory) == ("a", "b")


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:puppy@db/agents?memory=a",
        "postgresql://db/agents?user=me&password=puppy&memory=a",
        "postgresql://me:pup/puppy@db/agents?memory=a",
        "postgresql://me:puppy@db:port/agents?memory=a",
        "postgresql://me:puppy@db/agents?memory=",
        "postgresql://me:puppy@db/agents?memory=a&memory=b",
        "postgresql://me:puppy@db/agents?unknown=1&memory=a",
        "postgresql://me:puppy@[db/agents",
    ],
)
def test_no_password_is_in_a_printed_form_or_an_error(url: str) -> None:
    try:
        told = repr(parse(url)) + parse(url).printed
    except InputError as error:
        told = "".join(traceback.format_exception(error)).partition("InputError")[2] + repr(error.__context__)
    assert "puppy" not in told


def test_a_location_without_a_memory_is_a_named_error() -> None:
    with pytest.raises(InputError, match="memory=NAME"):
        parse("postgresql://me@db/agents").require_memory()

"""The keyring fixture itself: its states are what they claim to be."""

import pytest


def test_an_item_put_in_comes_back_and_is_found(keyring):
    keyring.put(b"some text")
    assert keyring.item() == b"some text"
    assert "attribute.provider = acme" in keyring.search()


def test_a_keyring_can_be_locked_while_it_runs(keyring):
    keyring.put(b"some text")
    keyring.lock()
    assert keyring.item() is None


def test_a_second_session_of_the_same_home_sees_what_was_stored(make_session):
    first = make_session("unlocked")
    first.put(b"some text")
    first.close()
    assert make_session("unlocked").item() == b"some text"


@pytest.mark.parametrize("mode, bus", [("unlocked", True), ("locked", True), ("empty", True), ("no-service", True), ("no-dbus", False)])
def test_the_environment_of_each_state(make_session, mode, bus):
    session = make_session(mode)
    assert session.env["HOME"] == str(session.home)
    assert ("DBUS_SESSION_BUS_ADDRESS" in session.env) is bus

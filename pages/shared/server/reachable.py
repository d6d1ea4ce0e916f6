"""The server's address for other devices, if the browser uses one that only this machine can
reach."""

import ipaddress
import socket
from urllib.parse import urlsplit

import streamlit as st

OPENED = "This is the address that you opened."
FOUND = (
    "You opened an address of this machine alone. This is its address in its network, as the server"
    " found it: try it with a phone, a firewall may keep others out."
)


def reachable(address: str, browser: str) -> tuple[str, str]:
    """Return the address to share and a sentence on its origin. `browser` is the client's IP: from
    another machine, a container or a balancer, the server's own IP is of no use.

    >>> reachable("https://attention.example/", "203.0.113.7")
    ('https://attention.example/', 'This is the address that you opened.')
    """
    parts = urlsplit(address)
    number = _own_number()
    if not (_is_here(parts.hostname or "") and _is_here(browser) and _listens_to_all() and number):
        return address, OPENED
    port = f":{parts.port}" if parts.port else ""
    return parts._replace(netloc=f"{number}{port}").geturl(), FOUND


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _listens_to_all() -> bool:
    return st.get_option("server.address") in (None, "", "0.0.0.0", "::")


def _own_number() -> str | None:
    """Return this machine's IP in its network, None without one. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        try:
            line.connect(("192.0.2.1", 9))  # reserved for documentation (RFC 5737)
        except OSError:
            return None
        number = line.getsockname()[0]
    return None if ipaddress.ip_address(number).is_loopback else number

"""Queries name servers for TXT records, within a time limit."""

from ipaddress import ip_address

from msgspec import Struct

_SECONDS = 5.0
# Limits for responses, because anybody may run the name server.
_MAX_RECORDS, _LONGEST = 100, 1024


class NameServer(Struct, frozen=True):
    host: str
    port: int = 53

    def __str__(self) -> str:
        return f"{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


def parse_name_servers(text: str) -> tuple[NameServer, ...]:
    """Parses a list such as `192.0.2.53, 127.0.0.1:5353, [2001:db8::53]:53`. Raises ValueError."""
    return tuple(_parse(part.strip()) for part in text.split(",") if part.strip())


def _parse(text: str) -> NameServer:
    if text.startswith("["):
        host, closed, rest = text[1:].partition("]")
        if not closed:
            raise ValueError(text)
    elif text.count(":") == 1:
        host, _, port = text.partition(":")
        rest = f":{port}"
    else:
        host, rest = text, ""
    if rest and not rest.startswith(":"):
        raise ValueError(text)
    number = int(rest[1:]) if rest else 53
    if not 1 <= number <= 65_535:
        raise ValueError(text)
    return NameServer(str(ip_address(host)), number)


class TxtRecords:
    """Looks up TXT records with these name servers, or by default with the machine's."""

    def __init__(self, servers: tuple[NameServer, ...] = (), *, seconds: float = _SECONDS) -> None:
        self._servers = servers
        self._seconds = seconds

    async def find(self, name: str) -> list[str] | None:
        """Returns the texts of a name; an empty list if there are none, or None if the look-up failed."""
        # Imported here because it is the slowest import of the server.
        import dns.asyncresolver
        import dns.exception
        import dns.nameserver
        import dns.resolver

        try:
            resolver = dns.asyncresolver.Resolver(configure=not self._servers)
            if self._servers:
                resolver.nameservers = [dns.nameserver.Do53Nameserver(e.host, e.port) for e in self._servers]
            answer = await resolver.resolve(name, "TXT", lifetime=self._seconds, search=False)
        except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
            return []
        except (dns.exception.DNSException, OSError):
            return None
        texts = (b"".join(record.strings) for record in list(answer)[:_MAX_RECORDS])
        return [text[:_LONGEST].decode("utf-8", "replace") for text in texts]

"""What the POST binding sends (bindings 3.5): a form of another site's page, with fields of its choice."""

from urllib.parse import parse_qsl

from msgspec import Struct

from trilha.sso.saml.errors import refused
from trilha.sso.saml.redirects import Name

_MOST_FIELDS = 20
_LONGEST_RELAY_STATE = 2000


class SamlForm(Struct, frozen=True):
    """`message` is still base64."""

    name: Name = "SAMLResponse"
    message: str = ""
    relay_state: str | None = None

    @classmethod
    def read(cls, body: bytes, *names: Name) -> "SamlForm":
        """The one message of these names, whatever else is sent. Raises SignInRefused."""
        try:
            pairs = parse_qsl(
                body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
            )
        except ValueError:
            raise refused("saml_message_missing", "a form", "something else") from None
        messages = [(name, value) for name, value in pairs if name in ("SAMLRequest", "SAMLResponse")]
        if len(messages) != 1 or messages[0][0] not in names:
            raise refused("saml_message_missing", f"one {' or '.join(names)}", [name for name, _ in messages])
        states = [value for name, value in pairs if name == "RelayState"]
        relay_state = states[0] if len(states) == 1 and len(states[0]) <= _LONGEST_RELAY_STATE else None
        found: Name = "SAMLRequest" if messages[0][0] == "SAMLRequest" else "SAMLResponse"
        return cls(found, messages[0][1], relay_state)

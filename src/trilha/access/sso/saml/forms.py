"""Forms of the POST binding (bindings 3.5), sent from another site's page."""

from urllib.parse import parse_qsl

from msgspec import Struct

from trilha.access.sso.saml.errors import build_refusal
from trilha.access.sso.saml.redirects import Name

_MAX_FIELDS = 20
_LONGEST_RELAY_STATE = 2000


class SamlForm(Struct, frozen=True):
    """A message of a form, still in base64."""

    name: Name = "SAMLResponse"
    message: str = ""
    relay_state: str | None = None

    @classmethod
    def read(cls, body: bytes, *names: Name) -> "SamlForm":
        """Returns the form's one message of these names and ignores other fields. Raises SignInRefused."""
        try:
            pairs = parse_qsl(
                body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS
            )
        except ValueError:
            raise build_refusal("saml_message_missing", "a form", "something else") from None
        messages = [(name, value) for name, value in pairs if name in ("SAMLRequest", "SAMLResponse")]
        if len(messages) != 1 or messages[0][0] not in names:
            raise build_refusal(
                "saml_message_missing", f"one {' or '.join(names)}", [name for name, _ in messages]
            )
        states = [value for name, value in pairs if name == "RelayState"]
        relay_state = states[0] if len(states) == 1 and len(states[0]) <= _LONGEST_RELAY_STATE else None
        found: Name = "SAMLRequest" if messages[0][0] == "SAMLRequest" else "SAMLResponse"
        return cls(found, messages[0][1], relay_state)

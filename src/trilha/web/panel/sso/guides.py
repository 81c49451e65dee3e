"""The setup guide for each provider. Names of its own fields stay in the provider's language."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from trilha.kit import N_

# Placeholders for the addresses of a connection, by the names in `details.list_addresses`.
CALLBACK, ENTITY_ID, ACS, SLO, METADATA = "{callback}", "{entity_id}", "{acs}", "{slo}", "{metadata}"


class Protocol(Struct, frozen=True):
    """`steps` are msgids; `fields` are the values to paste there, and `back` those to copy from there:
    pairs of our field, a msgid, and where it is found or what it looks like.
    """

    steps: Sequence[str]
    fields: Sequence[tuple[str, str]]
    back: Sequence[tuple[str, str]]
    note: str = ""


class Guide(Struct, frozen=True):
    name: str
    protocols: Mapping[str, Protocol]


_ASSIGN = N_("Assign yourself, test the connection here, then assign everybody else.")
_ISSUER, _CLIENT, _SECRET = N_("Issuer"), N_("Client ID"), N_("Client secret")
_ADDRESS, _FILE = N_("Metadata URL"), N_("Metadata file")
GUIDES: Mapping[str, Guide] = {
    "entra": Guide(
        "Microsoft Entra ID",
        {
            "OIDC": Protocol(
                [
                    N_("App registrations, New registration: this directory only. Enter the value below."),
                    N_("Certificates & secrets: New client secret. Copy its value, not its id."),
                    N_("Token configuration: add the optional claim email to the ID token."),
                    _ASSIGN,
                ],
                [("Redirect URI (Web)", CALLBACK)],
                [
                    (_ISSUER, "https://login.microsoftonline.com/<Directory (tenant) ID>/v2.0"),
                    (_CLIENT, "Application (client) ID"),
                    (_SECRET, "Certificates & secrets, Value"),
                ],
                N_("Issuers with common or organizations are refused: they would let any company in."),
            ),
            "SAML": Protocol(
                [
                    N_("Enterprise applications, New application, Create your own application, Non-gallery."),
                    N_("Single sign-on, SAML, Basic SAML Configuration: enter the fields below."),
                    N_("Attributes & Claims: the unique user identifier is user.mail, as an e-mail address."),
                    _ASSIGN,
                ],
                [
                    ("Identifier (Entity ID)", ENTITY_ID),
                    ("Reply URL (Assertion Consumer Service URL)", ACS),
                    ("Logout URL", SLO),
                ],
                [(_ADDRESS, "SAML Certificates, App Federation Metadata Url")],
            ),
        },
    ),
    "okta": Guide(
        "Okta",
        {
            "OIDC": Protocol(
                [
                    N_("Applications, Create App Integration: OIDC, Web Application. Enter the field below."),
                    N_("Grant type: Authorization Code only."),
                    _ASSIGN,
                ],
                [("Sign-in redirect URIs", CALLBACK)],
                [
                    (_ISSUER, "https://<your-domain>.okta.com"),
                    (_CLIENT, "Client ID"),
                    (_SECRET, "Client secret"),
                ],
            ),
            "SAML": Protocol(
                [
                    N_("Applications, Create App Integration: SAML 2.0. Enter any address for now."),
                    N_("Create the connection here with the metadata, then enter the fields below there."),
                    N_("Name ID format: EmailAddress. Application username: Email."),
                    _ASSIGN,
                ],
                [
                    ("Single sign-on URL", ACS),
                    ("Audience URI (SP Entity ID)", ENTITY_ID),
                    ("Single Logout URL", SLO),
                    ("SP Issuer", ENTITY_ID),
                ],
                [(_ADDRESS, "Sign On, Metadata URL")],
            ),
        },
    ),
    "google": Guide(
        "Google Workspace",
        {
            "OIDC": Protocol(
                [
                    N_("Google Cloud console, APIs & Services, OAuth consent screen: Internal."),
                    N_("Credentials, OAuth client ID: Web application. Enter the field below."),
                ],
                [("Authorized redirect URIs", CALLBACK)],
                [
                    (_ISSUER, "https://accounts.google.com"),
                    (_CLIENT, "Client ID"),
                    (_SECRET, "Client secret"),
                ],
            ),
            "SAML": Protocol(
                [
                    N_("Apps, Web and mobile apps, Add app, Add custom SAML app. Download the metadata."),
                    N_("Create the connection here with that file, then enter the fields below there."),
                    N_("Name ID format: EMAIL. Name ID: Basic Information, Primary email."),
                    N_("User access: on for everyone, or for the units that may sign in."),
                ],
                [("ACS URL", ACS), ("Entity ID", ENTITY_ID)],
                [(_FILE, "Download metadata (GoogleIDPMetadata.xml)")],
                N_("Google has no metadata URL. Upload a new file before its certificate expires."),
            ),
        },
    ),
    "keycloak": Guide(
        "Keycloak",
        {
            "OIDC": Protocol(
                [
                    N_("Clients, Create client: OpenID Connect, client authentication and standard flow."),
                    N_("Enter the field below, save, and copy the secret under Credentials."),
                    N_("People need an e-mail address, and Email verified on."),
                ],
                [("Valid redirect URIs", CALLBACK)],
                [
                    (_ISSUER, "https://<host>/realms/<realm>"),
                    (_CLIENT, "Client ID"),
                    (_SECRET, "Credentials, Client secret"),
                ],
            ),
            "SAML": Protocol(
                [
                    N_("Create the connection here with the address of the realm's metadata."),
                    N_("Clients, Import client: use our metadata file, from the address below."),
                    N_("Name ID format: email, and Force name ID format on. Sign assertions on."),
                ],
                [
                    ("Client ID", ENTITY_ID),
                    ("Valid redirect URIs", ACS),
                    ("Master SAML Processing URL", ACS),
                    ("Logout Service Redirect Binding URL", SLO),
                ],
                [(_ADDRESS, "https://<host>/realms/<realm>/protocol/saml/descriptor")],
            ),
        },
    ),
    "adfs": Guide(
        "AD FS",
        {
            "OIDC": Protocol(
                [
                    N_("Application Groups, Add Application Group: Server application accessing a web API."),
                    N_("Enter the field below; the web API's identifier is the client's own id."),
                    N_("Issuance Transform Rules: send E-Mail-Addresses as email, a permanent ID as sub."),
                ],
                [("Redirect URI", CALLBACK)],
                [
                    (_ISSUER, "https://<host>/adfs"),
                    (_CLIENT, "Client Identifier"),
                    (_SECRET, "Generate a shared secret"),
                ],
            ),
            "SAML": Protocol(
                [
                    N_("Create the connection here with the address of the federation metadata."),
                    N_("Relying Party Trusts, Add: import our metadata by its address below."),
                    N_("Claim Issuance Policy: E-Mail-Addresses to E-Mail Address, and that to Name ID."),
                    N_("Advanced: Secure hash algorithm SHA-256."),
                ],
                [("Federation metadata address", METADATA), ("Relying party trust identifier", ENTITY_ID)],
                [(_ADDRESS, "https://<host>/FederationMetadata/2007-06/FederationMetadata.xml")],
            ),
        },
    ),
}

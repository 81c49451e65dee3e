"""The setup guide for each provider. Names of its own fields stay in the provider's language."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from trilha.kit import N_

ADDRESS, TOKEN = "{address}", "{token}"


class Guide(Struct, frozen=True):
    """`steps` are msgids, and `fields` are the values to paste: ADDRESS and TOKEN stand for this tenant's
    own.
    """

    name: str
    steps: Sequence[str]
    fields: Sequence[tuple[str, str]]
    note: str


_ASSIGN = N_("Assign one person, check the requests here, then assign the others.")
GUIDES: Mapping[str, Guide] = {
    "entra": Guide(
        "Microsoft Entra ID",
        [
            N_("Enterprise applications, New application, Create your own application, Non-gallery."),
            N_("Provisioning, Provisioning Mode: Automatic. Enter the fields below, then Test Connection."),
            N_("Mappings: keep userPrincipalName as userName; map jobTitle, department and employeeId."),
            _ASSIGN,
        ],
        [("Tenant URL", f"{ADDRESS}?aadOptscim062020"), ("Secret Token", TOKEN)],
        N_("Entra synchronizes every 40 minutes. People who are unassigned are suspended here."),
    ),
    "okta": Guide(
        "Okta",
        [
            N_("Applications, Create App Integration; under General, Provisioning: SCIM."),
            N_("Provisioning, Integration: enter the fields below, then Test Connector Configuration."),
            N_("Provisioning, To App: turn on Create Users, Update User Attributes and Deactivate Users."),
            _ASSIGN,
        ],
        [
            ("SCIM connector base URL", ADDRESS),
            ("Unique identifier field for users", "userName"),
            ("Authentication Mode", "HTTP Header"),
            ("Authorization", TOKEN),
        ],
        N_("Okta does not delete people. Those who are unassigned are suspended here."),
    ),
    "google": Guide(
        "Google Workspace",
        [
            N_("Apps, Web and mobile apps, the app, Auto-provisioning, Set up."),
            N_("Enter the fields below, and map the primary e-mail to userName."),
            _ASSIGN,
        ],
        [("Access token", TOKEN), ("Endpoint URL", ADDRESS)],
        N_("Under Deprovisioning, choose how soon people who lose the app are suspended."),
    ),
    "onelogin": Guide(
        "OneLogin",
        [
            N_("Applications, Add App: SCIM Provisioner with SAML (SCIM v2 Enterprise)."),
            N_("Configuration: enter the fields below, then API Connection: Enable."),
            N_("Provisioning: Enable. When users are deleted in OneLogin: Suspend."),
            _ASSIGN,
        ],
        [("SCIM Base URL", ADDRESS), ("SCIM Bearer Token", TOKEN)],
        "",
    ),
    "jumpcloud": Guide(
        "JumpCloud",
        [
            N_("SSO Applications, Custom Application, Identity Management: SCIM 2.0."),
            N_("Enter the fields below, then Test Connection and Activate."),
            _ASSIGN,
        ],
        [("Base URL", ADDRESS), ("Token Key", TOKEN)],
        N_("JumpCloud creates a person and a group to test the connection, and then deletes both."),
    ),
    "keycloak": Guide(
        "Keycloak",
        [N_("Install a SCIM client extension and add a user federation of that type."), _ASSIGN],
        [
            ("SCIM 2.0 endpoint", ADDRESS),
            ("Endpoint content type", "application/scim+json"),
            ("Auth mode", "BEARER"),
            ("Auth password/token", TOKEN),
        ],
        "",
    ),
    "authentik": Guide(
        "authentik",
        [
            N_("Providers, Create, SCIM Provider: enter the fields below."),
            N_("Applications, the application: add it under Backchannel Providers."),
            _ASSIGN,
        ],
        [("URL", ADDRESS), ("Token", TOKEN)],
        "",
    ),
}

"""The error codes of e-mail domains."""

from trilha.core.errors import codes, field_codes, register

register(
    "sso.domains",
    field_codes(
        invalid_domain="The value is not a domain of e-mail addresses.",
        consumer_domain="Anybody can have an address in this domain; it is no company's.",
        no_provider="No company signs in with addresses of this domain.",
        public_suffix="Domains of many owners end like this; it is no company's.",
    ),
    codes("not_found", 404, domain_not_found="There is no such domain."),
    codes(
        "conflict",
        409,
        domain_claimed="The domain was claimed before.",
        domain_taken="Another company has verified this domain.",
        too_many_domains="A company claims 100 domains at most.",
    ),
)

"""The error codes of e-mail domains."""

from trilha.core.errors import codes, field_codes, register

register(
    "sso.domains",
    field_codes(
        invalid_domain="The value is not a valid e-mail domain.",
        consumer_domain="This domain belongs to a public e-mail provider. Add a domain of your company.",
        no_provider="No company uses this domain to sign in.",
        public_suffix="Many organizations share this domain suffix. Add a domain of your company.",
    ),
    codes("not_found", 404, domain_not_found="There is no such domain."),
    codes(
        "conflict",
        409,
        domain_claimed="The domain is already in the list.",
        domain_taken="Another company has verified this domain.",
        too_many_domains="A company can add at most 100 domains.",
    ),
)

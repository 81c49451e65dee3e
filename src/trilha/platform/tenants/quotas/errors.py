"""Error codes of quotas."""

from trilha.core.errors import codes, register

register(
    "quotas",
    codes(
        "business_rule",
        422,
        quota_exceeded="This exceeds the quota of the company's plan. The provider can raise it.",
    ),
)

"""With what a tenant signs its certificates (PAdES), and what a signed PDF tells. Table: signing_identities.

The private key is stored sealed, and is only ever opened for the process that signs.
"""

from trilha.certificates.signatures.verdicts import Verdict, verdict

__all__ = ["Verdict", "verdict"]

"""A tenant's key for signing certificates (PAdES), and the check of signed PDFs. Table: signing_identities.

The private key is stored sealed, and is opened only for the process that signs.
"""

from trilha.training.certificates.signatures.verdicts import Verdict, verdict

__all__ = ["Verdict", "verdict"]

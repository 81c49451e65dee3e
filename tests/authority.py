"""A certificate authority for tests, and the certificates that it signs."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

DAY = timedelta(days=1)
HERE = x509.IPAddress(ip_address("127.0.0.1"))


class Authority:
    """Signs certificates. `file` is the authority's own certificate, which a client may trust."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Test authority")])
        self.file = self._write("authority", self._made(self._name, self._key, ca=True))

    def server(
        self, *names: x509.GeneralName, since: timedelta = -DAY, until: timedelta = DAY
    ) -> ssl.SSLContext:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(*self.issue("receiver", *names, since=since, until=until))
        return context

    def issue(
        self, name: str, *names: x509.GeneralName, since: timedelta = -DAY, until: timedelta = DAY
    ) -> tuple[Path, Path]:
        """Creates a certificate. Returns the files of the certificate and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        made = self._made(subject, key, *names, since=since, until=until)
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return self._write(name, made), self._write(f"{name}-key", private)

    def _made(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        *names: x509.GeneralName,
        ca: bool = False,
        since: timedelta = -DAY,
        until: timedelta = DAY,
    ) -> bytes:
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder(self._name, subject, key.public_key(), x509.random_serial_number())
            .not_valid_before(now + since)
            .not_valid_after(now + until)
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM)

    def _write(self, name: str, content: bytes) -> Path:
        path = self._folder / f"{name}.pem"
        path.write_bytes(content)
        return path

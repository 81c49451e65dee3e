"""Makes the PDF of a certificate: its contents, the sandboxed typesetting, and the job."""

"""trilha tenant export, trilha tenant import: moves a tenant between installations in one encrypted file."""

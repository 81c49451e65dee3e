"""/admin/certificates: which were issued, what they are worth, and what is done to them."""

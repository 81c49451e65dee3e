"""/admin/api-keys: the keys with which other systems call the API."""

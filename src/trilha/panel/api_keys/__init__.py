"""/admin/api-keys: the keys that integrations call the API with."""

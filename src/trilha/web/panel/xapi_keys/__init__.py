"""/admin/xapi-keys: the keys with which programs call the learning record store."""

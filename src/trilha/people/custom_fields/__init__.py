"""Custom fields: what a company keeps of its people beside the usual members. Table: custom_fields."""

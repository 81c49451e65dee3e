"""A tenant's certificate templates: which design, which colours, what it says, who signs. Table:
certificate_templates. A certificate keeps the template as it was when it was issued."""

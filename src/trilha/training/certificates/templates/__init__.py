"""A tenant's certificate templates: design, colors, texts and signatories. Table: certificate_templates. A
certificate keeps the template as it was at the time of issue.
"""

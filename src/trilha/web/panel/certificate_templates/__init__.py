"""/admin/certificates/templates: the company's certificate templates, edited beside a preview."""

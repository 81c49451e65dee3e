"""/admin/certificates/templates: how certificates look, edited with a preview beside."""

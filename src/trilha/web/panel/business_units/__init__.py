"""/admin/units: the company's organization chart, and the managers of each unit."""

"""/admin/qualifications: what people are qualified for, with register numbers, validity and documents."""

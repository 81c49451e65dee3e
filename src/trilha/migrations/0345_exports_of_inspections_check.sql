ALTER TABLE exports VALIDATE CONSTRAINT exports_type_check;

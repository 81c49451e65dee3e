"""Videos in the browser's own player. The page reports the parts that were played."""

"""Reports that a browser has held on the device while it was offline, and sends later."""

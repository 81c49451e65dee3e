"""Reports that a browser held on its device and hands over later."""

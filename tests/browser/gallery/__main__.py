from browser.gallery.server import main

main()

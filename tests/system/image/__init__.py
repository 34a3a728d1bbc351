"""The card's image, started in an emulated machine: see README.md of packaging/image/."""

"""The box on a laptop: pins with realistic contacts, a modelled panel, and a page that shows both."""

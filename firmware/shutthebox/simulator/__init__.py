"""The box on a laptop: contact-true pins, a modelled panel, and a page that shows both."""

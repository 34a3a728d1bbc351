"""The league's page: readable without script, on a phone and on a pub's television."""

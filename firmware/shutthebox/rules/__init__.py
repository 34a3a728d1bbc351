"""The rules: games as data, and what players may do. Standard library only; no clock, file or chance.

A game is a `profile`: its keys with their meanings. `reader` and `writer` turn it into a file and back,
`contradictions` says what can't be played, `words` has it in sentences.

Playing goes from the small to the large: `tiles` and `rows` (what's open), `moves` (what answers a throw),
`score`, `turn` (one player's throws), `position` (a match as data: its round and its ledger), `orders` (who
throws, on which row), `endings` (who has won), `settling` and `stakes` (who owes what), and `match`, which
puts them together. `actions` are what a match is made of; a `record` keeps them with the `conditions`
of play.
"""

"""The engine for other programs: what `import shutthebox` exports, on top of rules and odds.

Small immutable values and a few functions; `docs/engine.md` has recipes. The box imports none of it.
"""

"""The game on the box as a state machine, without I/O: debouncing, judging levers, modes and screens.

A turn goes through these modes; ARCHITECTURE.md has every transition::

    RAISING -> READY -> ROLLING -> FLIPPING -> READY ...     a throw is answered: throw again
     levers    press     dice       levers
     to set    throws    tumble     + press   -> TURN_OVER   blocked, shut, or out of time
                                                   |
                         RAISING (next player) <---+---> MATCH_OVER
"""

//! What the rules mean to a player: domains, orders, boards, quantities, pieces, counters (thesis §5.2).

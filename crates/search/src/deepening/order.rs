//! In which order moves are tried: good ones first, so that windows close early.

use game::Move;

/// Counts of cut-offs by move, for each side (the history heuristic, Schaeffer 1989), and for each depth of
/// the path the moves that cut off there last (killers).
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    history: [Vec<u32>; 2],
    killers: Vec<[Option<Move>; 2]>,
}

/// When a count becomes this large, all are halved.
const MOST: u32 = 1 << 24;

impl Memory {
    /// How promising a move is by its history.
    pub(super) fn history(&self, maximising: bool, action: Move) -> u32 {
        self.history[usize::from(maximising)].get(action.index()).copied().unwrap_or(0)
    }

    /// Whether the move cut off at the same depth of the path.
    pub(super) fn is_killer(&self, ply: u32, action: Move) -> bool {
        self.killers.get(ply as usize).is_some_and(|two| two.contains(&Some(action)))
    }

    /// A move cut off, with `depth` moves searched below.
    pub(super) fn cut(&mut self, maximising: bool, ply: u32, depth: u32, action: Move) {
        let counts = &mut self.history[usize::from(maximising)];
        if counts.len() <= action.index() {
            counts.resize(action.index() + 1, 0);
        }
        let depth = depth.min(1000);
        counts[action.index()] += 1 + depth * depth;
        if counts[action.index()] >= MOST {
            for count in counts.iter_mut() {
                *count /= 2;
            }
        }
        if self.killers.len() <= ply as usize {
            self.killers.resize(ply as usize + 1, [None; 2]);
        }
        let two = &mut self.killers[ply as usize];
        if two[0] != Some(action) {
            *two = [Some(action), two[0]];
        }
    }

    /// Before another search: killers are of another path now, and older cut-offs count less.
    pub(super) fn fade(&mut self) {
        self.killers.clear();
        for count in self.history.iter_mut().flatten() {
            *count /= 4;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_that_cut_off_deeper_come_first() {
        let mut memory = Memory::default();
        memory.cut(true, 3, 5, Move(7));
        memory.cut(true, 3, 1, Move(2));
        assert!(memory.history(true, Move(7)) > memory.history(true, Move(2)));
        assert_eq!(memory.history(false, Move(7)), 0);
        assert!(memory.is_killer(3, Move(7)) && memory.is_killer(3, Move(2)));
        memory.cut(true, 3, 1, Move(9));
        assert!(!memory.is_killer(3, Move(7)) && !memory.is_killer(2, Move(2)));
    }
}

//! Depths as fractions of a move, and how they are shared out among the successors of a state.

use super::options::DepthLimit;

/// A depth of one move.
pub(super) const PLY: u32 = 1 << 10;

/// The depth limit of the successor at `place` (from 0, the most promising first) of `count`:
/// `(d - 1) · (1 - (i - 1) / (2 · (n - 1)))` with i = place + 1 and n = count (thesis Eq. 4.4); where there
/// is only one successor, `d - 1`.
pub(super) fn of_successor(limit: DepthLimit, depth: u32, place: usize, count: usize) -> u32 {
    let rest = depth.saturating_sub(PLY);
    match limit {
        DepthLimit::NonUniform if count > 1 => {
            let less = u64::from(rest) * place as u64 / (2 * (count as u64 - 1));
            rest - less as u32
        }
        _ => rest,
    }
}

/// The depth of a first look at the move at `place` of the order, where a full look goes `depth` deep: moves after the first few get
/// one move less, those far down a long list two. Own choice; with one less from the last two moves on, two less from place 8 and three
/// from place 20, reductions did harm (docs/strength.md).
pub(super) fn reduced(depth: u32, place: usize) -> u32 {
    let less = match place {
        _ if depth < REDUCED => 0,
        0..EARLY => 0,
        EARLY..LATE => PLY,
        _ if depth < 2 * REDUCED => PLY,
        _ => 2 * PLY,
    };
    depth - less
}

/// Moves before this place are not reduced, those from the second on by up to two moves; less deep looks are not reduced.
const EARLY: usize = 3;
const LATE: usize = 12;
const REDUCED: u32 = 2 * PLY;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_limits_are_those_of_equation_4_4() {
        // In hundredths of a move.
        let limit = |depth, place, count| {
            of_successor(DepthLimit::NonUniform, depth * PLY, place, count) * 100 / PLY
        };
        // The second tree of Figure 4.4: only the first of three successors is expanded.
        assert_eq!([limit(2, 0, 3), limit(2, 1, 3), limit(2, 2, 3)], [100, 75, 50]);
        // The best successor gets d - 1, the last one half of that.
        assert_eq!([limit(9, 0, 5), limit(9, 4, 5)], [800, 400]);
        assert_eq!(limit(9, 0, 1), 800);
        assert_eq!(of_successor(DepthLimit::Uniform, 9 * PLY, 4, 5), 8 * PLY);
    }

    #[test]
    fn late_moves_get_a_first_look_that_is_less_deep() {
        let depth = |moves: u32, place| reduced(moves * PLY, place) / PLY;
        assert_eq!([depth(5, 0), depth(5, 2), depth(5, 3), depth(5, 12)], [5, 5, 4, 3]);
        // Where little depth is left, nothing is taken away, or not much.
        assert_eq!([depth(1, 30), depth(2, 30), depth(3, 30), depth(4, 30)], [1, 1, 2, 2]);
    }
}

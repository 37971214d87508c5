//! Who meets whom, in which roles.

/// An encounter: a game, and the player of each role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The round, from 0.
    pub round: u32,
    /// The game by its number.
    pub game: usize,
    /// The players by their numbers, in the order of the roles.
    pub seats: Vec<usize>,
}

/// Everybody meets everybody: for each game, all groups of as many players as it has roles. With `rotate`, each
/// group plays in all rotations of the roles; otherwise the first role goes round from group to group. Where
/// there are fewer players than roles, players take several.
pub fn round_robin(players: usize, roles: &[usize], rounds: u32, rotate: bool) -> Vec<Pairing> {
    let mut pairings = Vec::new();
    for round in 0..rounds {
        for (game, roles) in roles.iter().enumerate() {
            for (number, group) in groups(players, *roles).into_iter().enumerate() {
                let turn = if rotate { 0 } else { number + round as usize };
                pairings.extend(rotations(&group, turn, rotate).map(|seats| Pairing {
                    round,
                    game,
                    seats,
                }));
            }
        }
    }
    pairings
}

/// The rotations of a group: all of them, or the one by `turn`.
fn rotations(group: &[usize], turn: usize, all: bool) -> impl Iterator<Item = Vec<usize>> {
    let group = group.to_vec();
    let count = if all { group.len() } else { 1 };
    (0..count).map(move |by| {
        let mut seats = group.clone();
        let by = (by + turn) % seats.len().max(1);
        seats.rotate_left(by);
        seats
    })
}

/// All sets of `size` players in order; where there are too few, one group for each beginning.
fn groups(players: usize, size: usize) -> Vec<Vec<usize>> {
    if size == 0 || players == 0 {
        return Vec::new();
    }
    if players < size {
        return (0..players)
            .map(|first| (0..size).map(|i| (first + i) % players).collect())
            .collect();
    }
    let mut groups = Vec::new();
    let mut group: Vec<usize> = (0..size).collect();
    loop {
        groups.push(group.clone());
        let Some(at) = (0..size).rev().find(|at| group[*at] < players - size + at) else {
            return groups;
        };
        group[at] += 1;
        for next in at + 1..size {
            group[next] = group[next - 1] + 1;
        }
    }
}

/// A round of a Swiss tournament: players in the order of their points, the best first, are put together
/// from the top. The next at a table is the one who has met those there least often, and of those the nearest
/// in points. Players left over sit out, those who did so least often, from the bottom.
///
/// `meetings[a][b]` counts how often two players met, `idle` how often each sat out.
pub fn swiss_round(
    round: u32,
    game: usize,
    roles: usize,
    ranking: &[usize],
    meetings: &[Vec<u32>],
    idle: &[u32],
    rotate: bool,
) -> Vec<Pairing> {
    if roles == 0 || ranking.is_empty() {
        return Vec::new();
    }
    if ranking.len() < roles {
        let turn = |group: Vec<usize>| Pairing { round, game, seats: group };
        return groups(ranking.len(), roles).into_iter().map(turn).collect();
    }
    let mut free = ranking.to_vec();
    for _ in 0..ranking.len() % roles {
        let least = free.iter().map(|player| idle[*player]).min().unwrap_or(0);
        if let Some(at) = free.iter().rposition(|player| idle[*player] == least) {
            free.remove(at);
        }
    }
    let mut pairings = Vec::new();
    while free.len() >= roles {
        let mut table = vec![free.remove(0)];
        while table.len() < roles {
            let met =
                |player: usize| table.iter().map(|other| meetings[player][*other]).sum::<u32>();
            let best = (0..free.len()).min_by_key(|at| (met(free[*at]), *at)).unwrap_or(0);
            table.push(free.remove(best));
        }
        let turn = round as usize;
        pairings.extend(rotations(&table, turn, rotate).map(|seats| Pairing {
            round,
            game,
            seats,
        }));
    }
    pairings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_meets_everybody_in_every_role() {
        let pairings = round_robin(4, &[2], 1, true);
        assert_eq!(pairings.len(), 12);
        for a in 0..4 {
            for b in (0..4).filter(|b| *b != a) {
                let met = pairings.iter().filter(|pairing| pairing.seats == [a, b]).count();
                assert_eq!(met, 1, "{a} {b}");
            }
        }
        assert_eq!(round_robin(4, &[2], 3, false).len(), 18);
        assert_eq!(round_robin(4, &[3], 1, true).len(), 12);
        assert_eq!(round_robin(4, &[1, 2], 2, true).len(), 2 * (4 + 12));
    }

    #[test]
    fn too_few_players_take_several_roles() {
        let pairings = round_robin(2, &[3], 1, false);
        assert_eq!(pairings.len(), 2);
        assert!(pairings.iter().all(|pairing| pairing.seats.len() == 3));
        assert_eq!(round_robin(1, &[2], 1, true)[0].seats, [0, 0]);
        assert!(round_robin(0, &[2], 1, true).is_empty());
    }

    #[test]
    fn swiss_rounds_avoid_old_opponents_and_share_the_idle_rounds() {
        let players = 7;
        let mut meetings = vec![vec![0; players]; players];
        let mut idle = vec![0; players];
        for round in 0..5 {
            let ranking: Vec<usize> = (0..players).collect();
            let pairings = swiss_round(round, 0, 2, &ranking, &meetings, &idle, false);
            assert_eq!(pairings.len(), 3);
            let mut seen = vec![false; players];
            for pairing in &pairings {
                let [a, b] = pairing.seats[..] else { panic!("two seats") };
                assert!(!seen[a] && !seen[b], "nobody plays twice in a round");
                (seen[a], seen[b]) = (true, true);
                meetings[a][b] += 1;
                meetings[b][a] += 1;
            }
            (0..players).filter(|player| !seen[*player]).for_each(|player| idle[player] += 1);
        }
        assert!(idle.iter().all(|idle| *idle <= 1), "{idle:?}");
        let most = meetings.iter().flatten().max().copied();
        assert!(most <= Some(2), "{meetings:?}");
    }
}

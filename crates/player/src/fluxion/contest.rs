//! Which way to search, by quick games of the game at hand.
//!
//! Trees and alpha-beta win in different games, and so do the values that alpha-beta has for its leaves: at 20 ms a move
//! alpha-beta with learned values won all games of knightthrough and of dots and boxes against the tree, with values made from the
//! rules all of breakthrough and of nine boards, and neither of them one of clobber or hex (docs/strength.md). So such games decide, with what is
//! known of other games, and of how much each search gains by longer moves.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use game::Deadline;
use search::{Effort, Search};

use super::method::{Method, Source};
use super::opening::{Opening, Share};
use super::trial::{Tally, Trial};
use crate::knowledge::Tried;

/// What is known before a trial: the mean points of the first search in other games, which count as much as so many games.
#[derive(Clone, Copy)]
struct Belief {
    mean: f64,
    games: f64,
}

/// A trial of the tree against alpha-beta: its part of the time that is left, how many games it should have time for, and how long a move may take.
const SHARE: Share = Share(0.4, Duration::from_secs(30));
const GAMES: f64 = 10.0;
const PACE: (Duration, Duration) = (Duration::from_millis(12), Duration::from_millis(100));
/// By how much the logarithm of the odds of the tree grows where moves take twice as long: in six games of which alpha-beta won 94 of 100 at 20 ms a
/// move, it won 54 of 100 at 1.5 s (docs/strength.md).
const GROWTH: f64 = 0.42;
/// Which of the two is alone among others that search in the other way, where there are more than two roles: the one that is not like
/// most players of a match, alpha-beta.
const LONE: usize = 1;

/// The mean points of the tree in quick games with which it would be even at the clock of the match.
fn even(pace: Duration, clock: Duration) -> f64 {
    let doublings = (clock.as_secs_f64() / pace.as_secs_f64().max(1e-6)).log2().max(0.0);
    1.0 / (1.0 + (GROWTH * doublings).exp())
}

/// The tree against alpha-beta, once for each kind of values that it may have for its leaves: which of them are better against each other
/// says less.
const METHODS: [(Source, &str); 2] = [
    (Source::Learned, "trial: tree against alpha-beta with learned values"),
    (Source::Derived, "trial: tree against alpha-beta with values of the rules"),
];
/// The fewest simulations for a move of a quick game, at all and for each move that is possible, and the fewest games: with less
/// nothing is tried (own choice).
const LEAST: f64 = 256.0;
const TRIES: f64 = 16.0;
const FEWEST: f64 = 3.0;
/// To find out how quick the tree is.
const A_MOMENT: Share = Share(0.02, Duration::from_millis(100));
/// Nothing is known of which is better.
const OPEN: Belief = Belief { mean: 0.5, games: 2.0 };

impl Opening<'_> {
    /// Tries in quick games whether alpha-beta is to take the place of the tree. What the tree does with what was learned is not tried: with and
    /// without it are too much alike for a dozen of games to tell them apart (docs/strength.md).
    pub(super) fn try_out(&mut self, deadline: &Deadline) {
        let plans = self.known.method == Method::Planning;
        let wanted = self.wishes.trial && self.wishes.deepening;
        if !wanted || plans || deadline.left().is_none() || !self.known.on_circuit {
            return;
        }
        self.known.speed = self.speed(deadline);
        self.look_for_better(deadline);
    }

    /// How many simulations the tree makes in a second; none where there was no time to find out. The first look makes what
    /// it needs, and tries what playouts are made by; only the second one counts.
    fn speed(&self, deadline: &Deadline) -> Option<f64> {
        let mut tree = self.parts().small_tree();
        let initial = self.context.machine().initial().ok()?;
        let mut look = || {
            let effort = Effort::until(A_MOMENT.of(deadline));
            tree.search(&initial, self.context.role, &effort, &mut |_| ()).ok()
        };
        let looks = AssertUnwindSafe(|| look().zip(look()));
        let (first, second) = catch_unwind(looks).ok()??;
        // What was solved at the first look leaves nothing to do.
        let report = if second.solved && second.nodes == 0 { first } else { second };
        (report.nodes > 0).then(|| report.nodes_per_second())
    }

    /// Lets alpha-beta take the place of the tree where it is better, with the values that are best for that; or lets both play where that is
    /// open and there are threads for it.
    fn look_for_better(&mut self, deadline: &Deadline) {
        let mut best: Option<(f64, Source)> = None;
        for (source, name) in METHODS {
            let tree = self.parts().small_tree();
            let Some(looking_ahead) = self.parts().small_deepening(source) else { continue };
            let belief = belief_in_tree(self.known.chance, self.known.class.roles);
            let (points, even) = self.bout(name, belief, [tree, looking_ahead], deadline);
            let ahead = log_odds(even) - log_odds(points);
            if best.is_none_or(|(most, _)| ahead > most) {
                best = Some((ahead, source));
            }
        }
        let Some((ahead, source)) = best else { return };
        let both = self.wishes.rivals
            && self.wishes.threads > 1
            && self.known.method == Method::Guarded
            && is_open(ahead);
        if both || ahead > 0.0 {
            self.known.method = if both { Method::Rivals } else { Method::Deepening };
            self.known.leaves = Some(source);
            self.known.outlook = 1.0 / (1.0 + (-ahead).exp());
        }
    }

    /// Quick games between two searches, for a part of the time left: the mean points that the first one is to be expected to get, and those at
    /// which it does not matter which one is chosen.
    fn bout(
        &mut self,
        name: &'static str,
        belief: Belief,
        mut searches: [Box<dyn Search>; 2],
        deadline: &Deadline,
    ) -> (f64, f64) {
        let before = self.earlier.known.tried(name).cloned();
        let before =
            before.map_or(Tally::default(), |t| Tally { games: t.games, points: t.points });
        // The more games there were in earlier matches, the less time for new ones.
        let fewer = GAMES / (GAMES + f64::from(before.games));
        let share = Share(SHARE.0 * fewer, SHARE.1);
        let (begin, share) = (Instant::now(), share.of(deadline));
        let class = &self.known.class;
        let moves = if class.turn_taking.value { 1 } else { class.roles };
        let length = class.mean_length.unwrap_or(100.0).max(1.0) * moves as f64;
        let time = share.left().unwrap_or_default();
        let pace = time.div_f64(length * GAMES).clamp(PACE.0, PACE.1);
        let telling = telling(self.known.speed, class.mean_joint_moves);
        let pace = pace.max(telling.unwrap_or_default());
        let even = even(pace, self.context.play_clock);
        let earlier = match before.games {
            0 => String::new(),
            games => format!(", earlier {:.1} in {games}", before.points),
        };
        let games = time.as_secs_f64() / (pace.as_secs_f64() * length);
        let both = self.wishes.rivals && self.wishes.threads > 1;
        let reach = if both { WITHIN_REACH } else { 0.0 };
        let decides = may_decide(belief, (before, games), even, reach);
        if telling.is_none() || games < FEWEST || !decides {
            let words = match telling {
                Some(_) if games < FEWEST => {
                    format!("not tried: moves that tell something take {pace:.2?}")
                }
                Some(_) => format!("not tried: some {games:.0} games would not decide{earlier}"),
                None => "not tried: the tree is too slow to tell how slow it is".to_owned(),
            };
            self.known.account.note(name, begin, words);
            return (before.expected(belief.games, belief.mean), even);
        }
        let mut machine = self.context.machine();
        let seed = self.context.seed;
        let mut trial = Trial { machine: &mut *machine, pace, even, lone: LONE, seed };
        let run = AssertUnwindSafe(|| trial.run(&mut searches, &share));
        let tally = catch_unwind(run).unwrap_or_default();
        let words = format!("{:.1} points in {} games{earlier}", tally.points, tally.games);
        self.known.account.note(name, begin, words);
        let new = Tried { name: name.to_owned(), games: tally.games, points: tally.points };
        self.earlier.trials.push(new);
        let all = Tally { games: tally.games + before.games, points: tally.points + before.points };
        (all.expected(belief.games, belief.mean), even)
    }
}

/// Whether alpha-beta could be chosen after about so many more games, if it won all of them; `reach` is what it may be behind by then.
fn may_decide(belief: Belief, (before, games): (Tally, f64), even: f64, reach: f64) -> bool {
    // Games that the tree loses are like ones that are known beforehand, without any points.
    let (lost, known) = (games * SHORTER, belief.games);
    let mean = known * belief.mean / (known + lost);
    log_odds(even) - log_odds(before.expected(known + lost, mean)) > -reach
}

/// How many times as many games there may be as games of random play would let expect: those who search come to an end sooner.
const SHORTER: f64 = 1.5;

/// How long a move of a quick game has to take at least, if the tree makes so many simulations in a second and there are so many moves. With
/// a handful of tries for each of them it plays like chance does, and loses to whatever looks two moves ahead: in a hex of 64,000 gates all games
/// of 12 ms a move, where alpha-beta, chosen for that, lost the match. Where nobody knows how quick it is, no time is enough.
fn telling(speed: Option<f64>, moves: f64) -> Option<Duration> {
    let simulations = (moves * TRIES).max(LEAST);
    speed.map(|speed| Duration::from_secs_f64(simulations / speed.max(1.0)))
}

fn log_odds(mean: f64) -> f64 {
    (mean / (1.0 - mean)).ln()
}

/// Whether either may be better in the match, if the logarithm of the odds of alpha-beta is so far ahead of what would be even. Two
/// threads are better for the tree than one, so it gives one away only where alpha-beta is within reach; alpha-beta has no use for the
/// second thread, so that the tree need not be near.
fn is_open(ahead: f64) -> bool {
    (-WITHIN_REACH..=AGAINST_ALL_ODDS).contains(&ahead)
}

/// What alpha-beta may be behind by, and ahead by.
const WITHIN_REACH: f64 = 0.7;
const AGAINST_ALL_ODDS: f64 = 2.0;

/// What is believed about the tree before a trial against alpha-beta: by features of the game, where they have a say. With more roles
/// max^n was even with trees over eight games, and where it was far better at 0.1 s a move it was even at 0.8 s (docs/strength.md), so a
/// few games are not enough.
fn belief_in_tree(chance: Option<f64>, roles: usize) -> Belief {
    let games = if roles > 2 { GAMES_OF_MORE_ROLES } else { OPEN.games };
    Belief { mean: chance.map_or(OPEN.mean, |chance| 1.0 - chance), games }
}

/// How many games that counts for.
const GAMES_OF_MORE_ROLES: f64 = 6.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alpha_beta_needs_the_more_points_the_longer_moves_of_the_match_are() {
        let pace = Duration::from_millis(30);
        let even = |seconds: f64| even(pace, Duration::from_secs_f64(seconds));
        assert!((even(0.01) - 0.5).abs() < 1e-9 && even(0.5) > even(2.0) && even(2.0) > even(6.0));
        // At 2 s it has to win twelve of twelve.
        let wins = |won: f64, games: u32| {
            let tally = Tally { games, points: f64::from(games) - won };
            tally.expected(OPEN.games, OPEN.mean) < even(2.0)
        };
        assert!(wins(12.0, 12) && !wins(10.0, 10) && !wins(19.0, 20) && wins(29.0, 30));
    }

    #[test]
    fn games_that_could_not_decide_are_not_played() {
        let even = even(Duration::from_millis(30), Duration::from_secs(2));
        let may = |games: f64, before: Tally, reach| may_decide(OPEN, (before, games), even, reach);
        let none = Tally::default();
        assert!(may(9.0, none, 0.0) && !may(7.0, none, 0.0) && may(7.0, none, WITHIN_REACH));
        let (lost, won) = (Tally { games: 6, points: 0.0 }, Tally { games: 6, points: 4.0 });
        assert!(may(7.0, lost, 0.0) && !may(9.0, won, 0.0), "what was tried before counts");
    }

    #[test]
    fn a_slow_tree_needs_longer_moves_to_tell_anything() {
        assert_eq!(telling(None, 10.0), None);
        let telling = |speed, moves| telling(Some(speed), moves).expect("the speed is known");
        let shortest = PACE.0;
        assert!(telling(50_000.0, 10.0) < shortest, "no longer than they are anyway");
        assert!(telling(1_000.0, 10.0) > PACE.1);
        assert!(telling(50_000.0, 100.0) > shortest, "each move is tried some times");
    }

    #[test]
    fn both_search_where_quick_games_leave_it_open() {
        // At 2 s and with games of 30 ms: only if the tree lost all of ten.
        let even = even(Duration::from_millis(30), Duration::from_secs(2));
        let open = |won: f64| {
            let tally = Tally { games: 10, points: won };
            is_open(log_odds(even) - log_odds(tally.expected(OPEN.games, OPEN.mean)))
        };
        assert!(open(0.0) && !open(1.0) && !open(2.0) && !open(5.0) && !open(8.0));
        assert!(!is_open(3.0));
    }

    /// At 0.4 s and with games of 30 ms.
    #[test]
    fn with_more_roles_a_few_games_do_not_speak_for_max_n() {
        let even = even(Duration::from_millis(30), Duration::from_millis(400));
        let changes = |games: u32, roles: usize| {
            let belief = belief_in_tree(None, roles);
            Tally { games, points: 0.0 }.expected(belief.games, belief.mean) < even
        };
        assert!(changes(4, 2) && !changes(4, 3) && !changes(8, 3) && changes(12, 3));
    }

    #[test]
    fn features_that_speak_for_alpha_beta_speak_against_the_tree() {
        let mean = |chance| belief_in_tree(chance, 2).mean;
        assert!((mean(None) - 0.5).abs() < 1e-9 && (mean(Some(0.8)) - 0.2).abs() < 1e-9);
    }
}

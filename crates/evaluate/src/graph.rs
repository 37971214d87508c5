//! Fluent graphs (thesis Def. 6.1): which fluents may have to hold before another one can.

use datalog::GroundTerm;
use game::{Deadline, GroundProgram};

use crate::cover::{Covers, Selection};
use crate::rules::RuleView;

/// A fluent graph. Nodes are the fluents as the ground program numbers them, and a last one, ∅.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FluentGraph {
    sources: Vec<Vec<u32>>,
    complete: bool,
    work: u64,
}

/// How often the clock is read.
const FLUENTS_PER_LOOK: usize = 16;

impl FluentGraph {
    /// Builds a graph by thesis Algorithm 2 on top of Algorithm 4 (see [`crate::Selection`]). Fluents for
    /// which no time is left are connected with ∅, which is admissible and says nothing.
    pub fn build(program: &GroundProgram, selection: Selection, deadline: &Deadline) -> Self {
        let every: Vec<u32> = (0..program.fluents.len() as u32).collect();
        Self::towards(program, selection, &every, deadline)
    }

    /// The part of the graph that paths to some fluents go through; other fluents have no edges.
    pub fn towards(
        program: &GroundProgram,
        selection: Selection,
        targets: &[u32],
        deadline: &Deadline,
    ) -> Self {
        let levels = match selection {
            Selection::Latest => {
                let plain = Self::build(program, Selection::Similar, deadline);
                plain.levels(&program.initial)
            }
            _ => Vec::new(),
        };
        Self::select(program, selection, levels, targets, deadline)
    }

    fn select(
        program: &GroundProgram,
        selection: Selection,
        levels: Vec<u32>,
        targets: &[u32],
        deadline: &Deadline,
    ) -> Self {
        let rules = RuleView::new(program);
        let fluents: &[GroundTerm] = &program.fluents;
        let mut covers = Covers::new(rules, fluents, selection, levels);
        let mut complete = true;
        let mut sources: Vec<Vec<u32>> = vec![Vec::new(); rules.fluent_count()];
        let mut met = vec![false; rules.fluent_count() + 1];
        met[rules.fluent_count()] = true;
        let mut todo: Vec<u32> = targets.to_vec();
        for target in targets {
            met[*target as usize] = true;
        }
        let mut at = 0;
        while let Some(fluent) = todo.get(at).copied() {
            if at.is_multiple_of(FLUENTS_PER_LOOK) && complete {
                complete = !deadline.passed();
            }
            at += 1;
            let found = if complete { covers.sources(fluent) } else { vec![covers.nothing()] };
            todo.extend(found.iter().filter(|source| !met[**source as usize]));
            for source in &found {
                met[*source as usize] = true;
            }
            sources[fluent as usize] = found;
        }
        Self { sources, complete, work: covers.work() }
    }

    /// The number of fluents; ∅ has this number as a node.
    pub fn fluent_count(&self) -> usize {
        self.sources.len()
    }

    /// The nodes from which edges lead to a fluent, sorted.
    pub fn sources(&self, fluent: u32) -> &[u32] {
        &self.sources[fluent as usize]
    }

    /// The number of edges, those from a fluent to itself included.
    pub fn edge_count(&self) -> usize {
        self.sources.iter().map(Vec::len).sum()
    }

    /// Whether there was time for all fluents.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// How many conditions were looked at to build it.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// In which step each fluent can appear first if those marked hold at the beginning, and at last for ∅:
    /// the distance of each fluent from that state; `u32::MAX` where there is no path.
    pub fn levels(&self, holds: &[bool]) -> Vec<u32> {
        let count = self.sources.len();
        let mut targets: Vec<Vec<u32>> = vec![Vec::new(); count + 1];
        for (fluent, sources) in self.sources.iter().enumerate() {
            for source in sources {
                targets[*source as usize].push(fluent as u32);
            }
        }
        let mut levels = vec![u32::MAX; count + 1];
        levels[count] = 0;
        let mut queue: Vec<u32> = vec![count as u32];
        for (fluent, _) in holds.iter().enumerate().filter(|(_, holds)| **holds) {
            levels[fluent] = 0;
            queue.push(fluent as u32);
        }
        let mut at = 0;
        while let Some(node) = queue.get(at).copied() {
            at += 1;
            for target in &targets[node as usize] {
                if levels[*target as usize] == u32::MAX {
                    levels[*target as usize] = levels[node as usize] + 1;
                    queue.push(*target);
                }
            }
        }
        levels
    }
}

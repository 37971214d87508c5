//! Rules with negation and function symbols, compiled into plans and evaluated over tables.
//!
//! This is the core under the interpreter and the grounder. Rules are compiled once into plans
//! ([`plan`]), with literals ordered by expected cost ([`order`]); a question is answered by tabled
//! evaluation ([`solve`]) over tables that outlive states ([`memory`]). Evaluation is driven by demand:
//! of a relation, only what the question needs is derived, which keeps rule sheets feasible whose
//! relations are huge but asked for sparsely.
//!
//! ```
//! let (rules, _) = gdl::parse("(edge a b) (edge b c)
//!     (<= (reach ?x ?y) (edge ?x ?y))
//!     (<= (reach ?x ?z) (reach ?x ?y) (edge ?y ?z))
//!     (<= (init (from-a ?y)) (reach a ?y))", &gdl::Limits::default());
//! let program = gdl::normal::normalize(&rules).expect("small");
//! let analysis = datalog::Analysis::new(&program);
//! let estimates = datalog::Estimates::new(&program, &analysis, &datalog::Sample::default(), 1);
//! let mut terms = datalog::Terms::default();
//! let code = datalog::compile(&program, &analysis, &estimates, &mut terms).expect("safe");
//! let memory = datalog::Memory::new(&code, terms);
//! let mut solver = datalog::Solver::new(&code, memory, datalog::Limits::default());
//! let slot = solver.ask(&code, code.init.expect("has rules"), &[]).expect("finite");
//! assert!(solver.memory.queries[code.init.expect("has rules") as usize].holds(slot));
//! ```

pub mod analysis;
pub mod error;
pub mod extent;
pub mod memory;
pub mod order;
pub mod plan;
mod relax;
pub mod solve;
pub mod table;
pub mod terms;

pub use analysis::Analysis;
pub use error::{CompileError, EvalError};
pub use extent::{extent, static_relations};
pub use memory::{Memory, NONE};
pub use order::{Estimates, Sample};
pub use plan::{Code, compile};
pub use relax::Part;
pub use solve::{Limits, Solver};
pub use terms::{Functor, GroundTerm, Terms};

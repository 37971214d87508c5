//! The innermost loop: operations on planes, in the widest registers there are.
#![expect(clippy::inline_always, reason = "kernels compiled for several kinds of registers")]

use crate::plane::{Memory, NONE, Plane, WORDS};
use crate::schedule::{Basic, Op, Part, Then};
use crate::vector::{Kernel, Vector};

/// Evaluates a part.
pub(crate) struct RunPart<'a>(pub(crate) &'a Part, pub(crate) &'a mut [Plane]);

impl Kernel for RunPart<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        run_part::<V>(self.0, self.1);
    }
}

#[inline(always)]
#[expect(unsafe_code, reason = "checked accesses take a third more time; see docs/benchmarks.md")]
pub(crate) fn run_part<V: Vector>(part: &Part, memory: &mut [Plane]) {
    // SAFETY: all places of the operations are below `Part::places`; only `Part::push` adds operations.
    let mut memory = unsafe { Memory::new(memory, part.places()) };
    for (kind, ops) in part.runs() {
        match kind.first {
            Basic::And => run_kind::<V>(kind.then, ops, &mut memory, V::and),
            Basic::AndNot => run_kind::<V>(kind.then, ops, &mut memory, V::and_not),
            Basic::Or => run_kind::<V>(kind.then, ops, &mut memory, V::or),
        }
    }
}

/// Runs operations of one kind, whose first gates are given.
#[inline(always)]
fn run_kind<V: Vector>(then: Then, ops: &[Op], memory: &mut Memory<'_>, first: impl Fn(V, V) -> V) {
    match then {
        Then::Nothing => run_ops::<V>(ops, memory, first),
        Then::And => run_fused::<V>(ops, memory, first, V::and),
        Then::AndNot => run_fused::<V>(ops, memory, first, V::and_not),
        Then::NotAnd => run_fused::<V>(ops, memory, first, |result, c| c.and_not(result)),
        Then::Or => run_fused::<V>(ops, memory, first, V::or),
    }
}

/// Runs single gates.
#[inline(always)]
fn run_ops<V: Vector>(ops: &[Op], memory: &mut Memory<'_>, gate: impl Fn(V, V) -> V) {
    for op in ops {
        let (a, b) = (memory.at(op.a), memory.at(op.b));
        let mut to = NONE;
        for block in 0..WORDS / V::SIZE {
            gate(V::load(a, block), V::load(b, block)).store(&mut to, block);
        }
        *memory.at_mut(op.to) = to;
    }
}

/// Runs pairs of gates.
#[inline(always)]
fn run_fused<V: Vector>(
    ops: &[Op],
    memory: &mut Memory<'_>,
    first: impl Fn(V, V) -> V,
    then: impl Fn(V, V) -> V,
) {
    for op in ops {
        let (a, b, c) = (memory.at(op.a), memory.at(op.b), memory.at(op.c));
        let mut to = NONE;
        for block in 0..WORDS / V::SIZE {
            let result = first(V::load(a, block), V::load(b, block));
            then(result, V::load(c, block)).store(&mut to, block);
        }
        *memory.at_mut(op.to) = to;
    }
}

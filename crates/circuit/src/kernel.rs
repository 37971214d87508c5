//! The innermost loop: operations on planes, in the widest registers there are.
#![expect(clippy::inline_always, reason = "kernels compiled for several kinds of registers")]

use crate::plane::{Memory, NONE, Plane, WORDS};
use crate::schedule::{Kind, Op, Part};
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
        match kind {
            Kind::And => run_ops::<V>(ops, &mut memory, V::and),
            Kind::AndNot => run_ops::<V>(ops, &mut memory, V::and_not),
            Kind::Or => run_ops::<V>(ops, &mut memory, V::or),
        }
    }
}

/// Runs operations of one kind.
#[inline(always)]
fn run_ops<V: Vector>(ops: &[Op], memory: &mut Memory<'_>, operation: impl Fn(V, V) -> V) {
    for op in ops {
        let (a, b) = (memory.at(op.a), memory.at(op.b));
        let mut to = NONE;
        for block in 0..WORDS / V::SIZE {
            operation(V::load(a, block), V::load(b, block)).store(&mut to, block);
        }
        *memory.at_mut(op.to) = to;
    }
}

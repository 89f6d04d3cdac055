//! Values of a whole solution within expressions: `max(f)` and `min(f)` of one argument, and `total(q)`.

use super::Syntax;
use super::derivative::rewrite;
use super::syntax::{Node, NodeKind};

/// What is made of the values in all cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReductionKind {
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// The integral.
    Total,
}

/// A value of the whole solution.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    /// What is made of the values.
    pub kind: ReductionKind,
    /// The value in a cell.
    pub of: Syntax,
}

/// How reductions are written.
const REDUCTIONS: [(&str, ReductionKind); 3] =
    [("max", ReductionKind::Max), ("min", ReductionKind::Min), ("total", ReductionKind::Total)];

/// Name of the variable for reduction `number`: one that no formula can contain.
pub fn reduction_name(number: usize) -> String {
    format!("reduction {number}")
}

impl Syntax {
    /// Replaces the outermost reductions by variables ([`reduction_name`]); returns the expression and the reductions.
    pub fn without_reductions(&self) -> (Syntax, Vec<Reduction>) {
        let mut found = Vec::new();
        let root = rewrite(&self.root, &mut |node| {
            let NodeKind::Call(name, arguments) = &node.kind else { return None };
            let (_, kind) = *REDUCTIONS.iter().find(|(word, _)| word == name)?;
            let [argument] = &arguments[..] else { return None };
            found.push(Reduction { kind, of: Syntax { root: argument.clone() } });
            Some(NodeKind::Name(reduction_name(found.len() - 1)))
        });
        (Syntax { root }, found)
    }

    /// Less the expression.
    pub fn negative(&self) -> Syntax {
        let (span, group) = (self.span(), NodeKind::Group(Box::new(self.root.clone())));
        let root = Node { kind: NodeKind::Negate(Box::new(Node { kind: group, span: span.clone() })), span };
        Syntax { root }
    }

    /// The name that the expression consists of, if it is one.
    pub fn as_name(&self) -> Option<&str> {
        let mut node = &self.root;
        loop {
            match &node.kind {
                NodeKind::Group(inner) | NodeKind::Defined(_, inner) => node = inner,
                NodeKind::Name(name) => return Some(name),
                _ => return None,
            }
        }
    }

    /// Its place in the text.
    pub fn span(&self) -> std::ops::Range<usize> {
        self.root.span.clone()
    }
}

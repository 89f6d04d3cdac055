//! Numbers that a file gives its nodes.

/// Which node has which tag.
pub(super) enum Tags {
    /// Tags in a row: the node of tag `least + i` is in place `i`, [`NONE`] if there is none.
    Table { least: u64, nodes: Vec<u32> },
    /// By tag.
    Sorted(Vec<(u64, u32)>),
}

const NONE: u32 = u32::MAX;

impl Tags {
    /// Of the tags of all nodes in their order. The error is a tag that two nodes have.
    pub(super) fn new(tags: &[u64]) -> Result<Self, u64> {
        let least = tags.iter().copied().min().unwrap_or(0);
        let span = tags.iter().copied().max().unwrap_or(0) - least;
        if span < 8 * tags.len() as u64 + 1024 {
            let mut nodes = vec![NONE; span as usize + 1];
            for (node, &tag) in (0..).zip(tags) {
                if std::mem::replace(&mut nodes[(tag - least) as usize], node) != NONE {
                    return Err(tag);
                }
            }
            return Ok(Tags::Table { least, nodes });
        }
        let mut sorted: Vec<(u64, u32)> = tags.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(pair[0].0),
            None => Ok(Tags::Sorted(sorted)),
        }
    }

    /// The node of a tag.
    pub(super) fn node(&self, tag: u64) -> Option<u32> {
        match self {
            Tags::Table { least, nodes } => {
                let at = usize::try_from(tag.checked_sub(*least)?).ok()?;
                nodes.get(at).copied().filter(|&node| node != NONE)
            }
            Tags::Sorted(all) => all.binary_search_by_key(&tag, |&(tag, _)| tag).ok().map(|at| all[at].1),
        }
    }
}

//! Exchange between ranks: items in messages that hold boxes one after another, laid out as patches without ghost cells.

use crate::fields::{PatchLayout, Shared};
use crate::index::CellBox;
use crate::plan::MessageItems;
use crate::ranks::{CommError, Message, MessageHeader, Ranks};
use crate::threads::parallel_for;
use riemann::real::Scalar;

/// Exchanges messages with other ranks: those to them are packed and sent before the rank's `own` work of the same step, those from them are
/// awaited after it. `len`: how many numbers a message has.
pub(super) fn exchange<P: Sync, R: Scalar>(
    (ranks, header): (&Ranks, MessageHeader),
    [sent, received]: [&[MessageItems<P>]; 2],
    len: impl Fn(&P) -> usize,
    pack: impl Fn(&P, Shared<'_, R>) + Sync,
    own: impl FnOnce(),
    mut unpack: impl FnMut(&P, Shared<'_, R>),
) -> Result<(), CommError> {
    received.iter().for_each(|from| ranks.expect::<R>(from.rank, len(&from.items)));
    let mut messages: Vec<Message> = sent.iter().map(|p| ranks.message::<R>(header, len(&p.items))).collect();
    let numbers: Vec<Shared<'_, R>> = messages.iter_mut().map(|m| Shared::new(m.numbers_mut())).collect();
    parallel_for(sent.len(), |n| pack(&sent[n].items, numbers[n]));
    let posted = sent.iter().zip(messages).try_for_each(|(to, message)| ranks.post(to.rank, message));
    own();
    posted?;
    for from in received {
        let mut message = ranks.wait::<R>(from.rank, header, len(&from.items))?;
        unpack(&from.items, Shared::new(message.numbers_mut()));
        ranks.recycle(message);
    }
    Ok(())
}

/// The layouts of boxes that lie one after another in a message.
pub(super) fn blocks<const D: usize>(boxes: impl Iterator<Item = CellBox<D>>) -> impl Iterator<Item = PatchLayout<D>> {
    let mut before = 0;
    boxes.map(move |cells| {
        let block = PatchLayout::block(cells, before);
        before += cells.volume();
        block
    })
}

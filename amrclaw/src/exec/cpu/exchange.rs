//! Exchange between ranks: parcels of items, in messages that hold boxes one after another, laid out as patches without ghost cells.

use crate::exec::comm::{CommError, Message, MessageHeader, Ranks};
use crate::fields::{PatchLayout, Shared};
use crate::index::CellBox;
use crate::plan::Parcel;
use crate::threads::parallel_for;
use riemann::real::Scalar;

/// Exchanges parcels with other ranks: messages to them are packed and sent before the rank's `own` work of the same step, those from them are
/// awaited after it. `len`: how many numbers the message of a parcel has.
pub(super) fn exchange<P: Sync, R: Scalar>(
    (ranks, header): (&Ranks, MessageHeader),
    [sent, received]: [&[Parcel<P>]; 2],
    len: impl Fn(&P) -> usize,
    pack: impl Fn(&P, Shared<'_, R>) + Sync,
    own: impl FnOnce(),
    mut unpack: impl FnMut(&P, Shared<'_, R>),
) -> Result<(), CommError> {
    received.iter().for_each(|parcel| ranks.expect::<R>(parcel.rank, len(&parcel.items)));
    let mut messages: Vec<Message> = sent.iter().map(|p| ranks.message::<R>(header, len(&p.items))).collect();
    let numbers: Vec<Shared<'_, R>> = messages.iter_mut().map(|m| Shared::new(m.numbers_mut())).collect();
    parallel_for(sent.len(), |n| pack(&sent[n].items, numbers[n]));
    let posted = sent.iter().zip(messages).try_for_each(|(parcel, message)| ranks.post(parcel.rank, message));
    own();
    posted?;
    for parcel in received {
        let mut message = ranks.wait::<R>(parcel.rank, header, len(&parcel.items))?;
        unpack(&parcel.items, Shared::new(message.numbers_mut()));
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

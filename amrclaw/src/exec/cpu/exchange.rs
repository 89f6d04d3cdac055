//! Exchange between ranks: parcels of items, in messages that hold boxes one after another, laid out as patches without ghost cells.

use crate::exec::comm::{CommError, Message, MessageHeader, Ranks};
use crate::fields::{PatchLayout, Shared};
use crate::index::CellBox;
use crate::plan::Parcel;
use crate::threads::parallel_for;
use riemann::real::Scalar;

/// Announces the parcels of other ranks, and sends each its own. `len`: how many numbers `pack` writes for the items.
pub(super) fn post<P: Sync, R: Scalar>(
    ranks: &Ranks,
    header: MessageHeader,
    (parcels, received): (&[Parcel<P>], &[Parcel<P>]),
    len: impl Fn(&P) -> usize,
    pack: impl Fn(&P, Shared<'_, R>) + Sync,
) -> Result<(), CommError> {
    received.iter().for_each(|parcel| ranks.expect::<R>(parcel.rank, len(&parcel.items)));
    let mut messages: Vec<Message> = parcels.iter().map(|p| ranks.message::<R>(header, len(&p.items))).collect();
    let numbers: Vec<Shared<'_, R>> = messages.iter_mut().map(|m| Shared::new(m.numbers_mut())).collect();
    parallel_for(parcels.len(), |n| pack(&parcels[n].items, numbers[n]));
    parcels.iter().zip(messages).try_for_each(|(parcel, message)| ranks.post(parcel.rank, message))
}

/// Waits for the parcel of each other rank, and passes its items and numbers to `unpack`.
pub(super) fn receive<P, R: Scalar>(
    ranks: &Ranks,
    header: MessageHeader,
    parcels: &[Parcel<P>],
    len: impl Fn(&P) -> usize,
    mut unpack: impl FnMut(&P, Shared<'_, R>),
) -> Result<(), CommError> {
    for parcel in parcels {
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

//! Memory that one device alone reaches: pages of the device, mapped to addresses for it and for no other.
//!
//! CUDA Driver API, Virtual Memory Management.

use super::slabs::PAGE;
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute};
use cudarc::driver::{CudaContext, DriverError};

/// True if the driver maps memory for this device, in pages of which slabs are multiples.
pub(super) fn can_map(context: &CudaContext) -> bool {
    let attribute = Attribute::CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED;
    let is_page = || {
        let (mut bytes, option) = (0, sys::CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
        // SAFETY: both are places for an answer and a question that the driver knows.
        let asked = unsafe { sys::cuMemGetAllocationGranularity(&raw mut bytes, &of_device(context), option) };
        asked.result().is_ok() && bytes > 0 && PAGE.is_multiple_of(bytes as u64)
    };
    context.attribute(attribute).is_ok_and(|can| can != 0) && is_page()
}

/// Properties of a device's pages.
fn of_device(context: &CudaContext) -> sys::CUmemAllocationProp {
    sys::CUmemAllocationProp {
        type_: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
        requestedHandleTypes: sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
        location: location(context),
        win32HandleMetaData: std::ptr::null_mut(),
        allocFlags: sys::CUmemAllocationProp_st__bindgen_ty_1 {
            compressionType: 0,
            gpuDirectRDMACapable: 0,
            usage: 0,
            reserved: [0; 4],
        },
    }
}

fn location(context: &CudaContext) -> sys::CUmemLocation {
    sys::CUmemLocation { type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: context.ordinal() as i32 }
}

/// Allocates at least so many bytes for the device of a context that is current in this thread; returns the address.
pub(super) fn allocate(context: &CudaContext, bytes: u64) -> Result<u64, DriverError> {
    let (size, pages, mut handle) = (bytes.next_multiple_of(PAGE) as usize, of_device(context), 0);
    // SAFETY: all are places for answers and descriptions of the device's pages.
    unsafe { sys::cuMemCreate(&raw mut handle, size, &raw const pages, 0) }.result()?;
    let address = map(context, handle, size);
    // SAFETY: the handle is this; pages stay as long as they are mapped.
    let _ = unsafe { sys::cuMemRelease(handle) };
    address
}

/// Maps pages for the device.
fn map(context: &CudaContext, pages: u64, size: usize) -> Result<u64, DriverError> {
    let flags = sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    let (access, mut address) = (sys::CUmemAccessDesc { location: location(context), flags }, 0);
    // SAFETY: the addresses are reserved for as many bytes as there are pages for; what fails is undone.
    unsafe {
        sys::cuMemAddressReserve(&raw mut address, size, 0, 0, 0).result()?;
        let mapped = sys::cuMemMap(address, size, 0, pages, 0).result();
        let opened = mapped.and_then(|()| sys::cuMemSetAccess(address, size, &raw const access, 1).result());
        if opened.is_err() {
            if mapped.is_ok() {
                let _ = sys::cuMemUnmap(address, size);
            }
            let _ = sys::cuMemAddressFree(address, size);
        }
        opened.map(|()| address)
    }
}

/// Frees memory when all work of the device is done.
///
/// # Safety
/// [`allocate`] gave the address for so many bytes, of which nobody uses any.
pub(super) unsafe fn free(context: &CudaContext, address: u64, bytes: u64) -> Result<(), DriverError> {
    let size = bytes.next_multiple_of(PAGE) as usize;
    context.synchronize()?;
    // SAFETY: the caller's promise; no work is left that uses it.
    unsafe {
        sys::cuMemUnmap(address, size).result()?;
        sys::cuMemAddressFree(address, size).result()
    }
}

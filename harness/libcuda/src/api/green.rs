//! Green contexts, and the resources of a device that they have (`cuGreenCtx*`, `cuDevResource*`): its multiprocessors.

use crate::abi::constants::{green_flags, resource_type, split_flags, stream_flags};
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get, get_all, need, put, put_optional};
use crate::abi::types::{Device, Handle, Resource, ResourceValueSm};
use crate::api::device;
use crate::state::contexts::attributes::Attributes;
use crate::state::contexts::context::{self, Context};
use crate::state::contexts::current::{current, given_or_current, top};
use crate::state::contexts::green::{self, Green, of_context};
use crate::state::contexts::stream::Stream;
use crate::state::contexts::streams;
use crate::state::device::driver::driver;
use crate::state::device::handles::HandleTable;
use crate::state::graphs::capture;
use crate::state::graphs::event::{self, Mark, Recorded};
use crate::state::graphs::task::Task;
use crate::state::lifetime;
use gpu::Part;
use std::ffi::{c_int, c_uint};
use std::sync::Arc;

/// Descriptions of resources: numbers of multiprocessors.
static DESCRIPTIONS: HandleTable<u32> = HandleTable::new();

/// Returns the minimum number of multiprocessors of a group, and the number of which it must be a multiple (cuda.h,
/// `cuGreenCtx*`).
fn unit(profile: &Part, independent: bool) -> (u32, u32) {
    match profile {
        _ if independent => (2, 2),
        part if part.at_least(9, 0) => (8, 8),
        part if part.at_least(8, 0) => (4, 2),
        _ => (2, 2),
    }
}

/// Creates a resource of `sms` multiprocessors; `split` marks one that cannot be split again, in the first of the bytes
/// that cuda.h reserves for the driver.
fn resource(sms: u32, split: bool) -> Result<Resource> {
    let (least, alignment) = unit(driver()?.profile, false);
    let mut resource = Resource { kind: resource_type::SM, ..Resource::default() };
    resource.internal_padding[0] = split.into();
    resource.value.set_sm(ResourceValueSm {
        sm_count: sms,
        min_sm_partition_size: least,
        sm_coscheduled_alignment: alignment,
    });
    Ok(resource)
}

/// Returns the number of multiprocessors of a resource.
fn sms_of(resource: &Resource) -> u32 {
    resource.value.sm().sm_count
}

fn put_resource(out: *mut Resource, kind: c_int, sms: u32) -> Result {
    need(out)?;
    if kind != resource_type::SM {
        return Err(Error::INVALID_RESOURCE_TYPE);
    }
    put(out, resource(sms, false)?)
}

fn of_device(dev: Device, out: *mut Resource, kind: c_int) -> Result {
    device::check(dev)?;
    put_resource(out, kind, driver()?.profile.sms)
}

fn of_any_context(handle: Handle, out: *mut Resource, kind: c_int) -> Result {
    given_or_current(handle)?;
    let green = of_context(if handle == 0 { top() } else { handle });
    put_resource(out, kind, green.map_or(driver()?.profile.sms, |green| green.sms))
}

fn of_green(handle: Handle, out: *mut Resource, kind: c_int) -> Result {
    driver()?;
    put_resource(out, kind, green::find(handle)?.sms)
}

fn split(
    out: *mut Resource,
    count: *mut c_uint,
    input: *const Resource,
    rest: *mut Resource,
    flags: c_uint,
    least: c_uint,
) -> Result {
    let profile = driver()?.profile;
    let (asked, input) = (get(count)?, get(input)?);
    if input.kind != resource_type::SM {
        return Err(Error::INVALID_RESOURCE_TYPE);
    }
    let both = split_flags::IGNORE_SM_COSCHEDULING | split_flags::MAX_POTENTIAL_CLUSTER_SIZE;
    if flags & both == both || (!out.is_null() && asked == 0) {
        return Err(Error::INVALID_VALUE);
    }
    if least > sms_of(&input) || input.internal_padding[0] != 0 {
        return Err(Error::INVALID_RESOURCE_CONFIGURATION);
    }
    let (smallest, alignment) = unit(profile, flags & split_flags::IGNORE_SM_COSCHEDULING != 0);
    let size = least.max(smallest).next_multiple_of(alignment).min(sms_of(&input));
    let most = sms_of(&input) / size.max(1);
    let groups = if out.is_null() { most } else { most.min(asked) };
    put(count, groups)?;
    if !out.is_null() {
        for at in 0..groups as usize {
            // SAFETY: the caller promises room for `asked` resources.
            unsafe { out.add(at).write_unaligned(resource(size, true)?) };
        }
    }
    let left = sms_of(&input) - groups * size;
    let mut remaining = resource(left, true)?;
    if left == 0 {
        remaining.kind = resource_type::INVALID;
    }
    put_optional(rest, remaining);
    Ok(())
}

fn describe(out: *mut Handle, resources: *const Resource, count: c_uint) -> Result {
    driver()?;
    need(out)?;
    let resources = get_all(resources, count as usize)?;
    if resources.is_empty() {
        return Err(Error::INVALID_VALUE);
    }
    if resources.iter().any(|resource| resource.kind != resource_type::SM) {
        return Err(Error::INVALID_RESOURCE_TYPE);
    }
    let sms = resources.iter().fold(0, |sum: u32, resource| sum.saturating_add(sms_of(resource)));
    put(out, DESCRIPTIONS.insert(Arc::new(sms)))
}

fn create(out: *mut Handle, description: Handle, dev: Device, flags: c_uint) -> Result {
    device::check(dev)?;
    need(out)?;
    if flags != green_flags::DEFAULT_STREAM {
        return Err(Error::INVALID_VALUE);
    }
    // Without a description it has the whole device, as with NVIDIA's driver.
    let all = driver()?.profile.sms;
    let sms = if description == 0 { all } else { *DESCRIPTIONS.get(description).map_err(|_| Error::INVALID_VALUE)? };
    put(out, green::create(lifetime::retain_primary(), sms.min(all)))
}

/// Returns the streams of a green context.
fn streams_of(green: &Arc<Green>) -> Result<Vec<Arc<Stream>>> {
    let mine = |stream: &Arc<Stream>| stream.green.as_ref().is_some_and(|of| Arc::ptr_eq(of, green));
    Ok(context::find(green.primary)?.all_streams().into_iter().filter(mine).collect())
}

fn destroy(handle: Handle) -> Result {
    driver()?;
    let green = green::find(handle)?;
    capture::forbid()?;
    for stream in streams_of(&green)? {
        capture::abandon(&stream);
        stream.finish();
    }
    green::end(&green);
    // After a reset the primary context may already be released.
    let _ = lifetime::release_primary();
    Ok(())
}

fn context_of(out: *mut Handle, handle: Handle) -> Result {
    driver()?;
    need(out)?;
    put(out, green::find(handle)?.context)
}

fn id_of(handle: Handle, out: *mut u64) -> Result {
    driver()?;
    need(out)?;
    put(out, green::find(handle)?.context as u64)
}

fn create_stream(out: *mut Handle, handle: Handle, flags: c_uint, priority: c_int) -> Result {
    driver()?;
    need(out)?;
    let green = green::find(handle)?;
    if flags != stream_flags::NON_BLOCKING {
        return Err(Error::INVALID_VALUE);
    }
    let context = context::find(green.primary)?;
    put(out, streams::create(&context, flags, priority, Some(green)))
}

fn of_stream(stream: Handle, out: *mut Handle) -> Result {
    let stream = streams::find(stream)?;
    put(out, stream.green.as_ref().map_or(0, |green| green.handle))
}

/// Records an event that completes when the streams reach their current positions.
fn record(event: Handle, context: &Arc<Context>, streams: &[Arc<Stream>]) -> Result {
    let event = event::find(event)?;
    capture::forbid()?;
    // A stream without a handle waits for all of them.
    let last = Stream::new(Arc::downgrade(context), stream_flags::NON_BLOCKING, Attributes::default(), false);
    if !event.same_context(&last) {
        return Err(Error::INVALID_HANDLE);
    }
    for stream in streams {
        let mark = Arc::new(Mark::default());
        capture::enqueue(stream, Task::Record(Arc::clone(&mark)))?;
        last.submit(Task::Wait(mark))?;
    }
    last.submit(Task::Record(event.mark()))
}

/// Makes streams wait for an event.
fn wait(event: Handle, streams: &[Arc<Stream>]) -> Result {
    let event = event::find(event)?;
    capture::forbid()?;
    match event.recorded() {
        Recorded::Mark(mark) => {
            streams.iter().try_for_each(|stream| capture::enqueue(stream, Task::Wait(Arc::clone(&mark))))
        }
        Recorded::Captured(..) => Err(Error::CAPTURED_EVENT),
        Recorded::Never => Ok(()),
    }
}

fn record_green(handle: Handle, event: Handle) -> Result {
    driver()?;
    let green = green::find(handle)?;
    record(event, &context::find(green.primary)?, &streams_of(&green)?)
}
fn wait_green(handle: Handle, event: Handle) -> Result {
    driver()?;
    wait(event, &streams_of(&green::find(handle)?)?)
}
/// Returns the context of a handle with its streams; for the context of a green context, the streams of the green
/// context.
fn all_of(handle: Handle) -> Result<(Arc<Context>, Vec<Arc<Stream>>)> {
    current()?;
    let context = given_or_current(handle)?;
    let green = of_context(if handle == 0 { top() } else { handle });
    let streams = green.map_or_else(|| Ok(context.all_streams()), |green| streams_of(&green))?;
    Ok((context, streams))
}
fn record_context(handle: Handle, event: Handle) -> Result {
    let (context, streams) = all_of(handle)?;
    record(event, &context, &streams)
}
fn wait_context(handle: Handle, event: Handle) -> Result {
    wait(event, &all_of(handle)?.1)
}

entry_points! {
    cuDeviceGetDevResource(dev: Device, out: *mut Resource, kind: c_int) = of_device;
    cuCtxGetDevResource(context: Handle, out: *mut Resource, kind: c_int) = of_any_context;
    cuGreenCtxGetDevResource(green: Handle, out: *mut Resource, kind: c_int) = of_green;
    cuDevSmResourceSplitByCount(out: *mut Resource, count: *mut c_uint, input: *const Resource, rest: *mut Resource,
        flags: c_uint, least: c_uint) = split;
    cuDevResourceGenerateDesc(out: *mut Handle, resources: *const Resource, count: c_uint) = describe;
    cuGreenCtxCreate(out: *mut Handle, description: Handle, dev: Device, flags: c_uint) = create;
    cuGreenCtxDestroy(green: Handle) = destroy;
    cuGreenCtxGetId(green: Handle, out: *mut u64) = id_of;
    cuCtxFromGreenCtx(out: *mut Handle, green: Handle) = context_of;
    cuGreenCtxStreamCreate(out: *mut Handle, green: Handle, flags: c_uint, priority: c_int) = create_stream;
    cuStreamGetGreenCtx(stream: Handle, out: *mut Handle) = of_stream;
    cuGreenCtxRecordEvent(green: Handle, event: Handle) = record_green;
    cuGreenCtxWaitEvent(green: Handle, event: Handle) = wait_green;
    cuCtxRecordEvent(context: Handle, event: Handle) = record_context;
    cuCtxWaitEvent(context: Handle, event: Handle) = wait_context;
}

//! The attributes of kernels in graphs (`cuGraphKernelNode*Attribute*`).

use super::graph_node_params::read;
use super::stream::put_value;
use crate::abi::constants::launch_attribute::{
    CLUSTER_DIMENSION, COOPERATIVE, DEVICE_UPDATABLE_KERNEL_NODE, NVLINK_UTIL_CENTRIC_SCHEDULING,
};
use crate::abi::error::{Error, Result};
use crate::abi::pointers::{get, need};
use crate::abi::types::Handle;
use crate::state::contexts::attributes::{OF_NODES, Value, number, number_at, numbers};
use crate::state::device::driver::tell;
use crate::state::graphs::graph::find_node;
use crate::state::graphs::task::Task;
use crate::state::modules::launch::KernelLaunch;
use simt::kernel::Geometry;
use std::ffi::c_int;
use std::sync::Arc;

fn check(attribute: c_int) -> Result {
    if OF_NODES.contains(&attribute) { Ok(()) } else { Err(Error::INVALID_VALUE) }
}

fn value_of(launch: &KernelLaunch, attribute: c_int) -> Value {
    match attribute {
        COOPERATIVE => number(launch.asked.cooperative.into()),
        CLUSTER_DIMENSION => numbers(launch.geometry.cluster.unwrap_or_default().map(|blocks| blocks as i32)),
        _ => launch.attributes.get(attribute),
    }
}

/// Returns the launch with one attribute changed.
fn changed(launch: &KernelLaunch, attribute: c_int, value: Value) -> Result<Arc<KernelLaunch>> {
    let (mut asked, mut attributes) = (launch.asked, launch.attributes.clone());
    match attribute {
        COOPERATIVE => asked.cooperative = number_at(&value, 0) != 0,
        CLUSTER_DIMENSION => {
            let blocks = [0, 1, 2].map(|at| number_at(&value, at) as u32);
            if blocks != [0; 3] && blocks.contains(&0) {
                return Err(Error::INVALID_CLUSTER_SIZE);
            }
            asked.cluster = (blocks != [0; 3]).then_some(blocks);
        }
        DEVICE_UPDATABLE_KERNEL_NODE if number_at(&value, 0) != 0 => {
            tell(|observer| observer.unsupported("kernel nodes that a kernel changes (deviceUpdatableKernelNode)"));
            return Err(Error::NOT_SUPPORTED);
        }
        _ => attributes.set(attribute, value)?,
    }
    launch.with(asked, attributes)
}

fn get_attribute(node: Handle, attribute: c_int, out: *mut Value) -> Result {
    need(out)?;
    read(node, |task| match task {
        Task::Kernel(launch) => {
            check(attribute)?;
            put_value(out, attribute, &value_of(launch, attribute))
        }
        _ => Err(Error::INVALID_VALUE),
    })
}

fn set_attribute(node: Handle, attribute: c_int, value: *const Value) -> Result {
    let value = get(value)?;
    let (graph, index) = find_node(node)?;
    graph.change(index, |task| match task {
        // A hint that can be set but not queried.
        Task::Kernel(_) if attribute == NVLINK_UTIL_CENTRIC_SCHEDULING => Ok(()),
        Task::Kernel(launch) => {
            check(attribute)?;
            *launch = changed(launch, attribute, value)?;
            Ok(())
        }
        _ => Err(Error::INVALID_VALUE),
    })
}

fn copy_attributes(to: Handle, from: Handle) -> Result {
    let mut source = None;
    read(from, |task| match task {
        Task::Kernel(launch) => {
            source = Some(Arc::clone(launch));
            Ok(())
        }
        _ => Err(Error::INVALID_VALUE),
    })?;
    let source = source.ok_or(Error::INVALID_VALUE)?;
    let (graph, index) = find_node(to)?;
    graph.change(index, |task| match task {
        Task::Kernel(launch) => {
            let Geometry { cooperative, cluster, .. } = source.asked;
            *launch = launch.with(Geometry { cooperative, cluster, ..launch.asked }, source.attributes.clone())?;
            Ok(())
        }
        _ => Err(Error::INVALID_VALUE),
    })
}

entry_points! {
    cuGraphKernelNodeGetAttribute(node: Handle, attribute: c_int, out: *mut Value) = get_attribute;
    cuGraphKernelNodeSetAttribute(node: Handle, attribute: c_int, value: *const Value) = set_attribute;
    cuGraphKernelNodeCopyAttributes(to: Handle, from: Handle) = copy_attributes;
}

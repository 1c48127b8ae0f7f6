//! The wording of findings about warpgroups.

use crate::finding::WarpgroupMisuse;

/// Returns a description of the mistake.
pub(super) const fn what(misuse: WarpgroupMisuse) -> &'static str {
    match misuse {
        WarpgroupMisuse::Incomplete => "The block has fewer than four warps for it",
        WarpgroupMisuse::Apart => "Its warps execute different products",
        WarpgroupMisuse::Exited => "A warp of it has exited without a product that the others execute",
        WarpgroupMisuse::Unfenced => "There is no wgmma.fence before its first product",
        WarpgroupMisuse::Pending => "A register of a product that has not been waited for is used",
        WarpgroupMisuse::OtherProxy => {
            "A product reads shared memory that was written without a fence between the proxies"
        }
    }
}

/// Returns the remedy.
pub(super) const fn remedy(misuse: WarpgroupMisuse) -> &'static str {
    match misuse {
        WarpgroupMisuse::Incomplete => {
            "launch blocks of a multiple of 128 threads: four warps execute a wgmma together"
        }
        WarpgroupMisuse::Apart | WarpgroupMisuse::Exited => {
            "let all four warps of the warpgroup execute the same wgmma instructions in the same order: branch by whole warpgroups of 128 threads"
        }
        WarpgroupMisuse::Unfenced => {
            "put wgmma.fence.sync.aligned before the first wgmma.mma_async, and wherever registers of the next one were written"
        }
        WarpgroupMisuse::Pending => {
            "put wgmma.commit_group and wgmma.wait_group behind the wgmma.mma_async before its registers are read or written"
        }
        WarpgroupMisuse::OtherProxy => {
            "put fence.proxy.async.shared::cta behind the writes, in the threads that wrote, before the barrier that the warpgroup waits at"
        }
    }
}

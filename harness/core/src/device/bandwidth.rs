//! Measures the bandwidth of a GPU's memory for reading alone and for writing alone, with kernels that do nothing else.
use std::sync::Arc;

use cudarc::{
    driver::{CudaContext, CudaFunction, CudaSlice, CudaStream, LaunchConfig, PushKernelArg},
    nvrtc::Ptx,
};

use crate::error::Result;

/// The PTX of a kernel over `tiles` tiles of 16 KiB from address `memory` on, processed one at a time by blocks of 256
/// threads. In its loop `%rd7` is the address of the thread's first 16 bytes in the tile; the next ones are at
/// 4096-byte intervals.
macro_rules! over_tiles {
    ($name:literal, more: $more:literal, before: $before:literal, tile: $tile:literal, after: $after:literal) => {
        concat!(
            ".visible .entry ",
            $name,
            "(.param .u64 memory, .param .u64 tiles",
            $more,
            ")
{
    .reg .pred %p<3>;
    .reg .b32 %r<24>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [memory];
    ld.param.u64 %rd2, [tiles];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %nctaid.x;
    mov.u32 %r3, %tid.x;
    cvt.u64.u32 %rd4, %r1;
    cvt.u64.u32 %rd5, %r2;
    mul.wide.u32 %rd6, %r3, 16;
    add.s64 %rd1, %rd1, %rd6;
",
            $before,
            "AGAIN:
    setp.ge.u64 %p1, %rd4, %rd2;
    @%p1 bra DONE;
    shl.b64 %rd7, %rd4, 14;
    add.s64 %rd7, %rd1, %rd7;
",
            $tile,
            "    add.s64 %rd4, %rd4, %rd5;
    bra AGAIN;
DONE:
",
            $after,
            "    ret;
}
"
        )
    };
}

/// `read_all(memory, tiles, out)` reads the tiles; each thread reads four times 16 bytes of a tile. A thread combines
/// its values by exclusive or, and writes the result to `out[0]` only if it equals a certain number, so that no load
/// can be optimized away. `write_all(memory, tiles)` fills the tiles with ones. For the oldest target and PTX version
/// that any supported driver reads.
const KERNELS: &str = concat!(
    ".version 6.0
.target sm_50
.address_size 64
",
    over_tiles!(
        "read_all",
        more: ", .param .u64 out",
        before: "    ld.param.u64 %rd3, [out];
    mov.u32 %r4, 0;
",
        tile: "    ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd7];
    ld.global.v4.u32 {%r9, %r10, %r11, %r12}, [%rd7+4096];
    ld.global.v4.u32 {%r13, %r14, %r15, %r16}, [%rd7+8192];
    ld.global.v4.u32 {%r17, %r18, %r19, %r20}, [%rd7+12288];
    xor.b32 %r4, %r4, %r5;
    xor.b32 %r4, %r4, %r6;
    xor.b32 %r4, %r4, %r7;
    xor.b32 %r4, %r4, %r8;
    xor.b32 %r4, %r4, %r9;
    xor.b32 %r4, %r4, %r10;
    xor.b32 %r4, %r4, %r11;
    xor.b32 %r4, %r4, %r12;
    xor.b32 %r4, %r4, %r13;
    xor.b32 %r4, %r4, %r14;
    xor.b32 %r4, %r4, %r15;
    xor.b32 %r4, %r4, %r16;
    xor.b32 %r4, %r4, %r17;
    xor.b32 %r4, %r4, %r18;
    xor.b32 %r4, %r4, %r19;
    xor.b32 %r4, %r4, %r20;
",
        after: "    setp.ne.u32 %p2, %r4, 0x9E3779B9;
    @%p2 ret;
    st.global.u32 [%rd3], %r4;
"
    ),
    over_tiles!(
        "write_all",
        more: "",
        before: "    mov.u32 %r4, 1;
    ",
        tile: "    st.global.v4.u32 [%rd7], {%r4, %r4, %r4, %r4};
    st.global.v4.u32 [%rd7+4096], {%r4, %r4, %r4, %r4};
    st.global.v4.u32 [%rd7+8192], {%r4, %r4, %r4, %r4};
    st.global.v4.u32 [%rd7+12288], {%r4, %r4, %r4, %r4};
",
        after: ""
    )
);

/// Bytes that a block of either kernel processes at a time.
pub(crate) const TILE: usize = 1 << 14;

/// Threads of a block of either kernel.
const THREADS: u32 = 256;

/// The kernels, loaded.
#[derive(Debug)]
pub(crate) struct Bandwidth {
    stream: Arc<CudaStream>,
    read: CudaFunction,
    write: CudaFunction,
    out: CudaSlice<u32>,
}

impl Bandwidth {
    /// Loads the kernels for `stream`.
    ///
    /// # Errors
    /// The driver's errors.
    pub(crate) fn new(context: &Arc<CudaContext>, stream: &Arc<CudaStream>) -> Result<Self> {
        let module = context.load_module(Ptx::from_src(KERNELS))?;
        let (read, write) = (module.load_function("read_all")?, module.load_function("write_all")?);
        Ok(Self { stream: stream.clone(), read, write, out: stream.alloc_zeros(1)? })
    }

    /// Queues a launch of `blocks` blocks that reads all of `memory`, which must be a whole number of tiles.
    ///
    /// # Errors
    /// The driver's errors.
    pub(crate) fn read(&mut self, memory: &CudaSlice<u8>, blocks: u32) -> Result<()> {
        let tiles = (memory.len() / TILE) as u64;
        let mut builder = self.stream.launch_builder(&self.read);
        builder.arg(memory).arg(&tiles).arg(&mut self.out);
        // SAFETY: these are the kernel's parameters: the memory with its number of tiles, and a word.
        unsafe { builder.launch(launch(blocks)) }?;
        Ok(())
    }

    /// As [`Bandwidth::read`], but it writes all of `memory`.
    ///
    /// # Errors
    /// The driver's errors.
    pub(crate) fn write(&mut self, memory: &mut CudaSlice<u8>, blocks: u32) -> Result<()> {
        let tiles = (memory.len() / TILE) as u64;
        let mut builder = self.stream.launch_builder(&self.write);
        builder.arg(memory).arg(&tiles);
        // SAFETY: these are the kernel's parameters: the memory with its number of tiles.
        unsafe { builder.launch(launch(blocks)) }?;
        Ok(())
    }
}

fn launch(blocks: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::session::Session;

    /// The value that the kernel searches for.
    const SOUGHT: u32 = 0x9E37_79B9;

    #[test]
    fn every_word_is_read_and_written() {
        let session = Session::open(&"emulated".parse().unwrap()).unwrap();
        let stream = &session.stream;
        let (tiles, blocks) = (7, 3);
        let mut kernels = Bandwidth::new(&session.context, stream).unwrap();
        let mut bytes = vec![0_u8; tiles * TILE];
        kernels.read(&stream.clone_htod(&bytes).unwrap(), blocks).unwrap();
        assert_eq!(stream.clone_dtoh(&kernels.out).unwrap(), [0]);
        // In the first and last word, in the middle, and at the beginning and end of a thread's 16 bytes and of a tile.
        for word in [0, 3, 4, 1023, 1024, 4095, 4096, 9999, tiles * TILE / 4 - 1] {
            bytes[4 * word..4 * word + 4].copy_from_slice(&SOUGHT.to_le_bytes());
            kernels.read(&stream.clone_htod(&bytes).unwrap(), blocks).unwrap();
            assert_eq!(stream.clone_dtoh(&kernels.out).unwrap(), [SOUGHT], "{word}");
            stream.memset_zeros(&mut kernels.out).unwrap();
            bytes.fill(0);
        }
        let mut memory = stream.clone_htod(&bytes).unwrap();
        kernels.write(&mut memory, blocks).unwrap();
        assert!(stream.clone_dtoh(&memory).unwrap().chunks(4).all(|word| word == [1, 0, 0, 0]));
    }
}

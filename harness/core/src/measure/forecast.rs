//! Estimates how long the emulation of a case will take, so that the user knows.
//!
//! A smaller case of the same variant shows it. For the first case of a prediction for a GPU's run, whose time is
//! bounded, a small kernel with the case's own blocks is timed. That says little about what the case's own kernel does.
use std::time::{Duration, Instant};

use cudarc::{
    driver::{LaunchConfig, PushKernelArg},
    nvrtc::Ptx,
};

use crate::{
    device::{launch::launch_1d, machine, session::Session},
    error::Result,
};

/// Cases with fewer elements get no estimate.
const FEW: u64 = 1 << 24;

/// Shorter estimates are not shown.
pub(crate) const LONG: Duration = Duration::from_secs(30);

/// The default number of simple steps for each element: those of the labs do between one and five.
pub(crate) const STEPS: u64 = 3;

/// A case that took less says nothing about larger ones: most of its time may not depend on the size.
const TELLING: Duration = Duration::from_millis(300);
/// The minimum time over which the rate is measured.
const MEASURED: Duration = Duration::from_millis(30);
/// The maximum number of elements for measuring the rate, which is enough on any computer.
const MOST: u32 = 1 << 24;

/// With more blocks than this, the rate is that of this many blocks: every processor of this computer is busy.
const BUSY: u32 = 512;

/// Adds 1 to each of n floats, with a grid-stride loop: about the work of a simple kernel's thread for an element.
const PTX: &str = "
.version 6.0
.target sm_50
.address_size 64
.visible .entry add_one(.param .u64 x, .param .u32 n)
{
    .reg .pred %p<3>;
    .reg .b32 %r<8>;
    .reg .f32 %f<3>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [x];
    ld.param.u32 %r1, [n];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    mov.u32 %r6, %nctaid.x;
    mul.lo.u32 %r6, %r6, %r3;
$next:
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 ret;
    mul.wide.u32 %rd2, %r5, 4;
    add.u64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3];
    add.f32 %f2, %f1, 0f3F800000;
    st.global.f32 [%rd3], %f2;
    add.u32 %r5, %r5, %r6;
    bra $next;
}
";

/// The measured speed of this computer, and the estimates that were shown.
#[derive(Debug, Default)]
pub(crate) struct Forecasts {
    /// Elements per second, by the blocks and threads of the launch.
    rates: Vec<((u32, u32), f64)>,
    /// Seconds an element, by variant: what its last case took.
    taken: Vec<(String, f64)>,
    /// The longest time that was announced.
    told: Duration,
}

impl Forecasts {
    /// Estimates the emulation time of `elements` by this launch; `None` if it is short.
    ///
    /// # Errors
    /// The driver's errors.
    pub(crate) fn estimate(
        &mut self,
        session: &Session,
        launch: LaunchConfig,
        elements: u64,
    ) -> Result<Option<Duration>> {
        if elements <= FEW {
            return Ok(None);
        }
        let product = |(x, y, z): (u32, u32, u32)| x.saturating_mul(y).saturating_mul(z);
        let shape = (product(launch.grid_dim).min(BUSY), product(launch.block_dim));
        let known = self.rates.iter().find(|(known, _)| *known == shape);
        let rate = match known {
            Some((_, rate)) => *rate,
            None => {
                let rate = rate(session, shape)?;
                self.rates.push((shape, rate));
                rate
            }
        };
        let time = Duration::try_from_secs_f64(elements as f64 / rate).unwrap_or(Duration::MAX);
        Ok((time >= LONG).then_some(time))
    }

    /// The time that `elements` will take in another case of a variant; `None` if the variant has not run.
    pub(crate) fn of_variant(&self, variant: &str, elements: u64) -> Option<Duration> {
        let (_, seconds) = self.taken.iter().find(|(known, _)| known == variant)?;
        Some(Duration::try_from_secs_f64(elements as f64 * seconds).unwrap_or(Duration::MAX))
    }

    /// Notes that `elements` of a case of this variant took so long.
    pub(crate) fn took(&mut self, variant: &str, elements: u64, time: Duration) {
        if time < TELLING || elements == 0 {
            return;
        }
        let seconds = time.as_secs_f64() / elements as f64;
        match self.taken.iter_mut().find(|(known, _)| known == variant) {
            Some((_, known)) => *known = seconds,
            None => self.taken.push((variant.to_owned(), seconds)),
        }
    }

    /// Whether this time is news: much longer than any that was announced.
    pub(crate) fn is_news(&mut self, time: Duration) -> bool {
        let is_news = time >= self.told.saturating_mul(2);
        if is_news {
            self.told = time;
        }
        is_news
    }
}

/// Measures elements per second, for `blocks` blocks of `threads` threads, with the current checks.
fn rate(session: &Session, (blocks, threads): (u32, u32)) -> Result<f64> {
    let add_one = session.context.load_module(Ptx::from_src(PTX))?.load_function("add_one")?;
    // One allocation of a fixed size, regardless of this computer's speed, so that the addresses of a run's arrays, and
    // the counters that depend on them, are the same on any computer. Only the used part takes memory. SAFETY: the used
    // part is written first.
    let mut all = unsafe { session.stream.alloc::<f32>(MOST as usize) }?;
    let mut n = 1_u32 << 16;
    loop {
        let mut x = all.slice_mut(..n as usize);
        session.stream.memset_zeros(&mut x)?;
        session.stream.synchronize()?;
        let began = Instant::now();
        // SAFETY: the kernel takes a vector and its length, and accesses nothing else.
        unsafe { session.stream.launch_builder(&add_one).arg(&mut x).arg(&n).launch(launch_1d(blocks, threads)) }?;
        session.stream.synchronize()?;
        let took = began.elapsed();
        // This launch is not part of the run.
        machine::report()?;
        if took >= MEASURED || n >= MOST {
            return Ok(f64::from(n) / took.as_secs_f64().max(1e-9));
        }
        n *= 4;
    }
}

/// Formats a time, rounded like an estimate.
pub(crate) fn in_words(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let (count, unit) = match seconds {
        s if s < 90.0 => (s, "second"),
        s if s < 90.0 * 60.0 => (s / 60.0, "minute"),
        s if s < 48.0 * 3600.0 => (s / 3600.0, "hour"),
        s => (s / 86400.0, "day"),
    };
    let count = count.round();
    format!("{count} {unit}{}", if count == 1.0 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_round_numbers() {
        let words = [1.0, 45.2, 780.0, 5399.0, 7300.0, 1e6].map(|s| in_words(Duration::from_secs_f64(s)));
        assert_eq!(words, ["1 second", "45 seconds", "13 minutes", "90 minutes", "2 hours", "12 days"]);
    }

    #[test]
    fn what_a_smaller_case_took_says_how_long_a_larger_one_takes() {
        let mut forecasts = Forecasts::default();
        assert_eq!(forecasts.of_variant("tiled", 1 << 40), None, "nothing is known of it");
        forecasts.took("tiled", 1000, Duration::from_millis(1));
        assert_eq!(forecasts.of_variant("tiled", 1 << 40), None, "too short to tell");
        forecasts.took("tiled", 1000, Duration::from_secs(1));
        let minute = Duration::from_secs(60);
        assert_eq!(forecasts.of_variant("tiled", 60_000), Some(minute));
        assert_eq!(forecasts.of_variant("naive", 60_000), None);
        forecasts.took("tiled", 1000, Duration::from_secs(2));
        assert_eq!(forecasts.of_variant("tiled", 60_000), Some(2 * minute));
    }

    #[test]
    fn only_a_much_longer_time_is_told_again() {
        let mut forecasts = Forecasts::default();
        let told = [40, 60, 79, 80, 300, 100].map(|s| forecasts.is_news(Duration::from_secs(s)));
        assert_eq!(told, [true, false, false, true, true, false]);
    }
}

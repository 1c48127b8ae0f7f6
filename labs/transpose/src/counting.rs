//! The memory accesses of the rows, by arithmetic: the requests of their warps, the 32-byte sectors of these, and the
//! passes of shared memory beyond the first.
/// Lanes of a warp, and banks of shared memory.
pub const WARP: u64 = 32;
/// Floats of a sector. Arrays begin at a sector boundary.
const SECTOR: u64 = 8;

/// Requests to global memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Requests {
    /// Warp instructions with at least one active lane.
    pub requests: u64,
    /// Sectors that these access.
    pub sectors: u64,
}

impl Requests {
    /// Adds the request of lanes that access `floats` floats each, 1 or 4, beginning at these elements.
    fn add(&mut self, floats: u64, lanes: impl Iterator<Item = u64>) {
        let mut sectors: Vec<u64> = lanes.map(|element| element / SECTOR).collect();
        // A float4 lies in one sector, as it is aligned.
        debug_assert!(floats == 1 || floats == 4);
        sectors.sort_unstable();
        sectors.dedup();
        self.requests += u64::from(!sectors.is_empty());
        self.sectors += sectors.len() as u64;
    }

    /// The average number of sectors of a request.
    pub fn each(self) -> f64 {
        self.sectors as f64 / self.requests as f64
    }
}

/// The memory accesses of a kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Its loads from global memory.
    pub loads: Requests,
    /// Its stores to global memory.
    pub stores: Requests,
    /// Passes over the banks of shared memory beyond the first of each request.
    pub conflicts: u64,
}

impl Count {
    /// Adds `times` parts with the same accesses as `part`.
    fn add(&mut self, part: &Self, times: u64) {
        for (all, one) in [(&mut self.loads, part.loads), (&mut self.stores, part.stores)] {
            all.requests += times * one.requests;
            all.sectors += times * one.sectors;
        }
        self.conflicts += times * part.conflicts;
    }

    /// Adds the request of lanes that each access one of these words of shared memory.
    fn shared(&mut self, words: impl Iterator<Item = u64>) {
        self.conflicts += ways(words).saturating_sub(1);
    }
}

/// The passes that one request to these words of shared memory takes: the most different words in one bank.
pub fn ways(words: impl Iterator<Item = u64>) -> u64 {
    let mut all: Vec<u64> = words.collect();
    all.sort_unstable();
    all.dedup();
    let mut banks = [0; WARP as usize];
    for word in all {
        banks[(word % WARP) as usize] += 1;
    }
    banks.into_iter().max().unwrap_or(0)
}

/// A copy on a line: thread i accesses `floats` floats from element `load(i)` and `store(i)` on. All whole warps begin
/// at the same offset in a sector (32 threads further is a multiple of 8 elements further), so one represents all.
pub fn line(threads: u64, floats: u64, load: impl Fn(u64) -> u64, store: impl Fn(u64) -> u64) -> Count {
    let warp = |threads: std::ops::Range<u64>| {
        let mut count = Count::default();
        count.loads.add(floats, threads.clone().map(&load));
        count.stores.add(floats, threads.map(&store));
        count
    };
    let whole = threads / WARP;
    let mut count = warp(whole * WARP..threads);
    if whole > 0 {
        debug_assert!([load(WARP) - load(0), store(WARP) - store(0)].iter().all(|step| step.is_multiple_of(SECTOR)));
        count.add(&warp(0..WARP), whole);
    }
    count
}

/// `copy_wide`: four floats per thread, and the last ones one at a time.
pub fn wide_line(n: u64) -> Count {
    let mut count = line(n / 4, 4, |i| 4 * i, |i| 4 * i);
    let rest = || n / 4 * 4..n;
    count.loads.add(1, rest());
    count.stores.add(1, rest());
    count
}

/// The tiles of a matrix of m rows of n: the row and column where a tile begins, and the number of tiles with the same
/// accesses. Their sides are multiples of 8, so all whole tiles are aligned alike to sectors; so are those at the right
/// edge, and those at the lower edge.
fn tiles(m: u64, n: u64, (rows, columns): (u64, u64)) -> impl Iterator<Item = ((u64, u64), u64)> {
    debug_assert!(rows.is_multiple_of(SECTOR) && columns.is_multiple_of(SECTOR));
    // The whole tiles along a side, and the partial one.
    let kinds = move |side: u64, edge: u64| {
        let rest = u64::from(!side.is_multiple_of(edge));
        [(0, side / edge), (side / edge * edge, rest)].into_iter().filter(|(_, times)| *times > 0)
    };
    kinds(m, rows)
        .flat_map(move |(top, down)| kinds(n, columns).map(move |(left, across)| ((top, left), down * across)))
}

/// The requests of a transpose of `rows` x `columns` without shared memory, to the first array and to the second: a
/// warp takes 32 adjacent elements of an array with `columns` columns, and its lanes access a column of the other
/// array.
pub fn naive(rows: u64, columns: u64) -> [Requests; 2] {
    let mut all = Count::default();
    for ((top, left), times) in tiles(rows, columns, (WARP, WARP)) {
        let mut count = Count::default();
        for row in top..rows.min(top + WARP) {
            let lanes = || left..columns.min(left + WARP);
            count.loads.add(1, lanes().map(|column| row * columns + column));
            count.stores.add(1, lanes().map(|column| column * rows + row));
        }
        all.add(&count, times);
    }
    [all.loads, all.stores]
}

/// A transpose through tiles in shared memory.
#[derive(Debug, Clone, Copy)]
pub struct Tile {
    /// Rows and columns of a tile.
    pub sides: (u64, u64),
    /// Whether rows that are aligned to 16 bytes are read, or written, four floats at a time.
    pub is_wide: bool,
    /// The word of shared memory that holds column x of row y: `place(y, x)`.
    pub place: fn(u64, u64) -> u64,
    /// The same for tiles that begin early; `None` if they never do. If rows of the result do not begin at a sector
    /// boundary, a tile writes each row up to 7 floats earlier, so that it begins at one. Such a tile reads 8 rows
    /// more, and its row 0 is 8 rows above.
    pub early: Option<fn(u64, u64) -> u64>,
}

impl Tile {
    /// The count for a matrix of m rows of n.
    pub fn count(&self, m: u64, n: u64) -> Count {
        if let Some(place) = self.early.filter(|_| !m.is_multiple_of(SECTOR)) {
            return self.early(place, (m, n));
        }
        let mut all = Count::default();
        for (begin, times) in tiles(m, n, self.sides) {
            let mut count = Count::default();
            self.one(&mut count, begin, (m, n));
            all.add(&count, times);
        }
        all
    }

    /// Adds one tile, whose first element is in row `top` and column `left`.
    fn one(&self, count: &mut Count, (top, left): (u64, u64), (m, n): (u64, u64)) {
        let floats = |width: u64| if self.is_wide && width.is_multiple_of(4) { 4 } else { 1 };
        let (rows, columns) = self.sides;
        requests((rows, columns), floats(n), |lanes| {
            let inside = || lanes.iter().filter(|(y, x)| top + y < m && left + x < n);
            count.loads.add(floats(n), inside().map(|(y, x)| (top + y) * n + left + x));
            for f in 0..floats(n) {
                count.shared(inside().map(|(y, x)| (self.place)(*y, x + f)));
            }
        });
        requests((columns, rows), floats(m), |lanes| {
            let inside = || lanes.iter().filter(|(x, y)| top + y < m && left + x < n);
            for f in 0..floats(m) {
                count.shared(inside().map(|(x, y)| (self.place)(y + f, *x)));
            }
            count.stores.add(floats(m), inside().map(|(x, y)| (left + x) * m + top + y));
        });
    }

    /// The count if tiles begin early: those of the first row of tiles have no rows above, and those of the last one
    /// also take the remaining rows.
    fn early(&self, place: fn(u64, u64) -> u64, (m, n): (u64, u64)) -> Count {
        let mut all = Count::default();
        let (rows, columns) = self.sides;
        let whole = m / rows;
        let down = [(0, whole.min(1)), (rows, whole.saturating_sub(1)), (whole * rows, 1)];
        for ((_, left), across) in tiles(columns, n, (columns, columns)) {
            for (top, down) in down.into_iter().filter(|(_, down)| *down > 0) {
                let mut count = Count::default();
                load_early(&mut count, self.sides, (top, left), (m, n), place);
                for x in 0..columns.min(n - left) {
                    store_early(&mut count, rows, (top, left), (m, x), place);
                }
                all.add(&count, down * across);
            }
        }
        all
    }
}

/// The rows above a tile that begins early.
const ABOVE: u64 = 8;

/// Adds the loads of one tile that begins early, and its stores to shared memory.
fn load_early(
    count: &mut Count,
    (rows, columns): (u64, u64),
    (top, left): (u64, u64),
    (m, n): (u64, u64),
    place: fn(u64, u64) -> u64,
) {
    let floats = if n.is_multiple_of(4) { 4 } else { 1 };
    requests((rows + ABOVE, columns), floats, |lanes| {
        let inside = || lanes.iter().filter(|(r, x)| (ABOVE..m + ABOVE).contains(&(top + r)) && left + x < n);
        count.loads.add(floats, inside().map(|(r, x)| (top + r - ABOVE) * n + left + x));
        for f in 0..floats {
            count.shared(inside().map(|(r, x)| place(*r, x + f)));
        }
    });
}

/// Adds the stores of one tile that begins early to the row of the result that its column x becomes: four floats per
/// lane, and one at a time if not all four belong to the tile; and the loads from shared memory for them.
fn store_early(count: &mut Count, rows: u64, (top, left): (u64, u64), (m, x): (u64, u64), place: fn(u64, u64) -> u64) {
    let row = (left + x) * m;
    let early = row % SECTOR;
    // Counted in rows of the tile.
    let end = if top + rows < m { rows + ABOVE - early } else { m - top + ABOVE };
    for begin in (ABOVE - early..end).step_by(4 * WARP as usize) {
        let lanes = || (0..WARP).map(move |lane| begin + 4 * lane).filter(|r| *r < end);
        let is_all = |r: &u64| top + r >= ABOVE && r + 4 <= end;
        let mut request = |floats: u64, first: &dyn Fn(u64) -> Option<u64>| {
            let rs: Vec<u64> = lanes().filter_map(first).collect();
            for f in 0..floats {
                count.shared(rs.iter().map(|r| place(r + f, x)));
            }
            count.stores.add(floats, rs.iter().map(|r| row + top + r - ABOVE));
        };
        request(4, &|r| is_all(&r).then_some(r));
        for f in 0..4 {
            request(1, &|r| (!is_all(&r) && top + r + f >= ABOVE && r + f < end).then_some(r + f));
        }
    }
}

/// Calls `request` with the positions of the lanes of each warp, for `count` lines of `length` elements: the line of
/// the accessed array, and the position in that line. With four floats per lane, a warp takes four lines at a time.
fn requests((count, length): (u64, u64), floats: u64, mut request: impl FnMut(&[(u64, u64)])) {
    let (lines, lanes) = (floats, WARP / floats);
    for first in (0..count).step_by(lines as usize) {
        for begin in (0..length).step_by(WARP as usize) {
            let lane = |l| (first + l / lanes, begin + l % lanes * floats);
            request(&(0..WARP).map(lane).collect::<Vec<_>>());
        }
    }
}

/// The sectors that hold 64 floats of each of `rows`, from column `left` on, of a matrix with `n` columns.
pub fn sectors_of(rows: std::ops::Range<u64>, left: u64, n: u64) -> u64 {
    let of_row = |row| {
        let first = row * n + left;
        (first + 63) / SECTOR - first / SECTOR + 1
    };
    rows.map(of_row).sum()
}

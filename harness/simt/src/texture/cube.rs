//! The faces of cube maps, and the texels across their edges.

/// The point where a direction meets the cube.
#[derive(Clone, Copy, Debug)]
pub struct Face {
    /// The face: +x, -x, +y, -y, +z, -z.
    pub face: u32,
    /// The component towards it, at least 0.
    pub m: f64,
    /// The component along its rows.
    pub s: f64,
    /// The component along its columns.
    pub t: f64,
}

/// For each face, the components of a direction that are `s`, `t` and `m`, with their signs.
const FACES: [[(usize, f64); 3]; 6] = [
    [(2, -1.0), (1, -1.0), (0, 1.0)],
    [(2, 1.0), (1, -1.0), (0, -1.0)],
    [(0, 1.0), (2, 1.0), (1, 1.0)],
    [(0, 1.0), (2, -1.0), (1, -1.0)],
    [(0, 1.0), (1, -1.0), (2, 1.0)],
    [(0, -1.0), (1, -1.0), (2, -1.0)],
];

impl Face {
    /// Returns the components of another vector along rows, along columns and towards this face.
    pub fn components(&self, vector: [f32; 3]) -> [f64; 3] {
        FACES[self.face as usize].map(|(at, sign)| f64::from(vector[at]) * sign)
    }

    /// Returns the coordinates on the face, from 0 to 1.
    pub fn coordinates(&self) -> [f64; 2] {
        // A direction of zero length has no coordinates; the middle of the face is used instead.
        let quotient = |part: f64| if self.m == 0.0 { 0.0 } else { part / self.m };
        [self.s, self.t].map(|part| f64::midpoint(quotient(part), 1.0))
    }
}

/// Returns the face that a direction meets.
pub fn face_of(direction: [f32; 3]) -> Face {
    let [x, y, z] = direction.map(f32::abs);
    // If components are equal, z wins over y, and y over x.
    let axis = if z >= x && z >= y { 2 } else { usize::from(y >= x) };
    let face = 2 * axis as u32 + u32::from(direction[axis].is_sign_negative());
    let found = Face { face, m: 0.0, s: 0.0, t: 0.0 };
    let [s, t, m] = found.components(direction);
    Face { m, s, t, ..found }
}

/// Returns the face and texel at a column and a row of a face, in a cube with `n` by `n` texels per face. One of the
/// two may be outside by one texel: the texel then lies on the neighbouring face. `None` if both are outside, because
/// there is no such texel.
pub fn across(face: u32, [column, row]: [i64; 2], n: u32) -> Option<(u32, [u32; 2])> {
    let size = i64::from(n);
    let inside = |at: i64| (0..size).contains(&at);
    if inside(column) && inside(row) {
        return Some((face, [column as u32, row as u32]));
    }
    if !inside(column) && !inside(row) {
        return None;
    }
    // The centre of a texel, from -1 to 1, in the direction of rows or columns; and the direction of the texel across
    // the shared edge: as far outside as a face is, and half a texel below the edge.
    let centre = |at: i64| (2.0 * at as f64 + 1.0) / f64::from(n) - 1.0;
    let below = 1.0 - 1.0 / f64::from(n);
    let part = |at: i64| {
        if inside(at) {
            centre(at)
        } else if at < 0 {
            -1.0
        } else {
            1.0
        }
    };
    let mut direction = [0f64; 3];
    for ((axis, sign), value) in FACES[face as usize].iter().zip([part(column), part(row), below]) {
        direction[*axis] = value * sign;
    }
    let axis = (0..3).find(|&axis| direction[axis].abs() == 1.0)?;
    let other = 2 * axis as u32 + u32::from(direction[axis] < 0.0);
    let [(s, sign_s), (t, sign_t), _] = FACES[other as usize];
    let index = |value: f64| ((f64::midpoint(value, 1.0) * f64::from(n)).floor() as i64).clamp(0, size - 1) as u32;
    Some((other, [index(direction[s] * sign_s), index(direction[t] * sign_t)]))
}

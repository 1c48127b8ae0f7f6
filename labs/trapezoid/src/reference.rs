//! The trapezoidal rule on the CPU: in closed form, in f64, and as the text's serial program in f32.

/// The integral to approximate: f(x) = x^2 + 1 from `a` to `b` with `n` trapezoids.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// Left end.
    pub a: f64,
    /// Right end.
    pub b: f64,
    /// Trapezoids, at least 1.
    pub n: u64,
}

impl Rule {
    /// Width of a trapezoid.
    pub fn h(self) -> f64 {
        (self.b - self.a) / self.n as f64
    }

    /// (f(a) + f(b)) / 2, the initial value of the sum.
    pub fn ends(self) -> f64 {
        f64::midpoint(f(self.a), f(self.b))
    }

    /// The integral itself: 24 over [-3, 3].
    pub fn integral(self) -> f64 {
        let antiderivative = |x: f64| x * x * x / 3.0 + x;
        antiderivative(self.b) - antiderivative(self.a)
    }

    /// The value of the rule in exact arithmetic. Its error is exactly -(b-a)^3 f'' / (12 n^2), because f'' is
    /// constant; so no sum is needed, however large n is.
    pub fn value(self) -> f64 {
        self.integral() + (self.b - self.a).powi(3) / (6.0 * (self.n as f64).powi(2))
    }

    /// The same value, added up term by term in f64.
    pub fn serial(self) -> f64 {
        let h = self.h();
        let inner: f64 = (1..self.n).map(|i| f(self.a + i as f64 * h)).sum();
        h * (self.ends() + inner)
    }

    /// The text's serial program: one loop in f32, with the rounding errors of that loop.
    pub fn serial_f32(self) -> f32 {
        let (a, h) = (self.a as f32, self.h() as f32);
        let mut sum = self.ends() as f32;
        for i in 1..self.n {
            let x = a + i as f32 * h;
            sum += x * x + 1.0;
        }
        h * sum
    }
}

/// The integrand.
pub fn f(x: f64) -> f64 {
    x * x + 1.0
}

/// The tolerance of a sum, as a fraction of the rule's value, when its longest chain of additions has `chain` links and
/// the unit roundoff is `epsilon / 2`.
///
/// This is Higham's gamma for the chain and for the roundings of each term: h, a + i h and f(x) round a few times,
/// amplified by at most |x f'(x) / f(x)| <= 2. The tolerance never exceeds a half, because a larger one would say
/// nothing: a sum that lost half of its terms is never accepted.
pub fn relative_tolerance(chain: u64, epsilon: f64) -> f64 {
    let ku = (chain as f64 + 16.0) * epsilon / 2.0;
    if ku < 1.0 / 3.0 { ku / (1.0 - ku) } else { 0.5 }
}

//! The limit of a counter: a product of numbers and quantities of the row, such as `2 * blocks * bins`.
use harness::{Counter, Lab, Record, suggest};
use serde::{Deserialize, Deserializer, de::Error as _};

/// A product and its divisors.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    text: String,
    factors: Vec<(Factor, bool)>,
}

#[derive(Debug, Clone, PartialEq)]
enum Factor {
    Number(f64),
    Name(String),
}

/// Quantities that every launch has.
const OF_A_LAUNCH: [&str; 3] = ["n", "blocks", "threads"];

impl Limit {
    /// Parses products and quotients, from left to right.
    ///
    /// # Errors
    /// The word that is neither a number nor a name.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut factors = Vec::new();
        for (index, product) in text.split('/').enumerate() {
            for (position, word) in product.split('*').map(str::trim).enumerate() {
                let factor = match word.parse::<f64>() {
                    Ok(number) if number.is_finite() && number >= 0.0 => Factor::Number(number),
                    Ok(_) => return Err(format!("`{word}` in `{text}` must not be negative")),
                    Err(_) if is_name(word) => Factor::Name(word.into()),
                    Err(_) => {
                        return Err(format!("`{text}` is not a product of numbers and names, such as `blocks * bins`"));
                    }
                };
                factors.push((factor, index > 0 && position == 0));
            }
        }
        Ok(Self { text: text.trim().into(), factors })
    }

    /// The names it contains.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.factors.iter().filter_map(|(factor, _)| match factor {
            Factor::Name(name) => Some(name.as_str()),
            Factor::Number(_) => None,
        })
    }

    /// Evaluates the limit for a row; `None` if the row lacks one of its quantities.
    pub fn evaluate(&self, row: &Record, lab: &Lab) -> Option<f64> {
        self.factors.iter().try_fold(1.0, |product, (factor, divides)| {
            let value = match factor {
                Factor::Number(number) => *number,
                Factor::Name(name) => quantity(name, row, lab)?,
            };
            Some(if *divides { product / value } else { product * value })
        })
    }

    /// Checks that rows of `lab` can have the quantity.
    ///
    /// # Errors
    /// A message with the nearest valid name.
    pub fn check_name(name: &str, lab: &Lab) -> Result<(), String> {
        let columns = lab.all_columns();
        let known: Vec<&str> = OF_A_LAUNCH
            .into_iter()
            .chain(columns.own.iter().map(|column| column.name))
            .chain(Counter::ALL.iter().map(|counter| counter.name()))
            .collect();
        if known.contains(&name) {
            return Ok(());
        }
        Err(format!("rows of {} have no `{name}`; {}", lab.name, suggest::among(name, &known)))
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Limit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(f64),
            Text(String),
        }
        let text = match Written::deserialize(deserializer)? {
            Written::Number(number) => number.to_string(),
            Written::Text(text) => text,
        };
        Self::parse(&text).map_err(D::Error::custom)
    }
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// The value of a name in a row: from its launch, its counters, or the lab's own columns.
pub fn quantity(name: &str, row: &Record, lab: &Lab) -> Option<f64> {
    match name {
        "n" => row.n.map(|n| n as f64),
        "blocks" => row.grid.as_deref().and_then(product),
        "threads" => row.block.as_deref().and_then(product),
        _ => row.counter_named(name).or_else(|| lab.number(row, name)),
    }
}

/// The product of the sides of a grid or block, such as `128` or `32x8`.
pub fn product(sides: &str) -> Option<f64> {
    sides.split('x').map(|side| side.trim().parse::<f64>().ok()).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(text: &str) -> Option<f64> {
        let row = Record { n: Some(1000), grid: Some("4x2".into()), block: Some("32".into()), ..Record::default() };
        Limit::parse(text).unwrap().evaluate(&row, &Lab::DEFAULT)
    }

    #[test]
    fn a_limit_is_a_product_over_quantities_of_the_row() {
        assert_eq!(limit("7"), Some(7.0));
        assert_eq!(limit("2 * blocks * threads"), Some(512.0));
        assert_eq!(limit("n / threads / 2"), Some(15.625));
        assert_eq!(limit("n / threads * 2"), Some(62.5));
        assert_eq!(limit("blocks * bins"), None);
    }

    #[test]
    fn what_is_no_product_is_an_error() {
        for text in ["", "2 +", "blocks + 1", "-1 * n", "n ** 2", "Blocks"] {
            assert!(Limit::parse(text).is_err(), "{text}");
        }
    }
}

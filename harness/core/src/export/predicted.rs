//! The predicted times of the rows, as a table. Every line is marked as a prediction.
use predict::Prediction;
use record::{Predicted, Record};

use crate::{export::layout::fitted, export::layout::significant, export::layout::width};

/// Returns the predictions of all records that have one; empty if none has.
pub(crate) fn table(records: &[Record]) -> String {
    let with = |record: &'_ Record| record.predicted.clone().map(|predicted| (record.clone(), predicted));
    let rows: Vec<(Record, Predicted)> = records.iter().filter_map(with).collect();
    let Some((_, first)) = rows.first() else {
        return String::new();
    };
    let title = format!("Predicted for an {}: nothing here was measured", first.part);
    let headers = ["variant", "case", "", "ms", "from", "to", "bound by", "next, times less"];
    let line = |(record, predicted): &(Record, Predicted)| {
        let all = predicted.in_all.as_ref();
        let time = |of: fn(&Prediction) -> f64| all.map_or_else(String::new, |all| significant(of(all)));
        let next = all.and_then(|all| Some(format!("{}, {}", all.terms.get(1)?.bound, significant(all.ahead()))));
        vec![
            record.variant.clone(),
            record.case.clone(),
            "predicted".into(),
            time(|all| all.ms),
            time(|all| all.low_ms),
            time(|all| all.high_ms),
            predicted.bound(),
            next.unwrap_or_default(),
        ]
    };
    let lines: Vec<Vec<String>> = rows.iter().map(line).collect();
    format!("{title}\n{}", fitted(&headers, &lines, &[], width()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::fixtures::{predicted, record};

    #[test]
    fn every_line_says_that_it_is_a_prediction() {
        assert_eq!(table(&[record()]), "");
        let text = table(&[Record { predicted: Some(predicted()), ..record() }, record()]);
        assert!(text.starts_with("Predicted for an NVIDIA H200"), "{text}");
        assert_eq!(text.matches("predicted").count(), 1, "{text}");
        assert!(text.contains("integers"), "{text}");
    }
}

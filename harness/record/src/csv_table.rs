//! Reads a CSV whose last line may be torn, because the run that wrote it was killed.
use wire::printable;

/// The text of a CSV, each line with as many cells as the header, and each cell printable.
#[derive(Debug)]
pub(crate) struct CsvTable {
    pub(crate) header: csv::StringRecord,
    /// The lines after the header, each with its number in the text.
    pub(crate) lines: Vec<(u64, csv::StringRecord)>,
    /// A remark if the last line was torn, and left out.
    pub(crate) remark: Option<String>,
}

impl CsvTable {
    /// Parses the text.
    ///
    /// # Errors
    /// A sentence, when it is not a CSV, or a line other than the last has not as many cells as the header.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| error.to_string())?.clone();
        let mut lines = Vec::new();
        let mut records = reader.records().peekable();
        while let Some(record) = records.next() {
            let record = record.map_err(|error| error.to_string())?;
            let line = record.position().map_or(0, csv::Position::line);
            if records.peek().is_none() && (record.len() < header.len() || !text.ends_with('\n')) {
                let remark = format!("its last row, line {line}, is not whole and was left out");
                return Ok(Self { header, lines, remark: Some(remark) });
            }
            if record.len() != header.len() {
                return Err(format!("line {line} has {} cells, and the header has {}", record.len(), header.len()));
            }
            lines.push((line, record.iter().map(printable::text).collect()));
        }
        Ok(Self { header, lines, remark: None })
    }
}

//! Sample marks for the tests of formats, with a criterion of every state and a hidden size of 877.
use crate::judge::marks::marked::{Criterion, CriterionKind, Detail, ExerciseMark, Marked, SCHEMA, State};

fn criterion(kind: CriterionKind, state: State, (points, of): (f64, f64), words: &str, raise: &str) -> Criterion {
    let detail = |text: &str, is_hidden| Detail { text: text.into(), is_hidden };
    let details = if state == State::Lost {
        vec![detail("n = 877: [3] is 0", true), detail("n = 33: [4] is 0", false)]
    } else {
        vec![]
    };
    Criterion {
        kind,
        counter: None,
        state,
        points,
        of,
        words: words.into(),
        raise: raise.into(),
        measured: None,
        details,
    }
}

pub fn sample() -> Marked {
    let add = vec![
        criterion(CriterionKind::Right, State::Earned, (50.0, 50.0), "right", ""),
        criterion(
            CriterionKind::Clean,
            State::Lost,
            (0.0, 50.0),
            "right, but wrong at a hidden one",
            "try sizes of your own",
        ),
        criterion(CriterionKind::Speed, State::NotMeasured, (0.0, 0.0), "not measured here: 10 points on a GPU", ""),
    ];
    let stride =
        vec![criterion(CriterionKind::Right, State::Unjudged, (0.0, 30.0), "could not be judged here: wgmma", "")];
    let parts = vec![ExerciseMark::from_criteria("add", add), ExerciseMark::from_criteria("stride", stride)];
    Marked {
        schema: SCHEMA,
        lab: "vecadd".into(),
        title: "Vector addition".into(),
        submission: "ada.zip".into(),
        seed: 42,
        device: "emulated:a100".into(),
        sizes: vec!["1".into(), "877".into()],
        fault: None,
        warnings: Vec::new(),
        remarks: vec!["mine.cu was taken as vecadd.cu: name it so".into()],
        points: parts.iter().map(|part| part.points).sum(),
        of: parts.iter().map(|part| part.of).sum(),
        parts,
    }
}

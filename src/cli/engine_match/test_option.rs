//! The text that describes a sequential test on the command line.

use crate::{
    arena::stats::{Model, Sprt},
    cli::Failure,
    notation::excerpt,
};

/// The test that `items` describe, each one or more `key=value`.
pub(super) fn read(items: &[String]) -> Result<Sprt, Failure> {
    let mut sprt = Sprt {
        elo0: 0.0,
        elo1: 10.0,
        alpha: 0.05,
        beta: 0.05,
        model: Model::Normalized,
    };
    for item in items.iter().flat_map(|items| items.split_whitespace()) {
        set(&mut sprt, item)
            .map_err(|reason| Failure::Usage(format!("--sprt {}: {reason}", excerpt(item))))?;
    }
    let is_within = |most: f64| sprt.elo0.abs() <= most && sprt.elo1.abs() <= most;
    let wrong = match sprt.model {
        _ if sprt.elo0 >= sprt.elo1 => "elo1 must be above elo0",
        // Pairs of games cannot be further from even than 245 of these.
        Model::Normalized if !is_within(200.0) => "normalized Elo lie between -200 and 200",
        Model::Logistic if !is_within(1000.0) => "logistic Elo lie between -1000 and 1000",
        _ => return Ok(sprt),
    };
    Err(Failure::Usage(format!("--sprt: {wrong}")))
}

fn set(sprt: &mut Sprt, item: &str) -> Result<(), &'static str> {
    let (key, value) = item.split_once('=').ok_or("it is no key=value")?;
    let number: Option<f64> = value.parse().ok();
    let elo = || {
        let elo = number.filter(|elo| elo.is_finite());
        elo.ok_or("the value is no number")
    };
    let chance = || {
        let chance = number.filter(|chance| (1e-6..0.5).contains(chance));
        chance.ok_or("the value must lie between 0.000001 and 0.5")
    };
    match key {
        "elo0" => sprt.elo0 = elo()?,
        "elo1" => sprt.elo1 = elo()?,
        "alpha" => sprt.alpha = chance()?,
        "beta" => sprt.beta = chance()?,
        "model" => {
            sprt.model = match value {
                "normalized" => Model::Normalized,
                "logistic" => Model::Logistic,
                _ => return Err("the model is normalized or logistic"),
            }
        }
        _ => return Err("known are elo0, elo1, alpha, beta and model"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(item: &str) -> String {
        read(&[item.to_owned()]).unwrap_err().to_string()
    }

    #[test]
    fn a_test_is_described_by_keys_and_values_in_any_words() {
        let words = ["elo0=-2 elo1=3", "alpha=0.1", "model=logistic"].map(str::to_owned);
        let sprt = read(&words).unwrap();
        assert_eq!((sprt.elo0, sprt.elo1), (-2.0, 3.0));
        assert_eq!((sprt.alpha, sprt.beta), (0.1, 0.05));
        assert_eq!(sprt.model, Model::Logistic);
    }

    #[test]
    fn a_wrong_test_is_refused_with_its_reason() {
        assert_eq!(complaint("elo0=10"), "--sprt: elo1 must be above elo0");
        assert_eq!(complaint("x"), "--sprt x: it is no key=value");
        assert!(complaint("alpha=0.5").ends_with("between 0.000001 and 0.5"));
        assert!(complaint("alpha=1e-320").ends_with("between 0.000001 and 0.5"));
        assert!(complaint("elo1=nan").ends_with("the value is no number"));
        assert!(complaint("elo1=300").ends_with("between -200 and 200"));
        assert!(complaint("elo1=1200 model=logistic").ends_with("between -1000 and 1000"));
        assert!(complaint("model=x").ends_with("normalized or logistic"));
        assert!(complaint("gamma=1").starts_with("--sprt gamma=1: known are"));
    }
}

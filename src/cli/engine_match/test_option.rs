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
    if sprt.elo0 >= sprt.elo1 {
        return Err(Failure::Usage("--sprt: elo1 must be above elo0".to_owned()));
    }
    Ok(sprt)
}

fn set(sprt: &mut Sprt, item: &str) -> Result<(), &'static str> {
    let (key, value) = item.split_once('=').ok_or("it is no key=value")?;
    let number: Option<f64> = value.parse().ok();
    let elo = || {
        let elo = number.filter(|elo| elo.abs() <= 1000.0);
        elo.ok_or("the value must lie between -1000 and 1000")
    };
    let chance = || {
        let chance = number.filter(|chance| *chance > 0.0 && *chance < 0.5);
        chance.ok_or("the value must lie between 0 and 0.5")
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
        assert!(complaint("alpha=0.5").ends_with("between 0 and 0.5"));
        assert!(complaint("elo1=nan").ends_with("between -1000 and 1000"));
        assert!(complaint("model=x").ends_with("normalized or logistic"));
        assert!(complaint("gamma=1").starts_with("--sprt gamma=1: known are"));
    }
}

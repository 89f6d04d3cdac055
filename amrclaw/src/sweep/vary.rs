//! Varied keys: `KEY=VALUE,VALUE,...`.

use super::SweepError;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Keys of the case file that vary together: in each setting all of them have the same value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vary {
    /// Paths of the keys, such as `regrid.cutoff`.
    pub keys: Vec<String>,
    /// The values as the user wrote them: TOML, or a bare word or formula.
    pub values: Vec<String>,
}

impl Vary {
    /// The keys, for headings.
    pub fn label(&self) -> String {
        self.keys.join(", ")
    }

    /// The keys' last parts as an equation, for labels where space is short.
    pub fn short_label(&self) -> String {
        let parts: Vec<&str> = self.keys.iter().map(|key| key.rsplit('.').next().unwrap_or(key)).collect();
        parts.join(" = ")
    }

    /// Overrides that set all keys to value number `value`.
    pub fn overrides(&self, value: usize) -> impl Iterator<Item = String> {
        self.keys.iter().map(move |key| format!("{key}={}", self.values[value]))
    }
}

impl FromStr for Vary {
    type Err = SweepError;

    /// Reads `KEY=VALUE,...` or `KEY,KEY,...=VALUE,...`. Commas inside brackets, braces, parentheses and quotes do not
    /// separate values, so that lists and formulas can vary.
    fn from_str(text: &str) -> Result<Self, SweepError> {
        let wrong = |message: String| SweepError::Vary(format!("--vary {text}: {message}"));
        let Some((keys, values)) = text.split_once('=') else {
            return Err(wrong("write `key.path=value,value,...`, such as `regrid.cutoff=0.5,0.7,0.9`".into()));
        };
        let keys: Vec<String> = keys.split(',').map(|key| key.trim().to_owned()).collect();
        if let Some(key) = keys.iter().find(|key| key.is_empty() || key.contains(char::is_whitespace)) {
            return Err(wrong(format!("`{key}` is no key; write `key.path=value,value,...`")));
        }
        let values = split_values(values).ok_or_else(|| wrong("a bracket or quote is not closed".into()))?;
        if values.iter().any(String::is_empty) {
            return Err(wrong("a value is missing; separate values by single commas".into()));
        }
        let mut seen = values.clone();
        seen.sort();
        if let Some(pair) = seen.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(wrong(format!("the value {} is given twice; use --repeat to repeat runs", pair[0])));
        }
        Ok(Vary { keys, values })
    }
}

/// Splits at commas outside of brackets and quotes; `None` if one of these is not closed.
fn split_values(text: &str) -> Option<Vec<String>> {
    let mut values = vec![String::new()];
    let mut open = Vec::new();
    let mut quote = None;
    let mut escaped = false;
    for c in text.chars() {
        match quote {
            Some(q) => {
                if c == q && !escaped {
                    quote = None;
                }
                escaped = c == '\\' && q == '"' && !escaped;
            }
            None => match c {
                '"' | '\'' => quote = Some(c),
                '[' => open.push(']'),
                '{' => open.push('}'),
                '(' => open.push(')'),
                _ if open.last() == Some(&c) => {
                    open.pop();
                }
                ',' if open.is_empty() => {
                    values.push(String::new());
                    continue;
                }
                _ => {}
            },
        }
        values.last_mut()?.push(c);
    }
    let closed = open.is_empty() && quote.is_none();
    closed.then(|| values.iter().map(|value| value.trim().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        text.parse::<Vary>().unwrap().values
    }

    /// Commas separate values unless they belong to one: lists, tables, strings with either quote, formulas.
    #[test]
    fn values_are_split_at_outer_commas() {
        assert_eq!(values("regrid.cutoff=0.5, 0.7,0.9"), ["0.5", "0.7", "0.9"]);
        assert_eq!(values("mesh.cells=[10,20],[20, 40]"), ["[10,20]", "[20, 40]"]);
        assert_eq!(values("initial.u=if(x<0,1,2),sin(pi*x)"), ["if(x<0,1,2)", "sin(pi*x)"]);
        assert_eq!(values(r#"initial.u="max(x,0)",'y,"z'"#), [r#""max(x,0)""#, r#"'y,"z'"#]);
        assert_eq!(values(r#"a.b="x\",y",1"#), [r#""x\",y""#, "1"]);
    }

    /// Keys that change together are separated by commas and get the same value.
    #[test]
    fn several_keys_take_the_same_value() {
        let vary: Vary = "regrid.interval,regrid.buffer=2,8".parse().unwrap();
        assert_eq!(vary.overrides(1).collect::<Vec<_>>(), ["regrid.interval=8", "regrid.buffer=8"]);
        assert_eq!(vary.short_label(), "interval = buffer");
    }

    /// Each mistake says what to write instead.
    #[test]
    fn mistakes_are_explained() {
        for (text, part) in [
            ("regrid.cutoff", "key.path=value"),
            ("=1,2", "is no key"),
            ("a.b=1,,2", "a value is missing"),
            ("a.b=", "a value is missing"),
            ("a.b=[1,2", "not closed"),
            ("a.b=1,2,1", "1 is given twice"),
        ] {
            let message = text.parse::<Vary>().unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}

//! Classic NetCDF with an axis that can grow, as the format's specification lays it out.

use crate::case::data::open;

/// A variable: its name, its type (1: 8 bits, 3: 16 bits, 6: `f64`), its dimensions by number, the slowest first, and its values.
pub(super) type Variable<'a> = (&'a str, u32, &'a [usize], Vec<f64>);

/// A file of this version. Of the dimensions that of length 0 grows, and has so many records.
pub(super) fn classic(version: u8, dimensions: &[(&str, usize)], records: usize, variables: &[Variable]) -> Vec<u8> {
    let header = |count: usize, begins: &[usize]| {
        let word = |n: usize| n.to_be_bytes()[if version == 5 { 0 } else { 4 }..].to_vec();
        let name = |name: &str| padded([word(name.len()), name.into()].concat());
        let mut bytes =
            [b"CDF".to_vec(), vec![version], word(count), vec![0, 0, 0, 10], word(dimensions.len())].concat();
        dimensions.iter().for_each(|(called, length)| bytes.extend([name(called), word(*length)].concat()));
        bytes.extend([vec![0; 4], word(0), vec![0, 0, 0, 11], word(variables.len())].concat());
        for ((called, kind, of, values), begin) in variables.iter().zip(begins) {
            bytes.extend([name(called), word(of.len()), of.iter().flat_map(|d| word(*d)).collect()].concat());
            bytes.extend([vec![0; 4], word(0), kind.to_be_bytes().to_vec(), word(8 * values.len())].concat());
            bytes.extend(&begin.to_be_bytes()[if version == 1 { 4 } else { 0 }..]);
        }
        bytes
    };
    let grows = |variable: &Variable| variable.2.first().is_some_and(|d| dimensions[*d].1 == 0);
    let alone = variables.iter().filter(|variable| grows(variable)).count() == 1;
    let mut begins = vec![0; variables.len()];
    let mut data = Vec::new();
    let start = header(records, &begins).len();
    let fixed = (0..variables.len()).filter(|k| !grows(&variables[*k])).map(|k| (k, 0, 1));
    let growing = (0..records).flat_map(|n| (0..variables.len()).map(move |k| (k, n, records)));
    for (k, n, parts) in fixed.chain(growing.filter(|(k, ..)| grows(&variables[*k]))) {
        let (_, kind, _, values) = &variables[k];
        let part: Vec<u8> =
            values.chunks(values.len() / parts).nth(n).unwrap().iter().flat_map(|x| number(*kind, *x)).collect();
        if n == 0 {
            begins[k] = start + data.len();
        }
        data.extend(if alone && grows(&variables[k]) { part } else { padded(part) });
    }
    [header(records, &begins), data].concat()
}

fn padded(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn number(kind: u32, value: f64) -> Vec<u8> {
    match kind {
        1 => vec![value as i8 as u8],
        3 => (value as i16).to_be_bytes().to_vec(),
        _ => value.to_be_bytes().to_vec(),
    }
}

/// Numbers of values, the last axis first, and the values.
type Found = (Vec<usize>, Vec<f64>);

/// All arrays of a file, or the first mistake.
fn arrays(bytes: &[u8]) -> Result<Vec<Found>, String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    let sets = open(file.path(), bytes).ok_or("no sets")?.map_err(|(message, _)| message)?;
    let array = |name: &String| {
        let array = sets.array(name).map_err(|(message, _)| message)?;
        assert_eq!(sets.num_axes(name), Ok(array.count.len()));
        Ok((array.count, array.values))
    };
    sets.names().iter().map(array).collect()
}

/// Several variables that grow lie between one another, each padded to words; one alone is not padded. A count that a program left open is
/// that of whole records. In every version of the format.
#[test]
fn records_are_read() {
    let numbers = |count: usize, first: f64| (0..count).map(|k| first + k as f64).collect::<Vec<_>>();
    let dimensions = [("x", 5), ("time", 0), ("y", 3)];
    let pressure: Variable = ("p", 3, &[1, 2, 0], numbers(45, -20.0));
    let several: [Variable; 4] = [
        ("flag", 1, &[1], numbers(3, -1.0)),
        pressure.clone(),
        ("time", 6, &[1], numbers(3, 0.5)),
        ("y", 6, &[2], numbers(3, 7.0)),
    ];
    for version in [1, 2, 5] {
        for variables in [&several[..], std::slice::from_ref(&pressure)] {
            let file = classic(version, &dimensions, 3, variables);
            let lengths = [5, 3, 3];
            let wanted: Vec<_> = variables
                .iter()
                .map(|(.., of, values)| (of.iter().rev().map(|d| lengths[*d]).collect(), values.clone()))
                .collect();
            assert_eq!(arrays(&file).as_ref(), Ok(&wanted), "version {version}");
            let mut open = file.clone();
            open[4..if version == 5 { 12 } else { 8 }].fill(0xff);
            assert_eq!(arrays(&open), Ok(wanted), "version {version}");
            // Half a record more is none.
            open.extend([1; 10]);
            assert_eq!(arrays(&open).unwrap()[0].0.last(), Some(&3), "version {version}");
            damaged_records_are_refused_or_read(&file);
        }
    }
}

/// Every cut that takes values away is an error; any other byte, and a count of records beyond the file, an error or other values.
fn damaged_records_are_refused_or_read(good: &[u8]) {
    for len in 0..good.len() - 3 {
        assert!(arrays(&good[..len]).is_err(), "cut at {len}");
    }
    for place in 3..good.len().min(400) {
        for byte in [0, 1, 0x7f, 0xff] {
            let mut damaged = good.to_vec();
            damaged[place] = byte;
            let _ = arrays(&damaged);
        }
    }
    let mut more = good.to_vec();
    *more[4..].iter_mut().take(8).rev().find(|byte| **byte == 3).unwrap() = 4;
    assert!(arrays(&more).unwrap_err().contains("is not wholly in the file"));
}

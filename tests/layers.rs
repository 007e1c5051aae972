//! A module uses only what stands before it: scans the sources for `crate::`.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The layers, low to high, as in the crate's documentation.
const ORDER: [&str; 18] = [
    "cpu", "memory", "board", "rules", "notation", "perft", "score", "eval", "endgame", "book",
    "config", "search", "protocol", "arena", "bench", "train", "cli", "main",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The top module that a source file belongs to.
fn module(file: &Path, root: &Path) -> String {
    let first = file.strip_prefix(root).unwrap().components().next();
    let name = first.unwrap().as_os_str().to_str().unwrap();
    name.trim_end_matches(".rs").to_owned()
}

/// The top modules that a source text names behind `crate::`, also in a list
/// of several, comments left out.
fn used(text: &str) -> Vec<String> {
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let mut names = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            None => names.push(leading_name(rest)),
            Some(list) => names.extend(list_heads(list)),
        }
    }
    names
}

fn leading_name(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.chars().take_while(|&c| is_part(c)).collect()
}

/// The first names of the outermost items of a brace list, the opening brace being read.
fn list_heads(list: &str) -> Vec<String> {
    let (mut depth, mut start, mut heads) = (0, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                heads.push(leading_name(list[start..at].trim_start()));
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    heads.retain(|head| !head.is_empty());
    heads
}

#[test]
fn no_module_uses_one_that_stands_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let rank = |name: &str| ORDER.iter().position(|&layer| layer == name);
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut checked = 0;
    for file in files {
        let own = module(&file, &root);
        if own == "lib" {
            continue;
        }
        let own_rank = rank(&own).unwrap_or_else(|| panic!("{own} has no place in the order"));
        for name in used(&fs::read_to_string(&file).unwrap()) {
            let used_rank =
                rank(&name).unwrap_or_else(|| panic!("{} uses the unknown {name}", file.display()));
            assert!(
                used_rank <= own_rank,
                "{} uses {name}, above it",
                file.display()
            );
            checked += 1;
        }
    }
    assert!(checked > 10, "only {checked} uses were seen");
}

#[test]
fn lists_of_uses_are_taken_apart() {
    let text = "use crate::{\n    board::{Move, Side},\n    rules::Game,\n};\n// crate::cli\ncrate::eval::x";
    assert_eq!(used(text), ["board", "rules", "eval"]);
}

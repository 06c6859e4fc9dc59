//! Rules about the repository itself that no compiler checks.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const MAX_LINES: usize = 500;

/// Crates that exist only on the platform.
const PLATFORM_CRATES: &[&str] = &[
    "worker",
    "worker_sys",
    "wasm_bindgen",
    "wasm_bindgen_futures",
    "js_sys",
    "web_sys",
    "serde_wasm_bindgen",
];

/// Made by tools or by the user, never committed.
const NOT_OURS: &[&str] =
    &[".git", ".tools", ".wrangler", "build", "dist", "node_modules", "target", "test-artifacts"];

/// The product's own Rust.
fn sources() -> BTreeMap<PathBuf, String> {
    let mut all = texts(&root("src"), &["rs"]);
    all.extend(texts(&root("text/src"), &["rs"]));
    all
}

#[test]
fn only_the_platform_folder_names_the_platform() {
    let allowed = [root("src/platform"), root("src/lib.rs")];
    let mut offenders = Vec::new();
    for (path, text) in sources() {
        if allowed.iter().any(|place| path.starts_with(place)) {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if PLATFORM_CRATES.iter().any(|name| names_crate(code, name)) {
                offenders.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(offenders.is_empty(), "the pure core names the platform:\n{}", offenders.join("\n"));
}

#[test]
fn no_source_file_is_longer_than_a_reader_can_hold() {
    let long: Vec<String> = sources()
        .into_iter()
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|(_, lines)| *lines > MAX_LINES)
        .map(|(path, lines)| format!("{}: {lines} lines, {MAX_LINES} are allowed", path.display()))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn nothing_names_a_package_registry() {
    // In two halves, so that this file does not name them either.
    let hosts: Vec<String> = [
        ("registry.npmjs", "org"),
        ("index.crates", "io"),
        ("static.crates", "io"),
        ("deb.debian", "org"),
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("proxy.golang", "org"),
    ]
    .iter()
    .map(|(name, end)| format!("{name}.{end}"))
    .collect();
    let mut offenders = Vec::new();
    for (path, text) in texts(&root(""), &[]) {
        for host in hosts.iter().filter(|host| text.contains(*host)) {
            offenders.push(format!("{} names {host}", path.display()));
        }
    }
    assert!(offenders.is_empty(), "{}", offenders.join("\n"));
}

#[test]
fn the_pages_have_words_for_every_job_in_both_languages() {
    let strings = fs::read_to_string(root("web/src/shared/strings.ts")).expect("the pages' strings");
    let lists: Vec<&str> = strings.lines().filter(|line| line.trim_start().starts_with("jobs: {")).collect();
    assert_eq!(lists.len(), 2);
    for kind in kioku::store::jobs::JobKind::ALL {
        let word = format!(" {}: '", kind.as_str());
        assert!(lists.iter().all(|list| list.contains(&word)), "no words for {}", kind.as_str());
    }
}

/// A file of tests that `main.rs` doesn't name would pass by never being compiled.
#[test]
fn every_file_of_native_tests_is_run() {
    let main = read(&root("tests/native/main.rs"));
    let files = fs::read_dir(root("tests/native")).expect("the native tests");
    let names =
        files.filter_map(|file| file.ok()?.file_name().to_str()?.strip_suffix(".rs").map(str::to_owned));
    let missing: Vec<String> = names
        .filter(|name| name != "main" && !main.lines().any(|line| line == format!("mod {name};")))
        .collect();
    assert!(missing.is_empty(), "tests/native/main.rs does not name {missing:?}");
}

/// A golden file is used when a test names it, or its folder from `golden/` on.
#[test]
fn every_golden_file_is_used() {
    let golden = root("tests/golden");
    let mut sources = sources();
    sources.extend(texts(&root("tests"), &["rs", "mjs", "ts"]));
    let named = |wanted: &str| {
        sources.iter().any(|(path, text)| !path.ends_with("tests/native/tidy.rs") && text.contains(wanted))
    };
    let unused: Vec<String> = files(&golden)
        .into_iter()
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let folders = path
                .ancestors()
                .skip(1)
                .take_while(|folder| folder.starts_with(&golden))
                .filter_map(|folder| folder.strip_prefix(root("tests")).ok())
                .filter(|folder| *folder != Path::new("golden"))
                .map(|folder| folder.to_string_lossy().into_owned());
            !named(&name) && !folders.into_iter().any(|folder| named(&folder))
        })
        .map(|path| path.display().to_string())
        .collect();
    assert!(unused.is_empty(), "no test reads:\n{}", unused.join("\n"));
}

#[test]
fn the_readme_explains_every_variable() {
    let config = read(&root("src/config.rs"));
    let code = config.split("#[cfg(test)]").next().unwrap_or_default();
    let readme = read(&root("README.md"));
    let variables = code.split('"').skip(1).step_by(2).filter(|text| {
        text.len() > 3 && text.contains('_') && text.chars().all(|c| c.is_ascii_uppercase() || c == '_')
    });
    let missing: Vec<&str> = variables.filter(|name| !readme.contains(&format!("`{name}`"))).collect();
    assert!(missing.is_empty(), "README.md does not explain {missing:?}");
}

/// Whether code uses a crate of this name, as a path's first part or in `use` or `extern crate`.
fn names_crate(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = &code[at + name.len()..];
        let starts = !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '"' || c == '.');
        let path = after.starts_with("::");
        let import = code.trim_start().trim_start_matches("pub ").starts_with("use ")
            && code[..at].trim_end().ends_with("use")
            && !after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let external = code[..at].trim_end().ends_with("extern crate");
        starts && (path && !code[..at].ends_with("::") || import || external)
    })
}

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every text file below `folder` with one of the endings (none: any), by path.
fn texts(folder: &Path, endings: &[&str]) -> BTreeMap<PathBuf, String> {
    files(folder)
        .into_iter()
        .filter(|path| {
            endings.is_empty() || path.extension().is_some_and(|e| endings.iter().any(|wanted| e == *wanted))
        })
        .filter_map(|path| fs::read_to_string(&path).ok().map(|text| (path, text)))
        .collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        if NOT_OURS.iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

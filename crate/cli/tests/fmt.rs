//! `relish fmt`, as a person or an editor calls it.

mod command;

use std::path::{Path, PathBuf};
use std::process::Output;

const UGLY: &str = "def @f(%x){%x+1}\n";
const NEAT: &str = "def @f(%x) { %x + 1 }\n";
const BROKEN: &str = "def @f(%x) { %x + }\n";

/// A folder that is gone when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("relish-fmt-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn file(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn fmt(args: &[&str], stdin: &str) -> Output {
    command::relish(&[&["fmt"], args].concat(), stdin)
}

fn read(file: &str) -> String {
    std::fs::read_to_string(Path::new(file)).expect("a file")
}

/// The exit code and what was printed.
fn answer(output: &Output) -> (Option<i32>, &str) {
    (output.status.code(), std::str::from_utf8(&output.stdout).expect("UTF-8"))
}

#[test]
fn files_are_rewritten_in_place() {
    let folder = Folder::new("in-place");
    let (ugly, neat) = (folder.file("ugly.relay", UGLY), folder.file("neat.relay", NEAT));
    assert_eq!(answer(&fmt(&[&ugly, &neat], "")), (Some(0), ""));
    assert_eq!((read(&ugly), read(&neat)), (NEAT.to_owned(), NEAT.to_owned()));
}

#[test]
fn standard_input_goes_to_standard_output() {
    assert_eq!(answer(&fmt(&["-"], UGLY)), (Some(0), NEAT));
    let broken = fmt(&["-"], BROKEN);
    assert_eq!(answer(&broken), (Some(1), ""));
    assert!(String::from_utf8_lossy(&broken.stderr).contains("expected an expression, found `}`"));
}

#[test]
fn check_lists_what_would_change() {
    let folder = Folder::new("check");
    let (ugly, neat) = (folder.file("ugly.relay", UGLY), folder.file("neat.relay", NEAT));
    let output = fmt(&["--check", &neat, &ugly], "");
    assert_eq!(answer(&output), (Some(1), format!("{ugly}\n").as_str()));
    assert_eq!(read(&ugly), UGLY);
    assert_eq!(answer(&fmt(&["--check", &neat], "")), (Some(0), ""));
}

#[test]
fn a_file_with_mistakes_stays_as_it_is() {
    let folder = Folder::new("mistakes");
    let (broken, ugly) = (folder.file("broken.relay", BROKEN), folder.file("ugly.relay", UGLY));
    let output = fmt(&[&broken, &ugly], "");
    assert_eq!(answer(&output), (Some(1), ""));
    assert!(String::from_utf8_lossy(&output.stderr).contains("broken.relay:1:"));
    assert_eq!((read(&broken), read(&ugly)), (BROKEN.to_owned(), NEAT.to_owned()));
}

/// The blanks before it go, and it means the same with them.
#[test]
fn a_language_may_stand_behind_blank_lines() {
    assert_eq!(answer(&fmt(&["-"], "\n  #lang refine\nlet x : [A] = A in x")).0, Some(0));
    assert_eq!(answer(&command::relish(&["check", "-"], "\n #lang refine\nlet x : [A] = A in x")).0, Some(0));
    assert_eq!(answer(&command::relish(&["check", "-"], "\n #lang relay\nlet x : [A] = A in x")).0, Some(1));
}

#[test]
fn of_many_mistakes_the_first_are_told() {
    let output = fmt(&["-"], &";\n".repeat(3000));
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(told.matches("error[syntax-error]").count(), 500);
    assert!(told.contains("more problems follow from here"), "{told}");
}

#[test]
fn wrong_usage_changes_nothing() {
    let folder = Folder::new("usage");
    let ugly = folder.file("ugly.relay", UGLY);
    let no_text = folder.file("no-text.relay", b"// \xff\n%x");
    assert_eq!(fmt(&[], "").status.code(), Some(2));
    assert_eq!(fmt(&["--chekc", &ugly], "").status.code(), Some(2));
    assert_eq!(fmt(&[&ugly, "/no/such/file"], "").status.code(), Some(2));
    assert_eq!(fmt(&[&ugly, &no_text], "").status.code(), Some(2));
    assert_eq!(read(&ugly), UGLY);
}

#[test]
fn one_json_document() {
    let folder = Folder::new("json");
    let ugly = folder.file("ugly.relay", UGLY);
    let output = fmt(&["--json", &ugly, "-"], BROKEN);
    let (code, json) = answer(&output);
    assert_eq!(code, Some(1));
    let (first, second) = json.split_once("},{").expect("two files");
    assert!(first.contains(r#""changed":true,"diagnostics":[]"#), "{json}");
    assert!(second.contains(r#""changed":false,"diagnostics":[{"code":"syntax-error""#), "{json}");
    let document = r#"{"files":[{"file":"-","changed":true,"text":"def @f(%x) { %x + 1 }\n","diagnostics":[]}]}"#;
    assert_eq!(answer(&fmt(&["--json", "-"], UGLY)), (Some(0), format!("{document}\n").as_str()));
}

#[test]
fn the_name_of_a_file_says_its_language() {
    let folder = Folder::new("refine");
    let (ugly, neat) = ("let x:[A,B]=A in x", "let x : [A, B] = A in x\n");
    let file = folder.file("ugly.refine", ugly);
    assert_eq!(answer(&fmt(&[&file], "")), (Some(0), ""));
    assert_eq!(read(&file), neat);
    // A first line says it where there is no name.
    let named = |text: &str| format!("#lang refine\n{text}");
    assert_eq!(answer(&fmt(&["-"], &named(ugly))), (Some(0), named(neat).as_str()));
    assert_eq!(answer(&fmt(&["-"], ugly)), (Some(1), ""));
}

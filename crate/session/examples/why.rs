fn main() {
    if std::env::args().nth(2).as_deref() == Some("not") {
        let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
        let a = session::Analysis::new(&text);
        let t = std::time::Instant::now();
        println!("{}{:?}", session::why_not_text(&a), session::core_laws(&a));
        eprintln!("{:?}", t.elapsed());
        return;
    }
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let analysis = session::Analysis::new(&text);
    for d in analysis.diagnostics() {
        println!("! {} {}", analysis.lines().line_of(d.span.start), d.message);
    }
    for asked in &args[2..] {
        println!("== {asked}");
        let t = std::time::Instant::now();
        println!("{}", session::why_text(&analysis, asked).unwrap_or("nothing".into()));
        eprintln!("{:?}", t.elapsed());
    }
}

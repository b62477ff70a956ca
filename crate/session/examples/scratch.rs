fn main() {
    let args: Vec<String> = std::env::args().collect();
    let quiet = args.len() > 3;
    let strategies = match args[1].as_str() {
        "all" => layout::Strategy::ALL.to_vec(),
        s => vec![layout::Strategy::parse(s).unwrap()],
    };
    for file in &args[2..] {
        for &strategy in &strategies {
            let text = std::fs::read_to_string(file).unwrap();
            let surface = base::Surface::of_file(file);
            let result = std::panic::catch_unwind(|| {
                let analysis = session::Analysis::in_surface(&text, surface);
                let f = analysis.compilable();
                let module = analysis.module_for_scratch();
                let start = std::time::Instant::now();
                let compiled = session::compile(&analysis, &f, strategy, &mut |name, program| {
                    let names = ir::Names { types: module, values: module };
                    if !quiet {
                        println!("== {name}\n{}", ir::print(program, names, ir::Detail::Plain));
                    }
                    for v in ir::verify(program, ir::Stage::Before).into_iter().take(3) {
                        println!("{file} {} VIOLATION {v:?}", strategy.name());
                    }
                });
                for d in compiled.diagnostics {
                    println!("{file} {} {}", d.code, d.message);
                }
                if start.elapsed().as_millis() > 300 {
                    println!("{file} SLOW {:?}", start.elapsed());
                }
            });
            if result.is_err() {
                println!("{file} {} PANIC", strategy.name());
            }
        }
    }
}

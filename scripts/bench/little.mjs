// What one operator costs where there is little to compute. A program applies it a few times in each round of a loop,
// and another one a few times more; the difference is the operator's, without loop, call or list. Each goes round few
// and many times: what a run costs once, of which the most is to follow the program before it, is in neither's difference.

/** How often a loop goes round, and how often the two programs apply the operator in each round. */
const ROUNDS = [50_000, 250_000];
const FEW = 2;
const MANY = 10;
const SAMPLES = 7;
/** Until the browser's second compiler has had its turn. */
const WARM_UP_MS = 1000;
const FUEL = 1e10;

const tensor = (shape, dtype) => `Tensor[${shape}, ${dtype}]`;

/** Operators on tensors: what is done to `%x` and `%y`, of which shape (and dtype), and how many operators that is. */
const TENSORS = [
  { name: "x - y", on: "4", shape: "(4,)", step: "%x - %y" },
  { name: "x - y", on: "4", shape: "(4,)", step: "%x - %y", dtype: "int32" },
  { name: "x - y", on: "4", shape: "(4,)", step: "%x - %y", dtype: "float64" },
  { name: "x * 0.5", on: "16", shape: "(16,)", step: "%x * 0.5" },
  // The weights of a network are mostly top-level variables.
  { name: "x + top-level bias", on: "4×4", shape: "(4, 4)", step: "%x + %bias" },
  { name: "nn.relu(x)", on: "16", shape: "(16,)", step: "nn.relu(%x)" },
  { name: "tanh(x)", on: "8", shape: "(8,)", step: "tanh(%x)" },
  { name: "nn.softmax(x)", on: "16", shape: "(16,)", step: "nn.softmax(%x)" },
  // Of two operators.
  { name: "x - sum(x, axis=1)", on: "4×4", shape: "(4, 4)", step: "%x - sum(%x, axis=[1], keepdims=True)", n: 2 },
  { name: "transpose(x)", on: "4×4", shape: "(4, 4)", step: "transpose(%x)" },
  { name: "nn.dense(x, y)", on: "4×4", shape: "(4, 4)", step: "nn.dense(%x, %y)" },
  { name: "nn.dense(x, y)", on: "2×2", shape: "(2, 2)", step: "nn.dense(%x, %y)" },
  { name: "nn.batch_matmul(x, y)", on: "2×2×2", shape: "(2, 2, 2)", step: "nn.batch_matmul(%x, %y)" },
  { name: "nn.dense(x, y)", on: "4×4", shape: "(4, 4)", step: "nn.dense(%x, %y)", dtype: "int32" },
  { name: "nn.layer_norm(x, y, y)", on: "4×4", shape: "(4, 4)", step: "nn.layer_norm(%x, %bias, %bias)" },
  { name: "nn.max_pool2d(x)", on: "4×4", shape: "(1, 1, 4, 4)", step: "nn.max_pool2d(%x, pool_size=[3, 3], padding=[1, 1])" },
];

function loop({ shape, step, dtype = "float32" }, times, rounds) {
  const steps = `    let %x = ${step};\n`.repeat(times);
  const made = `ones(shape=${shape.replace("(", "[").replace(/,?\)/, "]")}, dtype="${dtype}")`;
  return `let %bias = ones(shape=[4], dtype="${dtype}");
def @go(%i: int32, %x: ${tensor(shape, dtype)}, %y: ${tensor(shape, dtype)}) -> ${tensor(shape, dtype)} {
  if (%i == 0) { %x } else {
${steps}    @go(%i - 1, %x, %y)
  }
}
@go(${rounds}, ${made}, ${made})
`;
}

function fold(step, dtype, times, rounds) {
  const literal = dtype === "float32" ? "0.5" : "3";
  const steps = `  let %s = ${step};\n`.repeat(times);
  return `type List { Nil, Cons(${dtype}, List) }
def @upto(%n: int32, %list: List) -> List {
  if (%n == 0) { %list } else { @upto(%n - 1, Cons(${literal}, %list)) }
}
def @fold(%s: ${dtype}, %list: List) -> ${dtype} {
  match (%list) { Nil => %s, Cons(%x, %rest) => @fold(@step(%s, %x), %rest) }
}
def @step(%s: ${dtype}, %x: ${dtype}) -> ${dtype} {
${steps}  %s
}
@fold(${literal}, @upto(${rounds}, Nil))
`;
}

/** The time of a run in ms: the shortest of several, since what else the machine does only adds. */
function timed(playground, text) {
  const error = playground.update(text).diagnostics.find(({ severity }) => severity === "error");
  if (error) throw new Error(error.message);
  let shortest = Infinity;
  for (let round = 0; round < SAMPLES; round += 1) {
    const start = performance.now();
    const { values, diagnostics } = playground.run(FUEL, "aligned", "off", "off");
    shortest = Math.min(shortest, performance.now() - start);
    if (values.at(-1)?.value === undefined) throw new Error(diagnostics[0]?.message ?? "no value");
  }
  return shortest;
}

/** Prints, for each operator, the ns of a call. */
export function littleRows(playground, print = console.log) {
  const row = (name, on, program, n = 1) => {
    const [short, long] = ROUNDS;
    const start = performance.now();
    while (performance.now() - start < WARM_UP_MS) timed(playground, program(MANY, long));
    const [few, many] = [FEW, MANY].map((times) => timed(playground, program(times, long)) - timed(playground, program(times, short)));
    const ns = ((many - few) * 1e6) / ((MANY - FEW) * (long - short) * n);
    print(`  ${name.padEnd(24)}${on.padEnd(24)}${ns.toFixed(1).padStart(8)} ns`);
  };
  for (const operator of TENSORS) row(operator.name, `${operator.on} of ${operator.dtype ?? "float32"}`, (...counts) => loop(operator, ...counts), operator.n);
  row("x + s", "int32, in a fold", (...counts) => fold("%s + %x", "int32", ...counts));
  row("x * s", "float32, in a fold", (...counts) => fold("%s * %x", "float32", ...counts));
}

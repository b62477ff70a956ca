// What an element of each dtype costs in operators on 65,536 of them. A run tells how long each of its operators took.

const DTYPES = ["float32", "float64", "float16", "bfloat16", "int8", "int32", "int64", "bool"];
const RUNS = 5;
const FUEL = 1e10;

/** What is done to `%x` and `%y`, of which shape. `DTYPE` stands for the dtype. */
const OPERATORS = [
  { step: "%x + %y", shape: [256, 256] },
  { step: "%x * %y", shape: [256, 256] },
  { step: "%x < %y", shape: [256, 256] },
  { step: "nn.relu(%x)", shape: [256, 256] },
  { step: 'cast(%x, dtype="int8")', shape: [256, 256] },
  { step: "sum(%x, axis=[1])", shape: [256, 256] },
  { step: "max(%x, axis=[0])", shape: [256, 256] },
  { step: "argmax(%x, axis=1)", shape: [256, 256] },
  { step: "transpose(%x)", shape: [256, 256] },
  { step: "nn.dense(%x, %y)", shape: [256, 256] },
  { step: "nn.max_pool2d(%x, pool_size=[2, 2], strides=[2, 2])", shape: [1, 4, 128, 128] },
  { step: 'nn.conv2d(%x, ones(shape=[16, 16, 3, 3], dtype="DTYPE"), padding=[1, 1])', shape: [1, 16, 64, 64] },
];

function program({ step, shape }, dtype) {
  const type = `Tensor[(${shape.join(", ")}), ${dtype}]`;
  const made = `ones(shape=[${shape.join(", ")}], dtype="${dtype}")`;
  return `def @f(%x: ${type}, %y: ${type}) { ${step.replaceAll("DTYPE", dtype)} }
let %z = @f(${made}, ${made});
strided_slice(reshape(%z, newshape=[-1]), begin=[0], end=[1])
`;
}

/** The ns of the operator for each element of `%x`. */
function nanoseconds(playground, operator, dtype) {
  const error = playground.update(program(operator, dtype)).diagnostics.find(({ severity }) => severity === "error");
  if (error) throw new Error(error.message);
  const name = /^\w/.test(operator.step) ? operator.step.replace(/\(.*/, "") : undefined;
  const isIt = ({ names, line }) => line === 1 && (name === undefined || names.includes(name));
  let shortest = Infinity;
  for (let run = 0; run < RUNS; run += 1) {
    const { profile, diagnostics } = playground.run(FUEL, "aligned", "off", "on");
    if (diagnostics.length > 0) throw new Error(diagnostics[0].message);
    shortest = Math.min(shortest, profile.find(isIt).milliseconds);
  }
  return (shortest * 1e6) / operator.shape.reduce((n, size) => n * size, 1);
}

/** Prints, for each operator, the ns that an element of each dtype costs. */
export function dtypeRows(playground, print = console.log) {
  const row = (name, cells) => print(`  ${name.padEnd(30)}${cells.map((cell) => cell.padStart(10)).join("")}`);
  row("ns for each element", DTYPES);
  for (const operator of OPERATORS) {
    const cells = DTYPES.map((dtype) => nanoseconds(playground, operator, dtype).toFixed(2));
    row(operator.step.replace(/, (ones|pool_size).*/, ", …)"), cells);
  }
}

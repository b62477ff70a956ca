// Programs whose values say every bit of what they compute, for the engines that must agree on them: floats are read as
// the integers of their bits, so that zeros have signs and a NaN has its payload. What they compute on is made of bits
// too.
import { resolve } from "node:path";
import { readPages } from "../../scripts/pages.mjs";

const root = resolve(import.meta.dirname, "../..");

/** The same numbers in every run: the generator of Park and Miller. */
function numbers(seed) {
  let state = seed;
  return () => (state = (state * 48271) % 0x7fffffff);
}

/** A float's format: the widths of its parts, and the integers that its bits are written as. */
const FORMATS = {
  float32: { dtype: "float32", exponent: 8, fraction: 23, bits: "int32", suffix: "" },
  float64: { dtype: "float64", exponent: 11, fraction: 52, bits: "int64", suffix: "i64" },
  float16: { dtype: "float16", exponent: 5, fraction: 10, bits: "int16", suffix: "i16" },
  bfloat16: { dtype: "bfloat16", exponent: 8, fraction: 7, bits: "int16", suffix: "i16" },
};

/** Bits of floats of a format: all kinds of them first, then some at random. Both signs of each. */
function spread(format, nRandom, seed) {
  const { exponent, fraction } = format;
  const next = numbers(seed);
  const one = 1n << BigInt(fraction);
  const infinity = ((1n << BigInt(exponent)) - 1n) * one;
  const bias = (1n << BigInt(exponent - 1)) - 1n;
  const power = (n) => (bias + BigInt(n)) * one;
  const random = () => {
    const wide = (BigInt(next()) << 31n) ^ (BigInt(next()) << 4n) ^ BigInt(next() & 15);
    return wide % infinity;
  };
  // Where most functions do something: between 2^-8 and 2^8.
  const near = () => power((next() % 17) - 8) + (random() % one);
  const kinds = [
    0n, 1n, 2n, one / 2n, one - 1n, one, one + 1n, power(-1), power(0) - 1n, power(0), power(0) + 1n, power(1), power(2),
    power(exponent > 5 ? 20 : 10), power(exponent > 5 ? 24 : 12), power(Number(bias) - 1), infinity - 1n, infinity,
    // Quiet and signalling NaN, with payloads.
    infinity + one / 2n, infinity + one / 2n + 5n, infinity + 1n, infinity + one - 1n,
  ];
  for (let i = 0; i < nRandom; i += 1) kinds.push(i % 3 === 0 ? random() : near());
  return kinds.flatMap((bits) => [bits, bits - (1n << BigInt(exponent + fraction))]);
}

/** A tensor of floats with these bits. */
const literal = (format, bits) => `reinterpret([${bits.map((n) => `${n}${format.suffix}`).join(", ")}], dtype="${format.dtype}")`;

/** An expression of floats, as the bits that it comes to. */
const bitsOf = (format, expression) => `reinterpret(${expression}, dtype="${format.bits}")`;

const UNARY =
  "abs acos acosh asin asinh atan atanh ceil cos cosh erf exp fast_erf fast_exp fast_tanh floor log log10 log2 negative nn.relu nn.leaky_relu round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc";
const TESTS = "isfinite isinf isnan";
const BINARY = "add subtract multiply divide floor_divide floor_mod mod trunc_divide trunc_mod power maximum minimum";
const COMPARING = "equal not_equal less less_equal greater greater_equal";
const words = (text) => text.split(" ");

/** Tensors shorter than, as long as and longer than what goes through a SIMD register at a time. */
const LENGTHS = [1, 3, 4, 7];

function elementwise(format) {
  const a = spread(format, 60, 7);
  // The same ones in another order, so that all kinds meet.
  const b = a.map((_, i) => a[(i * 29 + 11) % a.length]);
  const slice = (name, n) => `strided_slice(${name}, begin=[0], end=[${n}], strides=[1])`;
  const head = `let %a = ${literal(format, a)};\nlet %b = ${literal(format, b)};\n`;
  const parts = [];
  for (const name of words(UNARY)) {
    parts.push(bitsOf(format, `${name}(%a)`), bitsOf(format, `${name}(${slice("%a", 3)})`));
  }
  for (const name of words(TESTS)) parts.push(`${name}(%a)`);
  parts.push(bitsOf(format, "clip(%a, a_min=-1.5f, a_max=2.25f)"));
  for (const name of words(BINARY)) {
    parts.push(bitsOf(format, `${name}(%a, %b)`), bitsOf(format, `${name}(%a, ${slice("%b", 1)})`));
    for (const n of LENGTHS) parts.push(bitsOf(format, `${name}(${slice("%b", n)}, ${slice("%a", n)})`));
  }
  for (const name of words(COMPARING)) parts.push(`${name}(%a, %b)`);
  parts.push(bitsOf(format, "where(less(%a, %b), %a, %b)"));
  // A chain, which may be computed as one.
  parts.push(bitsOf(format, "nn.relu(tanh(%a * %b + exp(negative(abs(%a)))) - %b)"));
  for (const to of ["int8", "uint8", "int32", "int64", "uint64", "bool"]) parts.push(`cast(%a, dtype="${to}")`);
  for (const to of Object.values(FORMATS)) parts.push(bitsOf(to, `cast(%a, dtype="${to.dtype}")`));
  const rows = a.length / 4;
  parts.push(bitsOf(format, `reshape(%a, newshape=[4, ${rows}]) + reshape(${slice("%b", rows)}, newshape=[1, ${rows}])`));
  parts.push(bitsOf(format, `reshape(%a, newshape=[4, ${rows}]) * reshape(${slice("%b", 4)}, newshape=[4, 1])`));
  parts.push(bitsOf(format, "sort(%a)"), "argsort(%a)", "argmax(%a)", "argmin(%a)", bitsOf(format, "max(%a)"), bitsOf(format, "min(%a)"));
  parts.push(bitsOf(format, "sum(%a)"), bitsOf(format, "nn.softmax(%a)"));
  return { title: `elementwise, ${format.dtype}`, text: head + parts.join("\n") };
}

/** Expressions with names of their own. What has a name is computed by the machine, what has none when it is compiled. */
function names() {
  const known = new Map();
  return {
    of(expression) {
      if (!known.has(expression)) known.set(expression, `%t${known.size}`);
      return known.get(expression);
    },
    lets: () => [...known].map(([expression, name]) => `let ${name} = ${expression};\n`).join(""),
  };
}

const UNNAMED = { of: (expression) => expression, lets: () => "" };

/** Every way to make a NaN, each with the bits that it has, of numbers that `of` may name. */
function nans(format, { of: named, lets }) {
  const { dtype, exponent, fraction } = format;
  const infinity = ((1n << BigInt(exponent)) - 1n) << BigInt(fraction);
  const of = (bits) => named(literal(format, [bits]));
  const nan = of(infinity + 3n);
  const negative = of(infinity + 3n - (1n << BigInt(exponent + fraction)));
  const number = (text) => named(`cast([${text}f], dtype="${dtype}")`);
  const inf = of(infinity);
  const parts = [
    `${number("0")} / ${number("0")}`, `${inf} - ${inf}`, `negative(${inf}) + ${inf}`, `${inf} * ${number("0")}`, `${inf} / ${inf}`,
    `sqrt(${number("-1")})`, `rsqrt(${number("-1")})`, `log(${number("-1")})`, `acos(${number("2")})`, `power(${number("-2")}, ${number("0.5")})`,
    `mod(${number("1")}, ${number("0")})`, `floor_mod(${inf}, ${number("2")})`, `trunc_mod(${inf}, ${number("2")})`, `sin(${inf})`,
    `atanh(${number("2")})`, `mean(concatenate((${inf}, negative(${inf})), axis=0))`, `nn.softmax(concatenate((${inf}, ${inf}), axis=0))`,
  ];
  for (const one of [nan, negative]) {
    parts.push(one, `negative(${one})`, `abs(${one})`, `${one} + ${number("1")}`, `${number("1")} - ${one}`, `${one} * ${one}`, `power(${one}, ${number("0")})`);
    for (const name of ["maximum", "minimum", "add", "divide", "mod"]) parts.push(`${name}(${one}, ${number("1")})`, `${name}(${number("1")}, ${one})`, `${name}(${nan}, ${negative})`);
    for (const name of words(UNARY)) parts.push(`${name}(${one})`);
    for (const to of ["sum", "prod", "max", "min", "mean", "cumsum"]) parts.push(`${to}(concatenate((${number("1")}, ${one}, ${number("2")}), axis=0))`);
    parts.push(`reshape(${one}, newshape=[1, 1])`, `concatenate((${one}, ${one}), axis=0)`, `where([True], ${one}, ${one})`, `cast(cast(${one}, dtype="float32"), dtype="${dtype}")`);
  }
  const values = parts.map((part) => bitsOf(format, part)).join("\n");
  return { title: `NaN, ${dtype}${lets() === "" ? ", compiled" : ""}`, text: lets() + values };
}

/** A tensor of floats that are neither round nor far from 1, in a shape. */
function waves(dtype, shape, by) {
  const n = shape.reduce((a, b) => a * b, 1);
  return `cast(reshape(sin(arange(0f, ${n}f, 1f) * ${by}f), newshape=[${shape.join(", ")}]), dtype="${dtype}")`;
}

function products(format) {
  const { dtype } = format;
  const { of, lets } = names();
  const parts = [];
  const tensor = (shape, by) => of(waves(dtype, shape, by));
  const add = (expression) => parts.push(bitsOf(format, expression));
  for (const [m, k, n] of [[1, 1, 1], [1, 7, 5], [2, 3, 1], [4, 8, 8], [5, 4, 9], [7, 13, 10], [8, 64, 17], [17, 33, 19], [1, 129, 31], [33, 1, 33], [13, 70, 1]]) {
    const [a, b, bt] = [tensor([m, k], 1.7), tensor([k, n], 0.9), tensor([n, k], 1.3)];
    add(`nn.dense(${a}, ${bt})`);
    add(`nn.matmul(${a}, ${b})`);
    add(`nn.relu(nn.bias_add(nn.dense(${a}, ${bt}), ${tensor([n], 2.1)}))`);
    if (m * k * n < 2000) {
      add(`nn.matmul(${tensor([k, m], 0.7)}, ${bt}, transpose_a=True, transpose_b=True)`);
      add(`nn.batch_matmul(${tensor([3, m, k], 0.31)}, ${tensor([3, k, n], 0.57)})`);
      add(`einsum((${a}, ${b}), equation="ij,jk->ki")`);
    }
  }
  // More than one block of rows, of terms, of columns, of a vector.
  for (const [m, k, n] of [[101, 260, 9], [5, 300, 510], [1, 4200, 3], [3, 4200, 1]]) {
    add(`nn.matmul(${tensor([m, k], 1.7)}, ${tensor([k, n], 0.9)})`);
    add(`nn.dense(${tensor([m, k], 1.7)}, ${tensor([n, k], 1.3)})`);
  }
  return { title: `products, ${dtype}`, text: lets() + parts.join("\n") };
}

function convolutions(format) {
  const { dtype } = format;
  const { of, lets } = names();
  const parts = [];
  const add = (name, data, weight, attrs = "") =>
    parts.push(bitsOf(format, `${name}(${of(waves(dtype, data, 1.1))}, ${of(waves(dtype, weight, 0.77))}${attrs})`));
  add("nn.conv2d", [1, 3, 9, 11], [5, 3, 3, 3]);
  add("nn.conv2d", [2, 4, 7, 6], [6, 4, 3, 3], ", padding=[1, 1]");
  add("nn.conv2d", [1, 3, 13, 15], [4, 3, 3, 3], ", strides=[2, 3], padding=[1, 0, 2, 1]");
  add("nn.conv2d", [1, 2, 12, 12], [3, 2, 3, 3], ", dilation=[2, 3]");
  add("nn.conv2d", [1, 5, 7, 9], [9, 5, 1, 1]);
  add("nn.conv2d", [1, 3, 15, 17], [3, 3, 7, 7], ", strides=[2, 2], padding=[3, 3]");
  add("nn.conv2d", [1, 6, 8, 9], [6, 1, 3, 3], ", groups=6, padding=[1, 1]");
  add("nn.conv2d", [1, 6, 8, 9], [4, 3, 3, 3], ", groups=2");
  add("nn.conv2d", [1, 9, 7, 5], [3, 3, 5, 6], ', data_layout="NHWC", kernel_layout="HWIO"');
  add("nn.conv1d", [2, 3, 19], [4, 3, 5], ", strides=[2], padding=[2]");
  add("nn.conv3d", [1, 2, 5, 6, 7], [3, 2, 2, 3, 3], ", padding=[1, 1, 1]");
  add("nn.conv2d_transpose", [1, 3, 5, 6], [3, 4, 3, 3], ", strides=[2, 2], padding=[1, 1]");
  const image = of(waves(dtype, [1, 3, 9, 11], 1.9));
  for (const pool of ["nn.max_pool2d", "nn.avg_pool2d"]) parts.push(bitsOf(format, `${pool}(${image}, pool_size=[3, 2], strides=[2, 2], padding=[1, 1])`));
  parts.push(bitsOf(format, `nn.global_avg_pool2d(${image})`), bitsOf(format, `nn.adaptive_avg_pool2d(${image}, output_size=[4, 5])`));
  parts.push(bitsOf(format, `image.resize2d(${image}, size=[5, 17])`), bitsOf(format, `nn.lrn(${image})`));
  return { title: `convolutions and pools, ${dtype}`, text: lets() + parts.join("\n") };
}

function rows(format) {
  const { dtype } = format;
  const { of, lets } = names();
  const parts = [];
  const add = (expression) => parts.push(bitsOf(format, expression));
  for (const shape of [[5, 7, 9], [1, 3, 130], [17, 1, 2]]) {
    const x = of(waves(dtype, shape, 1.37));
    for (const name of ["sum", "mean", "prod", "max", "min"]) {
      add(`${name}(${x})`);
      for (const axis of ["0", "1", "2", "0, 2", "1, 2"]) add(`${name}(${x}, axis=[${axis}])`);
    }
    for (const name of ["argmax", "argmin"]) parts.push(`${name}(${x}, axis=[2])`, `${name}(${x}, axis=[0])`);
    for (const axis of [0, 1, 2]) {
      for (const name of ["nn.softmax", "nn.log_softmax", "nn.fast_softmax", "cumsum", "cumprod", "sort"]) add(`${name}(${x}, axis=${axis})`);
      const [gamma, beta] = [0.3, 0.2].map((by) => of(waves(dtype, [shape[axis]], by)));
      add(`nn.layer_norm(${x}, ${gamma}, ${beta}, axis=${axis})`);
    }
    const [gamma, beta, mean, variance] = [0.3, 0.2, 0.5, 0.9].map((by) => of(waves(dtype, [shape[1]], by)));
    add(`nn.batch_norm(${x}, ${gamma}, ${beta}, ${mean}, abs(${variance})).0`);
    add(`nn.instance_norm(${x}, ${gamma}, ${beta})`);
    add(`nn.l2_normalize(${x}, eps=0.001f, axis=[1])`);
    add(`variance(${x}, mean(${x}, axis=[2], keepdims=True), axis=[2])`);
    add(`transpose(${x}, axes=[2, 0, 1])`);
  }
  const long = of(waves(dtype, [3, 4201], 1.37));
  for (const name of ["sum", "mean", "max", "min"]) for (const attrs of ["", ", axis=[0]", ", axis=[1]"]) add(`${name}(${long}${attrs})`);
  add(`nn.softmax(${long})`);
  return { title: `rows, ${dtype}`, text: lets() + parts.join("\n") };
}

function integers() {
  const { of, lets } = names();
  const parts = [];
  for (const dtype of ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]) {
    const x = of(`cast(sin(arange(0f, 37f, 1f)) * 1000000000f, dtype="${dtype}")`);
    const y = of(`cast(cos(arange(0f, 37f, 1f)) * 100f, dtype="${dtype}")`);
    const nonZero = `maximum(abs(${y}), ones_like(${y}))`;
    for (const name of ["add", "subtract", "multiply", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor", "less", "equal"]) parts.push(`${name}(${x}, ${y})`);
    for (const name of ["add", "maximum", "bitwise_or"]) parts.push(`${name}(${x}, cast(77, dtype="${dtype}"))`);
    parts.push(`where(${x} > ${y}, ${x}, ${y})`, `logical_and(${x} > ${y}, ${x} < abs(${y}))`, `logical_xor(${x} > ${y}, ${x} < ${y})`);
    parts.push(`max(where(${x} > ${y}, cast(${x} * ${y} - ${x}, dtype="float32"), 0.5f) * 3f)`);
    for (const name of ["floor_divide", "floor_mod", "trunc_divide", "trunc_mod"]) parts.push(`${name}(${x}, ${nonZero})`);
    parts.push(`sum(${x})`, `cumsum(${x})`, bitsOf(FORMATS.float32, `cast(${x}, dtype="float32")`), bitsOf(FORMATS.float64, `cast(${x}, dtype="float64")`));
    parts.push(`nn.dense(reshape(strided_slice(${x}, begin=[0], end=[36], strides=[1]), newshape=[4, 9]), reshape(strided_slice(${y}, begin=[0], end=[27], strides=[1]), newshape=[3, 9]))`);
  }
  return { title: "integers", text: lets() + parts.join("\n") };
}

/** The programs made here: each comes to values, without a problem. */
export const madePrograms = () => [
  ...Object.values(FORMATS).flatMap((format) => [elementwise(format), nans(format, names()), nans(format, UNNAMED), rows(format)]),
  ...[FORMATS.float32, FORMATS.float64, FORMATS.float16].flatMap((format) => [products(format), convolutions(format)]),
  integers(),
];

/** Those of the test pages, mistakes and all, of which the values are compared that there are. */
export const pagePrograms = () =>
  readPages(resolve(root, "tests/pages")).flatMap(({ path, programs }) =>
    programs.map(({ heading, text }) => ({ title: `${path}, “${heading}”`, text })),
  );

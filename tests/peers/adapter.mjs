// Our kernels as contenders of the peers' benchmark, in Node and in a browser: one for each build, and with each the
// probe of its multiply-adds, which does as much arithmetic as the workload and nothing else.
// The WebAssembly files lie beside this one; `npm run bench:peers` puts them there.

const count = (shape) => shape.reduce((product, size) => product * size, 1);
const channels = (w) => [w.inputs.x[1], w.inputs.w[0]];
const window = (w) => [w.inputs.x[2], w.k, w.stride, w.pad];
/** Rows and columns: a vector is one row. */
const matrix = (shape) => [count(shape.slice(0, -1)), shape.at(-1)];
const map = (op) => (k, w, t) => () => k.map(op, t.x, t.out, count(w.out));

/**
 * By operator, what a run does: a kernel of ours is one line. `k` are the functions of the WebAssembly, `w` is the
 * workload, and `t` holds pointers: to the inputs by name, to the output as `out`, to `plan`.
 */
const RUNS = {
  matmul: (k, w, t) => () => k.matmul(t.a, t.b, t.out, w.m, w.k, w.n, t.plan),
  conv2d: (k, w, t) => () => k.conv2d(t.x, t.w, t.out, ...channels(w), 1, ...window(w), t.plan),
  dwconv2d: (k, w, t) => () => k.conv2d(t.x, t.w, t.out, ...channels(w), w.inputs.x[1], ...window(w), t.plan),
  add: (k, w, t) => () => k.add(t.x, t.y, t.out, ...matrix(w.inputs.x), count(w.inputs.y)),
  relu: map(0),
  exp: map(1),
  tanh: map(2),
  sigmoid: map(3),
  softmax: (k, w, t) => () => k.softmax(t.x, t.out, ...w.out, t.plan),
  sum: (k, w, t) => {
    const [n_rows, n_columns] = w.inputs.x;
    const extent = w.axis === 0 ? [1, n_rows, n_columns] : [n_rows, n_columns, 1];
    return () => k.sum(t.x, t.out, ...extent, t.plan);
  },
  layer_norm: (k, w, t) => () => k.layer_norm(t.x, t.g, t.b, t.out, ...w.out, w.eps, t.plan),
  max_pool2d: (k, w, t) => () => k.max_pool(t.x, t.out, w.inputs.x[1], w.inputs.x[2], w.k, w.stride, w.pad, t.plan),
  transpose: (k, w, t) => () => k.transpose(t.x, t.out, ...w.inputs.x),
  chain: (k, w, t) => () => k.chain(t.x, t.y, t.out, count(w.out), t.plan),
};

/** The same with weights that were made ready before, where that differs. */
const PREPARED = {
  matmul: (k, w, t) => {
    k.pack_right(t.b, w.k, w.n, t.plan);
    return () => k.matmul(t.a, 0, t.out, w.m, w.k, w.n, t.plan);
  },
};

async function load(build) {
  const file = new URL(`relish_${build}.wasm`, import.meta.url);
  const bytes = file.protocol === "file:"
    ? (await import("node:fs")).readFileSync(file)
    : await (await fetch(file)).arrayBuffer();
  return (await WebAssembly.instantiate(bytes, {})).instance.exports;
}

function contender(name, build, runs) {
  let kernels;
  return {
    name,
    init: async () => void (kernels = await load(build)),
    supports: (workload) => workload.op in runs,
    setup(workload, inputs) {
      const tensors = {};
      const sizes = { out: count(workload.out) };
      for (const [id, elements] of Object.entries(inputs)) sizes[id] = elements.length;
      for (const [id, size] of Object.entries(sizes)) tensors[id] = kernels.allocate(size);
      for (const [id, elements] of Object.entries(inputs)) {
        new Float32Array(kernels.memory.buffer, tensors[id], elements.length).set(elements);
      }
      const plan = kernels.plan(sizes.out);
      return {
        run: runs[workload.op](kernels, workload, { ...tensors, plan }),
        read: () => new Float32Array(kernels.memory.buffer, tensors.out, sizes.out).slice(),
        dispose() {
          for (const [id, size] of Object.entries(sizes)) kernels.release(tensors[id], size);
          kernels.drop_plan(plan);
        },
      };
    },
  };
}

function probe(build) {
  let kernels;
  return {
    name: `probe-${build}`,
    init: async () => void (kernels = await load(build)),
    supports: (workload) => workload.group === "flop",
    setup: (workload) => ({ run: () => void kernels.probe(Math.ceil(workload.flops / 96)) }),
  };
}

export default ["simd128", "relaxed"].flatMap((build) => [
  contender(`relish-${build}`, build, RUNS),
  contender(`relish-${build}-const`, build, PREPARED),
  probe(build),
]);

// Our kernels as contenders of the peers' benchmark, in Node and in a browser: one for each build, and with each the
// probe of its multiply-adds, which does as much arithmetic as the workload and nothing else.
// The WebAssembly files lie beside this one; `npm run bench:peers` puts them there.

const channels = (w) => [w.inputs.x[1], w.inputs.w[0]];
const window = (w) => [w.inputs.x[2], w.k, w.stride, w.pad];

/**
 * By operator, what a run does: a kernel of ours is one line. `k` are the functions of the WebAssembly, `w` is the
 * workload, and `t` holds pointers: to the inputs by name, to the output as `out`, to `scratch`.
 */
const RUNS = {
  matmul: (k, w, t) => () => k.matmul(t.a, t.b, t.out, w.m, w.k, w.n, t.scratch),
  conv2d: (k, w, t) => () => k.conv2d(t.x, t.w, t.out, ...channels(w), 1, ...window(w), t.scratch),
  dwconv2d: (k, w, t) => () => k.conv2d(t.x, t.w, t.out, ...channels(w), w.inputs.x[1], ...window(w), t.scratch),
};

/** The same with weights that were made ready before, where that differs. */
const PREPARED = {
  matmul: (k, w, t) => {
    const b = k.packed(t.b, w.k, w.n);
    return () => k.matmul_packed(t.a, b, t.out, w.m, w.k, w.n, t.scratch);
  },
};

async function load(build) {
  const file = new URL(`relish_${build}.wasm`, import.meta.url);
  const bytes = file.protocol === "file:"
    ? (await import("node:fs")).readFileSync(file)
    : await (await fetch(file)).arrayBuffer();
  return (await WebAssembly.instantiate(bytes, {})).instance.exports;
}

const count = (shape) => shape.reduce((product, size) => product * size, 1);

function contender(name, build, runs) {
  let kernels;
  return {
    name,
    init: async () => void (kernels = await load(build)),
    supports: (workload) => workload.op in runs,
    setup(workload, inputs) {
      const tensors = { scratch: kernels.scratch(), out: kernels.allocate(count(workload.out)) };
      for (const [id, elements] of Object.entries(inputs)) {
        tensors[id] = kernels.allocate(elements.length);
        new Float32Array(kernels.memory.buffer, tensors[id], elements.length).set(elements);
      }
      return {
        run: runs[workload.op](kernels, workload, tensors),
        read: () => new Float32Array(kernels.memory.buffer, tensors.out, count(workload.out)).slice(),
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

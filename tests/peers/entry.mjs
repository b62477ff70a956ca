// The harness's own workloads and contenders, and a chain of eight elementwise operators over the two libraries: what a
// program with fused operators is measured by. It takes the place of the harness's `entry.mjs` in the copy that is
// built.
import * as tf from "@tensorflow/tfjs-core";
import * as ort from "onnxruntime-web";
import { onnxModel } from "./onnx.mjs";
import { peers as libraries } from "./peers.mjs";
import { workloads as all } from "./workloads.mjs";

export { bench } from "./core.mjs";

const shape = [1024, 1024];
const n = shape[0] * shape[1];
const chain = {
  name: "chain8_1M", op: "chain", inputs: { x: shape, y: shape }, out: shape,
  bytes: 12 * n, flops: 8 * n, weights: [], group: "mem",
};

/** `abs(relu((x + y) * 0.5 - y) * x + 1) + y`. */
function ofTensorflow(workload, inputs) {
  const [x, y] = [tf.tensor(inputs.x, shape), tf.tensor(inputs.y, shape)];
  let last;
  return {
    run() {
      last?.dispose();
      last = tf.tidy(() => {
        const clipped = tf.relu(tf.sub(tf.mul(tf.add(x, y), 0.5), y));
        return tf.add(tf.abs(tf.add(tf.mul(clipped, x), 1)), y);
      });
    },
    read: () => Float32Array.from(last.dataSync()),
    activate: () => tf.setBackend("wasm"),
    dispose: () => [last, x, y].forEach((tensor) => tensor.dispose()),
  };
}

/** The same, eight times over in one graph of constants, as the harness does for single operators. */
async function ofOnnx(workload, inputs) {
  const copies = 8;
  const scalar = (x) => ({ shape: [], data: Float32Array.of(x) });
  const consts = { half: scalar(0.5), one: scalar(1), x: { shape, data: inputs.x }, y: { shape, data: inputs.y } };
  const steps = [
    ["Add", "x", "y"], ["Mul", 0, "half"], ["Sub", 0, "y"], ["Relu", 0],
    ["Mul", 0, "x"], ["Add", 0, "one"], ["Abs", 0], ["Add", 0, "y"],
  ];
  const nodes = Array.from({ length: copies }, (_, copy) => steps.map(([op, ...operands], at) => {
    const name = (operand) => (operand === 0 ? `t${copy}_${at - 1}` : operand);
    return { op, in: operands.map(name), out: [`t${copy}_${at}`] };
  })).flat();
  nodes.push({ op: "Add", in: ["z", "one"], out: ["out"] });
  const model = onnxModel({ nodes, inputs: { z: [1] }, outputs: { out: [1] }, consts });
  const session = await ort.InferenceSession.create(model, { executionProviders: ["wasm"], graphOptimizationLevel: "disabled" });
  const feeds = { z: new ort.Tensor("float32", new Float32Array(1), [1]) };
  return { scale: copies, run: () => session.run(feeds), read: () => null, dispose: () => session.release() };
}

const CHAINS = { "tfjs-wasm": ofTensorflow, "ort-web-kernel": ofOnnx };

export const workloads = (all.push(chain), all);
export const peers = libraries.map((peer) => ({
  ...peer,
  supports: (workload) => (workload === chain ? peer.name in CHAINS : peer.supports?.(workload) ?? true),
  setup: (workload, inputs) => (workload === chain ? CHAINS[peer.name] : peer.setup)(workload, inputs),
}));

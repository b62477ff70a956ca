// By workload, what is wanted of our kernels: how many times the best peer's rate, and what share of the probe's, in
// the build with simd128 and then in the relaxed one. Workloads that are not here are only shown.

const both = (goal) => ({ simd128: goal, relaxed: goal });
const large = { simd128: { peer: 1.25, probe: 0.85 }, relaxed: { peer: 1.35, probe: 0.92 } };
const peer = (simd128, relaxed = simd128) => ({ simd128: { peer: simd128 }, relaxed: { peer: relaxed } });

export const GOALS = {
  matmul_128: both({ peer: 1.25, probe: 0.85 }),
  matmul_256: large,
  matmul_512: large,
  matmul_1024: large,
  gemv_1x1024x1024: peer(1),
  dense_64x784x128: both({ peer: 1.25, probe: 0.85 }),
  conv7x7s2_3x224_64: peer(1.15),
  conv3x3_64x56_64: both({ peer: 1.3, probe: 0.85 }),
  conv1x1_64x56_128: both({ peer: 1.3, probe: 0.85 }),
  dwconv3x3_96x112: peer(1.5),
  add_1M: peer(1.05),
  bias_add_1M: peer(1.05),
  relu_1M: peer(1.05),
  exp_1M: peer(2, 3),
  tanh_1M: peer(2, 3),
  sigmoid_1M: peer(1, 1.4),
  softmax_1024x1024: peer(1, 1.1),
  sum_axis0_1M: peer(1.5),
  sum_axis1_1M: peer(4),
  layer_norm_1M: peer(5),
  max_pool3x3s2_64x112: peer(1),
  transpose_1024: peer(2),
  chain8_1M: peer(4),
};

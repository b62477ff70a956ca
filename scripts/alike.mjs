// An order for things that Brotli compresses together: it pays less for what repeats nearby.

/** Things that have a smaller part in common are not alike. */
const LEAST = 0.02;

/** What two things have in common is counted in runs of so many bytes. */
const LENGTH = 4;

/** The hashes of all runs, each once. */
function runs(bytes) {
  const seen = new Set();
  for (let end = LENGTH; end <= bytes.length; end++) {
    let hash = 0;
    for (let at = end - LENGTH; at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193);
    seen.add(hash);
  }
  return [...seen];
}

/**
 * Finds orders of some lists of bytes, by their places: behind each comes the one, of those that are left, that has most
 * of itself in common with it, where the length of the one before counts `last` times as much as its own. What it has in
 * common with those before that counts too, with each `before` times as much as with the next. Where none is alike, the
 * first that is left comes.
 */
export function alike(things) {
  const numberOf = new Map();
  const nHolders = [];
  const runsOf = things.map((bytes) =>
    Uint32Array.from(runs(bytes), (hash) => {
      const number = numberOf.get(hash) ?? nHolders.length;
      numberOf.set(hash, number);
      nHolders[number] = (nHolders[number] ?? 0) + 1;
      return number;
    }),
  );
  // The things that have each run, one run's behind the other's.
  const starts = new Uint32Array(nHolders.length);
  for (let run = 1; run < nHolders.length; run++) starts[run] = starts[run - 1] + nHolders[run - 1];
  const allEnds = starts.slice();
  const allHolders = new Uint32Array(runsOf.reduce((sum, runs) => sum + runs.length, 0));
  runsOf.forEach((runs, thing) => runs.forEach((run) => (allHolders[allEnds[run]++] = thing)));
  const nCommon = new Uint32Array(things.length);

  return ({ before, last: weight }) => {
    const isPlaced = new Uint8Array(things.length);
    // Those that are left.
    const holders = allHolders.slice();
    const ends = allEnds.slice();
    // By thing, what it has in common with those placed so far, in units that grow with each.
    const sums = new Float64Array(things.length);
    let unit = 1;
    const met = [];

    const next = (last) => {
      met.length = 0;
      unit /= before;
      if (unit > 1e200) {
        for (let thing = 0; thing < sums.length; thing++) sums[thing] /= unit;
        unit = 1;
      }
      for (const run of runsOf[last]) {
        const end = ends[run];
        ends[run] = starts[run];
        for (let at = starts[run]; at < end; at++) {
          const other = holders[at];
          if (isPlaced[other] === 1) continue;
          holders[ends[run]++] = other;
          if (nCommon[other]++ === 0) met.push(other);
        }
      }
      let best;
      let most = 0;
      for (const other of met) {
        const part = nCommon[other] / (runsOf[other].length + weight * runsOf[last].length);
        nCommon[other] = 0;
        sums[other] += part * unit;
        const sum = sums[other] / unit;
        // Of two that are as much alike, the first.
        if (part > LEAST && (sum > most || (sum === most && other < best))) {
          best = other;
          most = sum;
        }
      }
      return best;
    };

    const order = [];
    for (let first = 0; first < things.length; first++) {
      for (let thing = first; thing !== undefined && isPlaced[thing] === 0; thing = next(thing)) {
        isPlaced[thing] = 1;
        order.push(thing);
      }
    }
    return order;
  };
}

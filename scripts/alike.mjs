// An order for things that Brotli compresses together: it pays less for what repeats nearby.

/** Things that have a smaller part in common are not alike. */
const LEAST = 0.02;

/** What two things have in common is counted in runs of so many bytes. */
const LENGTH = 5;

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
 * Finds orders of some lists of bytes, by their places: behind each comes the one, of those that are left, with which it has
 * the largest part of the longer one in common, and the one before it too, for which it counts `before` as much; where none
 * is alike, the first that is left.
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

  return (before) => {
    const isPlaced = new Uint8Array(things.length);
    // Those that are left.
    const holders = allHolders.slice();
    const ends = allEnds.slice();
    // By thing, what part it has in common with the last one and the one before that.
    const parts = [new Float64Array(things.length), new Float64Array(things.length)];
    const alikeOf = [[], []];

    const next = (last) => {
      const [now, then] = parts.reverse();
      const met = alikeOf.reverse()[0];
      for (const other of met) now[other] = 0;
      met.length = 0;
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
        const part = nCommon[other] / Math.max(runsOf[other].length, runsOf[last].length);
        nCommon[other] = 0;
        now[other] = part;
        const sum = part + before * then[other];
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

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
 * The places of some lists of bytes in a new order: behind each comes the one, of those that are left, with which it has the
 * largest part of the longer one in common, and the one before it too, for which it counts `before` as much; where none is
 * alike, the first that is left.
 */
export function alike(things, before) {
  const runsOf = things.map(runs);
  const holders = new Map();
  runsOf.forEach((hashes, thing) => {
    for (const hash of hashes) {
      const others = holders.get(hash);
      if (others === undefined) holders.set(hash, [thing]);
      else others.push(thing);
    }
  });
  const isPlaced = things.map(() => false);
  const nCommon = things.map(() => 0);

  /** By thing that is left, the part that it has in common with this one. */
  const likes = (last) => {
    const met = [];
    for (const hash of runsOf[last]) {
      for (const other of holders.get(hash)) {
        if (isPlaced[other]) continue;
        if (nCommon[other]++ === 0) met.push(other);
      }
    }
    const parts = new Map();
    for (const other of met.sort((a, b) => a - b)) {
      parts.set(other, nCommon[other] / Math.max(runsOf[other].length, runsOf[last].length));
      nCommon[other] = 0;
    }
    return parts;
  };

  let partsBefore = new Map();
  const next = (last) => {
    const parts = likes(last);
    let best;
    let most = 0;
    for (const [other, part] of parts) {
      const sum = part + before * (partsBefore.get(other) ?? 0);
      if (part > LEAST && sum > most) [best, most] = [other, sum];
    }
    partsBefore = parts;
    return best;
  };

  const order = [];
  for (let first = 0; first < things.length; first++) {
    for (let thing = first; thing !== undefined && !isPlaced[thing]; thing = next(thing)) {
      isPlaced[thing] = true;
      order.push(thing);
    }
  }
  return order;
}

// The machine beside JavaScript: the programs of `programs.mjs`, in one process, once both are warm.
import { PROGRAMS } from "./programs.mjs";

/** Enough for every program; one that runs on for ever ends all the same. */
const FUEL = 1e10;
const SAMPLES = 5;
/** A program that is slow already is not run again for a better figure. */
const MOST_MS = 3000;

/** The median of several times after a first run that warms up, and what came out. */
function timed(work) {
  const samples = [];
  const begin = performance.now();
  let value;
  do {
    const start = performance.now();
    value = work();
    samples.push(performance.now() - start);
  } while (samples.length <= SAMPLES && performance.now() - begin < MOST_MS);
  const warm = (samples.length > 1 ? samples.slice(1) : samples).toSorted((a, b) => a - b);
  return { ms: warm[Math.floor(warm.length / 2)], value };
}

/** The value of the last text as it prints; throws what kept it from having one. */
function run(playground) {
  const { values, diagnostics } = playground.run(FUEL, "aligned", "on", "off");
  const value = values.at(-1)?.value;
  if (value === undefined || value === null) throw new Error(diagnostics[0]?.message ?? "no value");
  return value;
}

/** One program in both languages. `problem` says why there are no times to compare. */
function row(playground, { name, about, relay, javascript }) {
  const theirs = timed(javascript);
  const error = playground.update(relay).diagnostics.find(({ severity }) => severity === "error");
  if (error) return { name, about, theirs: theirs.ms, problem: error.message };
  try {
    const ours = timed(() => run(playground));
    const problem = ours.value === String(theirs.value) ? undefined : `${ours.value}, but JavaScript says ${theirs.value}`;
    return { name, about, ours: ours.ms, theirs: theirs.ms, problem };
  } catch (failure) {
    // A trap leaves the module in pieces: the later programs fail too, and say so.
    return { name, about, theirs: theirs.ms, problem: failure.message };
  }
}

/** Runs every program through the page's compiler and by hand, prints a table, and returns its rows. */
export function machineRows(playground, print = console.log) {
  const ms = (time) => (time === undefined ? "–" : time.toFixed(1)).padStart(11);
  print(`  ${"".padEnd(24)}${"Relish".padStart(11)}${"JavaScript".padStart(11)}${"ratio".padStart(9)}   (ms, median)`);
  return PROGRAMS.map((program) => {
    const found = row(playground, program);
    const { name, about, ours, theirs, problem } = found;
    const ratio = problem === undefined ? (ours / theirs).toFixed(2) : "–";
    print(`  ${name.padEnd(24)}${ms(ours)}${ms(theirs)}${ratio.padStart(9)}   ${problem ? `failed: ${problem}` : about}`);
    return found;
  });
}

// What the words of the machine's programs mean, each in a sentence.
export const INSTRUCTIONS: Readonly<Record<string, string>> = {
  box: "Puts a value into a block of the heap; a variant that stores nothing becomes a pointer's spare code instead.",
  call: "Calls a function, and goes on with its result.",
  check: "Looks whether a tensor has the sizes that its type promises, and stops with an error if not.",
  closure: "Makes a function value: which code, and the variables that it captures.",
  drop: "One owner fewer; what has no owner left is freed.",
  dup: "One owner more.",
  fail: "Stops the run with an error.",
  field: "Reads one field of a variant, without taking the value apart.",
  fn: "A function: its captured variables in brackets, its parameters, and what it gives.",
  free: "Frees the memory of a block that was not used again.",
  fuel: "Counts calls and match tests, which a run may make only so many of.",
  global: "The value of a top-level variable, which is found when it is first asked for.",
  jump: "Goes on at another block, whose parameters get these values.",
  load: "Looks into a block, without taking the value out.",
  open: "Takes a variant apart into its fields.",
  pack: "Makes a value of a variant: its tag, then its fields.",
  peek: "Looks at the fields of a variant, without taking it apart.",
  ref_new: "Makes a cell of the heap that can be written to.",
  ref_read: "A copy of what a cell holds.",
  ref_write: "Puts another value into a cell.",
  retype: "The same bits, at another type.",
  return: "Ends the function with this value.",
  switch: "Looks which variant or number a value is, and goes on at its block.",
  tail: "Calls a function in place of this one, which has nothing left to do: no frame is kept.",
  tensor: "A tensor that stands in the program, outside the heap.",
  unbox: "Takes a value out of its block, which is freed if nobody else owns it.",
};

/** The word that a line of a program is about, if it is one of those above. */
export function wordOf(line: string): string | undefined {
  const behind = /^\s+(?:.* = )?([a-z_]+)\b/.exec(line)?.[1];
  return behind !== undefined && Object.hasOwn(INSTRUCTIONS, behind) ? behind : undefined;
}

/** What a line of a program does, in a sentence. */
export function explain(line: string): string {
  const word = wordOf(line);
  if (word !== undefined) return INSTRUCTIONS[word] ?? "";
  const inside = [...line.matchAll(/s\d+ = ([\w.]+)\(/g)].map(([, name]) => `\`${name}\``);
  if (inside.length > 0) return `Computes ${inside.join(", ")} in one go.`;
  const operator = / = ([a-z][\w.]*)\(/.exec(line)?.[1];
  if (operator !== undefined) return `Computes the operator \`${operator}\`.`;
  return / = /.test(line) ? "A number of the program." : "";
}

// Rewrites the types and values that the test pages assert to what they are now; read the difference afterwards.
import { main, run } from "./house.mjs";

await main(() =>
  run("cargo", ["test", "-p", "tests", "--test", "pages"], { extraEnv: { RELISH_BLESS: "1" } }).then(() => 0),
);

// The generated tests in full numbers: much longer than `npm test`.
import { main, run } from "./house.mjs";

await main(() => run("cargo", ["test", "--workspace", "--profile", "soak"], { extraEnv: { RELISH_SOAK: "1" } }).then(() => 0));

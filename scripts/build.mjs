// The static site, in dist/.
import { main } from "./house.mjs";
import { setup } from "./setup.mjs";
import { build } from "./site.mjs";

await main(async () => {
  await setup();
  await build();
  console.log("The site is in dist/; any static host can serve it, from any folder.");
});

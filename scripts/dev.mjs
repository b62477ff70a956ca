// The page with everything watched: an edit under web/ shows at once, so does one of the pages that the page shows, and an
// edit under crate/ recompiles the compiler and lists the operators anew.
import { watch } from "node:fs";
import { main, root } from "./house.mjs";
import { setup } from "./setup.mjs";
import { buildRelaxed, buildWasm, listOperators, placeRelaxed } from "./site.mjs";

await main(async () => {
  await setup();
  await buildWasm();
  // Once only: an edit is seen with the default build.
  await buildRelaxed();
  placeRelaxed();
  await listOperators();
  const { createServer } = await import("vite");
  const server = await createServer({ configFile: `${root}/web/vite.config.ts`, server: { host: "127.0.0.1" } });
  await server.listen();
  server.printUrls();

  const reload = () => {
    // Vite does not watch what its virtual modules are made from.
    server.environments.client.moduleGraph.invalidateAll();
    server.ws.send({ type: "full-reload" });
  };
  let building = false;
  let again = false;
  const rebuild = async () => {
    if (building) return void (again = true);
    building = true;
    try {
      await buildWasm();
      await listOperators();
      reload();
    } catch {
      // The compiler's own message has been shown; the next edit tries again.
    }
    building = false;
    if (again) {
      again = false;
      rebuild();
    }
  };
  const follow = (folder, act) => {
    let timer;
    watch(`${root}/${folder}`, { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(act, 200);
    });
  };
  follow("crate", rebuild);
  // The page shows those of the error codes, and the others as examples.
  follow("doc/error", reload);
  follow("tests/pages", reload);
});

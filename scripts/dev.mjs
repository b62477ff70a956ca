// The page with everything watched: an edit under web/ shows at once, an edit under crate/ or doc/ recompiles the
// compiler.
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

  let timer;
  let building = false;
  let again = false;
  const rebuild = async () => {
    if (building) return void (again = true);
    building = true;
    try {
      await buildWasm();
      server.ws.send({ type: "full-reload" });
    } catch {
      // The compiler's own message has been shown; the next edit tries again.
    }
    building = false;
    if (again) {
      again = false;
      rebuild();
    }
  };
  // The pages of the error codes in doc/ are compiled in.
  for (const folder of ["crate", "doc"]) {
    watch(`${root}/${folder}`, { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(rebuild, 200);
    });
  }
});

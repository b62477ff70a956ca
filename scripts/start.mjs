// From a clean checkout to the page in a browser.
import { main, root } from "./house.mjs";
import { setup } from "./setup.mjs";
import { build } from "./site.mjs";

await main(async () => {
  await setup();
  await build();
  // Imported late: Vite is there only after the set-up.
  const { preview } = await import("vite");
  const server = await preview({
    configFile: `${root}/web/vite.config.ts`,
    preview: { host: "127.0.0.1", port: Number(process.env.PORT ?? 4173) },
    logLevel: "error",
  });
  console.log(`\n  Relish is at ${server.resolvedUrls.local[0]}  (Ctrl+C ends it)\n`);
});

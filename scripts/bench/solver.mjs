// How smoothly the Solver panel goes along the steps of a large check: the slider is moved once a frame, from end to
// end.
const LAYERS = 1400;
const FRAMES = 200;

/** A network of so many layers; its graph has some ten thousand variables and relations. */
function deepNetwork(layers = LAYERS) {
  const lines = ["def @deep(%x0: Tensor[(8, 16), float32], %w: Tensor[(16, 16), float32]) {"];
  for (let layer = 0; layer < layers; layer += 1) lines.push(`  let %x${layer + 1} = nn.relu(nn.dense(%x${layer}, %w)) + %x${layer};`);
  return [...lines, `  %x${layers}`, "}", ""].join("\n");
}

/** The times between frames, and the page's own work for one, for each of the panel's views that follow the slider. */
export async function scrub(browser, address) {
  const tab = await browser.newPage();
  await tab.addInitScript((text) => {
    localStorage.setItem("relish.text", text);
    localStorage.setItem("relish.panel", "solver");
  }, deepNetwork());
  await tab.goto(address);
  await tab.locator(".solver .where").waitFor();
  const session = await tab.context().newCDPSession(tab);
  await session.send("Performance.enable");
  /** Milliseconds that the page's main thread has worked. */
  const worked = async () => 1000 * (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value;
  const rows = [];
  for (const view of ["Steps", "Graph"]) {
    await tab.locator(".solver").getByRole("tab", { name: view }).click();
    if (view === "Graph") await tab.locator(".solver-graph .node").first().waitFor();
    await tab.waitForTimeout(1000);
    const before = await worked();
    const moved = await tab.evaluate(moveSlider, FRAMES);
    rows.push({ view, ...moved, own: ((await worked()) - before) / FRAMES });
  }
  await tab.close();
  return rows;
}

/** Runs inside the page. */
async function moveSlider(nFrames) {
  const slider = document.querySelector(".solver .time input");
  const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const times = [];
  let last = await frame();
  for (let n = 0; n < nFrames; n += 1) {
    set.call(slider, String(Math.floor((Number(slider.max) * n) / nFrames)));
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    const now = await frame();
    times.push(now - last);
    last = now;
  }
  return { nSteps: Number(slider.max), times };
}

// Which of its two builds runs the program, and which one made the values that are shown.
import { setBuild } from "../action/settings.ts";
import { type BuildName, hasRelaxed } from "../builds.ts";
import { state } from "../state.ts";

const MADE: Record<BuildName, string> = {
  simd128: "Computed by the default engine.",
  relaxed: "Computed with relaxed SIMD. The last digits may differ between machines.",
};

const ABOUT = "Faster, but results may differ in the last digits between machines.";
const MEANS: Record<BuildName, string> = { simd128: "The same bits on every machine.", relaxed: ABOUT };

export function EngineSwitch() {
  if (!hasRelaxed) return null;
  const chosen = state.buildComing.value ?? state.build.value;
  return (
    <label class="engine" title={ABOUT}>
      <input
        type="checkbox"
        role="switch"
        checked={chosen === "relaxed"}
        onChange={(event) => setBuild(event.currentTarget.checked ? "relaxed" : "simd128")}
      />
      <span>Relaxed SIMD</span>
      <span class="more">{ABOUT}</span>
    </label>
  );
}

export function EngineUsed() {
  const ran = state.ran.value;
  const isOfText = ran?.revision === state.revision.value;
  const build = isOfText && ran.kind === "finished" && ran.view.values.some(({ value }) => value !== undefined) ? ran.build : undefined;
  return (
    <p class="engine-used" role="status" title={build && MEANS[build]}>
      {state.buildComing.value !== undefined ? "Loading the engine …" : build ? MADE[build] : ""}
    </p>
  );
}

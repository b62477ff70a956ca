// Which of its two builds runs the program, and which one made the values that are shown.
import { setBuild } from "../actions.ts";
import { type BuildName, hasRelaxed } from "../builds.ts";
import { state } from "../state.ts";

const MADE: Record<BuildName, string> = {
  simd128: "Computed by the default engine: the same bits on every machine.",
  relaxed: "Computed with relaxed SIMD.",
};

export function EngineSwitch() {
  const ran = state.ran.value;
  const chosen = state.buildComing.value ?? state.build.value;
  return (
    <div class="engine">
      {hasRelaxed && (
        <label>
          <input
            type="checkbox"
            role="switch"
            checked={chosen === "relaxed"}
            onChange={(event) => setBuild(event.currentTarget.checked ? "relaxed" : "simd128")}
          />
          <span>Relaxed SIMD</span>
          <span class="about">Faster, but results may differ in the last digits between machines.</span>
        </label>
      )}
      <p role="status">
        {state.buildComing.value !== undefined ? "Loading the engine …" : ran?.kind === "finished" ? MADE[ran.build] : ""}
      </p>
    </div>
  );
}

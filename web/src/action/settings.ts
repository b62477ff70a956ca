// What a visitor has chosen, in this visit and for later ones: how programs are compiled and run, and how the page looks.
import { type BuildName, DEFAULT_BUILD, isOffered } from "../builds.ts";
import { isFused, isLayout, type LayoutName, state, type Target, type Theme } from "../state.ts";
import { load, save } from "../storage.ts";
import type { Fused } from "../wasm/relish_wasm.js";
import { compiler } from "./engine.ts";

export function setLayout(layout: LayoutName): void {
  state.layout.value = layout;
  save("layout", layout);
}

/** Whether operators that feed each other run as one from now on. */
export function setFused(fused: Fused): void {
  state.fused.value = fused;
  save("fused", fused);
}

/** Whether runs measure each operator from now on. */
export function setMeasures(measures: boolean): void {
  state.measures.value = measures;
  save("measures", measures ? "on" : "off");
}

/** Goes on with another build of the compiler. */
export function setBuild(build: BuildName): void {
  save("build", build);
  useBuild(build);
}

export function setTheme(theme: Theme): void {
  state.theme.value = theme;
  save("theme", theme);
}

function useBuild(build: BuildName): void {
  state.buildComing.value = build;
  void compiler.use(build);
}

/** Compiles programs as a link says, and where it says nothing, as the visitor has it. */
export function compileAs({ target, build }: { target?: Partial<Target> | undefined; build?: BuildName | undefined }): void {
  const { layout, fused } = { ...ownTarget(), ...target };
  state.layout.value = layout;
  state.fused.value = fused;
  useBuild(build ?? ownBuild());
}

const ownTarget = (): Target => {
  const [layout, fused] = [load("layout"), load("fused")];
  return { layout: isLayout(layout) ? layout : "aligned", fused: isFused(fused) ? fused : "on" };
};

const ownBuild = (): BuildName => {
  const kept = load("build");
  return isOffered(kept) ? kept : DEFAULT_BUILD;
};

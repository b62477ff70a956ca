// Which part of a drawing is in view: a scale, and where the drawing's origin is.
import type { Placed } from "../../state.ts";
import { sizeOf } from "./shape.ts";

export interface Viewport {
  x: number;
  y: number;
  scale: number;
}

interface Size {
  width: number;
  height: number;
}

interface Point {
  x: number;
  y: number;
}

const LEAST = 0.03;
const MOST = 2.5;
/** Nobody begins with a picture that cannot be read: letters of eleven pixels are the smallest that can. */
export const READABLE = 11 / 12;
const MARGIN = 30;
/** The room around a drawing in which there is nothing. */
export const AROUND = 12;
/** As far beside the edges of the view as a node may reach. */
const BESIDE = 120;

export const moved = (view: Viewport, x: number, y: number): Viewport => ({ ...view, x: view.x + x, y: view.y + y });

/** Larger or smaller, and what is at `fixed` stays there. */
export function zoomed(view: Viewport, factor: number, fixed: Point): Viewport {
  const scale = Math.min(MOST, Math.max(LEAST, view.scale * factor));
  const real = scale / view.scale;
  return { scale, x: fixed.x - (fixed.x - view.x) * real, y: fixed.y - (fixed.y - view.y) * real };
}

/** All of a drawing. */
export function fit(placed: Placed, { width, height }: Size): Viewport {
  const scale = Math.max(Math.min(width / (placed.width || 1), height / (placed.height || 1), 1), LEAST);
  return { scale, x: (width - placed.width * scale) / 2, y: (height - placed.height * scale) / 2 };
}

/**
 * What is seen of a drawing at first: all of it, or if that is too small to read, a node with what it is connected with,
 * and as much beside it as there is room for. Without a node it is the beginning.
 */
export function firstView(placed: Placed, { width, height }: Size, focus: number | undefined): Viewport {
  const whole = fit(placed, { width, height });
  if (whole.scale >= READABLE) return whole;
  const about = focus ?? placed.nodes.reduce((best, { x }, index) => (x < (placed.nodes[best]?.x ?? Infinity) ? index : best), 0);
  const from = placed.graph.edges.filter(({ to }) => to === about).map((edge) => edge.from);
  const to = placed.graph.edges.filter((edge) => edge.from === about).map((edge) => edge.to);
  const [along, down] = [extent(placed, "x"), extent(placed, "y")];
  // What goes into a relation says more of it than what comes out.
  for (const group of [[about, ...from, ...to], [about, ...from], [about]]) {
    for (const scale of [1, READABLE]) {
      const box = along(group, scale);
      if (box.most - box.least > width && group.length > 1) continue;
      const tall = down(group, scale);
      const high = tall.most - tall.least > height ? down([about], scale) : tall;
      return { scale, x: offset(box, width, placed.width * scale), y: offset(high, height, placed.height * scale) };
    }
  }
  return whole;
}

interface Extent {
  least: number;
  most: number;
}

/** From where to where nodes reach along an axis. */
function extent({ nodes, graph }: Placed, axis: "x" | "y"): (group: readonly number[], scale: number) => Extent {
  return (group, scale) => {
    let [least, most] = [Infinity, -Infinity];
    for (const index of group) {
      const [place, node] = [nodes[index], graph.nodes[index]];
      if (place === undefined || node === undefined) continue;
      const { width, height } = sizeOf(node);
      const half = (axis === "x" ? width : height) / 2;
      least = Math.min(least, (place[axis] - half) * scale);
      most = Math.max(most, (place[axis] + half) * scale);
    }
    return { least, most };
  };
}

/** Brings what is wanted to the middle, with no more empty room beside the drawing than there must be. */
function offset({ least, most }: Extent, length: number, drawing: number): number {
  if (drawing + 2 * MARGIN <= length) return (length - drawing) / 2;
  return Math.min(MARGIN, Math.max((length - least - most) / 2, length - MARGIN - drawing));
}

/** Moved as little as it takes to have a node in view, with some room beside it; one that is in view stays where it is. */
export function clampView(view: Viewport, placed: Placed, index: number, { width, height }: Size): Viewport {
  const [place, node] = [placed.nodes[index], placed.graph.nodes[index]];
  if (place === undefined || node === undefined) return view;
  const [x, y] = [place.x * view.scale + view.x, place.y * view.scale + view.y];
  const size = sizeOf(node);
  const by = (at: number, half: number, length: number, margin: number) => {
    if (at >= half && at <= length - half) return 0;
    return at < margin ? margin - at : Math.min(0, length - margin - at);
  };
  const dx = by(x, (size.width / 2) * view.scale, width, Math.min(MARGIN + (size.width / 2) * view.scale, width / 3));
  const dy = by(y, (size.height / 2) * view.scale, height, Math.min(2 * MARGIN, height / 3));
  return dx === 0 && dy === 0 ? view : moved(view, dx, dy);
}

/** Behind which edges of the view the drawing goes on. */
export function beyond(placed: Placed, { x, y, scale }: Viewport, { width, height }: Size): Record<"left" | "right" | "top" | "bottom", boolean> {
  const empty = AROUND * scale;
  return { left: x < -empty, right: x + placed.width * scale > width + empty, top: y < -empty, bottom: y + placed.height * scale > height + empty };
}

/** The nodes of which something is in view, by their indices. */
export function inView({ nodes, graph }: Placed, view: Viewport, { width, height }: Size): number[] {
  const beside = BESIDE;
  const [left, top] = [-view.x / view.scale - beside, -view.y / view.scale - beside / 2];
  const [right, bottom] = [(width - view.x) / view.scale + beside, (height - view.y) / view.scale + beside / 2];
  const found: number[] = [];
  for (let index = 0; index < graph.nodes.length; index += 1) {
    const place = nodes[index];
    if (place !== undefined && place.x >= left && place.x <= right && place.y >= top && place.y <= bottom) found.push(index);
  }
  return found;
}

/** A node that is in both drawings stays where it is in view: the one that was looked at, else the first in view. */
export function keepsInView(before: Placed, now: Placed, id: string | undefined, view: Viewport): Viewport | undefined {
  const places = new Map(now.graph.nodes.map((node, index) => [node.id, index]));
  // A cluster that was opened is gone; what was beside it is not.
  const was = before.graph.nodes.findIndex((node) => node.id === id);
  const from = before.nodes[was];
  const near = from === undefined ? undefined : nearestKept(before, places, from);
  const [old, fresh] = near === undefined ? [undefined, undefined] : [before.nodes[near.was], now.nodes[near.is]];
  if (old === undefined || fresh === undefined) return undefined;
  return moved(view, (old.x - fresh.x) * view.scale, (old.y - fresh.y) * view.scale);
}

function nearestKept(before: Placed, places: ReadonlyMap<string, number>, from: Point): { was: number; is: number } | undefined {
  let best: { was: number; is: number } | undefined;
  let least = Infinity;
  for (const [was, node] of before.graph.nodes.entries()) {
    const is = places.get(node.id);
    const place = before.nodes[was];
    if (is === undefined || place === undefined) continue;
    const distance = Math.hypot(place.x - from.x, place.y - from.y);
    if (distance < least) [least, best] = [distance, { was, is }];
  }
  return best;
}


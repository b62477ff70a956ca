// Which part of a drawing is in view: a scale, and where the drawing's origin is.
import type { Placed } from "../../state.ts";

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
/** Nobody begins with a picture that cannot be read. */
const READABLE = 0.85;
const MARGIN = 30;
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

/** What is seen of a drawing at first: all of it, or if that is too small to read, its beginning. */
export function firstView(placed: Placed, size: Size): Viewport {
  const whole = fit(placed, size);
  const middle = placed.nodes.reduce<Point | undefined>((best, node) => (best !== undefined && best.x <= node.x ? best : node), undefined);
  if (whole.scale >= READABLE || middle === undefined) return whole;
  return { scale: READABLE, x: size.width / 2 - middle.x * READABLE, y: size.height / 2 - middle.y * READABLE };
}

/** Moved as little as it takes to have a point in view. */
export function clampView(view: Viewport, place: Point, { width, height }: Size): Viewport {
  const [x, y] = [place.x * view.scale + view.x, place.y * view.scale + view.y];
  const by = (at: number, length: number, margin: number) => {
    if (at < margin) return margin - at;
    return at > length - margin ? length - margin - at : 0;
  };
  const dx = by(x, width, Math.min(MARGIN + 70 * view.scale, width / 3));
  const dy = by(y, height, Math.min(2 * MARGIN, height / 3));
  return dx === 0 && dy === 0 ? view : moved(view, dx, dy);
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


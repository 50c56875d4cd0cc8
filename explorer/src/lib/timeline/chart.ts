// The picture of how much was said when, by uPlot. It is loaded when somebody looks at it.
import uPlot from "uplot";

import "uplot/dist/uPlot.min.css";
import { LEFT, RIGHT } from "./frame.js";
import type { Window } from "./axis.js";

export interface Acts {
  /** The wheel was turned at a time: towards more detail or less. */
  zoomed: (factor: number, at: number) => void;
  panned: (share: number) => void;
  /** A span was marked, or a place touched. */
  brushed: (span: Window | undefined) => void;
}

export interface Look {
  soft: string;
  line: string;
  bar: string;
}

const HEIGHT = 190;
const DAY = 24 * 3_600;
const form = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat(undefined, options);
  return (time: number) => format.format(new Date(1000 * time));
};
const YEAR = form({ year: "numeric" });
const MONTH = form({ month: "short" });
const DATE = form({ day: "numeric", month: "short" });
const HOUR = form({ hour: "numeric", minute: "2-digit" });

/** Returns what stands at a tick of the axis: what changes from one to the next, and below it what the last change was. */
function tickOf(time: number, step: number, before: number | undefined): string {
  const year = before === undefined || YEAR(before) !== YEAR(time) ? `\n${YEAR(time)}` : "";
  if (step >= 365 * DAY) return YEAR(time);
  if (step >= 28 * DAY) return MONTH(time) + year;
  if (step >= DAY) return DATE(time) + year;
  return HOUR(time) + (before === undefined || DATE(before) !== DATE(time) ? `\n${DATE(time)}` : "");
}

export class Chart {
  readonly #plot: uPlot;
  #look: Look;

  constructor(container: HTMLElement, look: Look, acts: Acts) {
    this.#look = look;
    const font = `12px ${getComputedStyle(container).fontFamily}`;
    const axis = { stroke: () => this.#look.soft, grid: { stroke: () => this.#look.line, width: 1 }, ticks: { stroke: () => this.#look.line, width: 1 }, font };
    const bars = uPlot.paths.bars?.({ size: [0.85, 48], align: 1, gap: 1 });
    this.#plot = new uPlot(
      {
        width: container.clientWidth,
        height: HEIGHT,
        padding: [8, RIGHT, 0, 0],
        legend: { show: false },
        cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false, dist: 4 } },
        scales: { x: { time: true, range: (_, from, to) => [from, to] }, y: { range: (_, __, most) => [0, Math.max(1, most * 1.08)] } },
        axes: [{ ...axis, space: 72, values: (_, at, __, ___, step) => at.map((time, place) => tickOf(time, step, at[place - 1])) }, { ...axis, size: LEFT, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000] }],
        series: [{}, { fill: () => this.#look.bar, width: 0, points: { show: false }, ...(bars && { paths: bars }) }],
        hooks: {
          setSelect: [({ select, posToVal }) => acts.brushed(select.width ? { from: posToVal(select.left, "x"), to: posToVal(select.left + select.width, "x") } : undefined)],
        },
      },
      [[], []],
      container,
    );
    this.#plot.over.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) acts.panned(event.deltaX / this.#plot.over.clientWidth);
      else acts.zoomed(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 100) / 400), this.#plot.posToVal(event.offsetX, "x"));
    }, { passive: false });
  }

  /** Shows bars in a window. */
  show(bars: [number[], number[]], { from, to }: Window, span: Window | undefined): void {
    this.#plot.batch(() => {
      this.#plot.setData(bars, false);
      this.#plot.setScale("x", { min: from, max: to });
    });
    const left = span ? this.#plot.valToPos(span.from, "x") : 0;
    const width = span ? this.#plot.valToPos(span.to, "x") - left : 0;
    this.#plot.setSelect({ left, top: 0, width, height: span ? this.#plot.over.clientHeight : 0 }, false);
  }

  resize(width: number): void {
    this.#plot.setSize({ width, height: HEIGHT });
  }

  /** Takes over other colours, as for the dark. */
  wear(look: Look): void {
    this.#look = look;
    this.#plot.redraw(false);
  }

  end(): void {
    this.#plot.destroy();
  }
}

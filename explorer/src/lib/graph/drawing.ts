// The picture of a graph, by sigma over graphology. It is loaded when somebody looks at one.
import { MultiDirectedGraph } from "graphology";
import forceAtlas2 from "graphology-layout-forceatlas2";
import Sigma from "sigma";

import { linesOf, type Part } from "./model.js";

export interface Look {
  ink: string;
  soft: string;
  line: string;
  edge: string;
  accent: string;
  raised: string;
  /** Colour of each type. */
  types: Record<string, string>;
}

export interface Acts {
  chosen: (id: string) => void;
  expanded: (id: string) => void;
}

interface NodeLook {
  x: number;
  y: number;
  size: number;
  color: string;
  label: string;
}

type Box = [left: number, top: number, right: number, bottom: number];
const meet = (one: Box, other: Box) => one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];

// What a layout step may take of a frame.
const MILLISECONDS_A_FRAME = 6;
const STEPS = 400;
// Neighbours with which the names of relations can still be read.
const LABELLED = 12;

/** Tells if this browser can draw it. */
export function canDraw(): boolean {
  return document.createElement("canvas").getContext("webgl2") !== null;
}

export class Drawing {
  readonly #graph = new MultiDirectedGraph<NodeLook>();
  readonly #sigma: Sigma<NodeLook>;
  #look: Look;
  #chosen: string | undefined;
  #hovered: string | undefined;
  #near = new Set<string>();
  #left = 0;
  #frame = 0;
  #dragged: string | undefined;
  // Where names stand in this frame: one that would lie on another is not drawn.
  #labels: Box[] = [];
  #discs: Box[] = [];

  constructor(container: HTMLElement, look: Look, acts: Acts) {
    this.#look = look;
    this.#sigma = new Sigma<NodeLook>(this.#graph, container, {
      allowInvalidContainer: true,
      defaultEdgeType: "arrow",
      labelFont: getComputedStyle(container).fontFamily,
      labelColor: { color: look.ink },
      labelRenderedSizeThreshold: 7,
      renderEdgeLabels: true,
      edgeLabelColor: { color: look.soft },
      edgeLabelFont: getComputedStyle(container).fontFamily,
      edgeLabelSize: 11,
      zIndex: true,
      doubleClickZoomingDuration: 0,
      defaultDrawNodeLabel: (context, node, settings) => this.#drawLabel(context, node, settings.labelSize, settings.labelFont),
      defaultDrawNodeHover: (context, node, settings) => this.#drawMarked(context, node, settings.labelSize, settings.labelFont),
      nodeReducer: (id, node) => this.#shownNode(id, node),
      edgeReducer: (id, edge) => this.#shownEdge(id, edge),
    });
    this.#listen(acts);
  }

  #listen({ chosen, expanded }: Acts): void {
    const sigma = this.#sigma;
    sigma.on("beforeRender", () => this.#survey());
    sigma.on("clickNode", ({ node }) => chosen(node));
    sigma.on("doubleClickNode", (event) => {
      event.preventSigmaDefault();
      expanded(event.node);
    });
    sigma.on("enterNode", ({ node }) => this.#hover(node));
    sigma.on("leaveNode", () => this.#hover(undefined));
    sigma.on("clickStage", () => this.#hover(undefined));
    sigma.on("downNode", ({ node }) => {
      this.#dragged = node;
      this.#stop();
      // The picture keeps its scale while a node is moved to its edge.
      if (!sigma.getCustomBBox()) sigma.setCustomBBox(sigma.getBBox());
    });
    sigma.on("moveBody", ({ event }) => {
      if (!this.#dragged) return;
      const { x, y } = sigma.viewportToGraph(event);
      this.#graph.mergeNodeAttributes(this.#dragged, { x, y });
      event.preventSigmaDefault();
      event.original.preventDefault();
    });
    const drop = () => (this.#dragged = undefined);
    sigma.on("upNode", drop);
    sigma.on("upStage", drop);
  }

  /** Draws a graph in the place of what is drawn; what stays keeps its place. */
  show(part: Part, chosen: string | undefined): void {
    const wanted = new Set(part.entities.map(({ id }) => id));
    const graph = this.#graph;
    for (const id of graph.nodes()) if (!wanted.has(id)) graph.dropNode(id);
    const tied = Map.groupBy(
      part.relations.flatMap(({ source, target }) => [[source, target] as const, [target, source] as const]),
      ([one]) => one,
    );
    const most = Math.max(1, ...part.entities.map(({ mentions }) => mentions));
    let added = 0;
    for (const [place, { id, name, type, mentions }] of part.entities.entries()) {
      const size = 4 + 14 * Math.sqrt(mentions / most);
      const color = this.#look.types[type] ?? this.#look.soft;
      if (graph.hasNode(id)) {
        graph.mergeNodeAttributes(id, { size, color, label: name });
        continue;
      }
      // A new one begins beside one that it is related to. The golden angle spreads the others, the same each time.
      const near = tied.get(id)?.find(([, other]) => graph.hasNode(other))?.[1];
      const angle = place * 2.399963;
      const from = near ? graph.getNodeAttributes(near) : { x: 0, y: 0 };
      const away = near ? 1 : Math.sqrt(place);
      graph.addNode(id, { x: from.x + away * Math.cos(angle), y: from.y + away * Math.sin(angle), size, color, label: name });
      added += 1;
    }
    graph.clearEdges();
    for (const { key, source, target, label, mutual } of linesOf(part.relations)) {
      graph.addEdgeWithKey(key, source, target, { label, size: 1.5, type: mutual ? "line" : "arrow" });
    }
    this.choose(chosen);
    if (added) this.#arrange(STEPS);
  }

  /** Marks an entity and those around it; undefined for none. */
  choose(id: string | undefined): void {
    this.#chosen = id && this.#graph.hasNode(id) ? id : undefined;
    this.#mark();
  }

  #hover(id: string | undefined): void {
    if (this.#dragged) return;
    this.#hovered = id;
    this.#sigma.getContainer().style.cursor = id ? "grab" : "";
    this.#mark();
  }

  #mark(): void {
    const marked = this.#hovered ?? this.#chosen;
    this.#near = new Set(marked && this.#graph.hasNode(marked) ? [marked, ...this.#graph.neighbors(marked)] : []);
    this.#sigma.refresh({ skipIndexation: true });
  }

  #shownNode(id: string, node: NodeLook) {
    if (!this.#near.size) return node;
    const near = this.#near.has(id);
    return {
      ...node,
      color: near ? node.color : this.#look.line,
      label: near ? node.label : "",
      forceLabel: near && this.#near.size < 40,
      highlighted: id === this.#chosen,
      zIndex: near ? 1 : 0,
    };
  }

  #shownEdge(id: string, edge: { label?: string; size?: number }) {
    const marked = this.#hovered ?? this.#chosen;
    const near = marked !== undefined && this.#graph.hasExtremity(id, marked);
    if (!this.#near.size) return { ...edge, label: "", color: this.#look.edge };
    return { ...edge, label: near && this.#near.size <= LABELLED ? (edge.label ?? "") : "", color: near ? this.#look.soft : this.#look.line, hidden: !near, zIndex: near ? 1 : 0 };
  }

  /** Draws a name beside its node, with a rim, where no other name stands; at the side where it covers fewest nodes. */
  #drawLabel(context: CanvasRenderingContext2D, node: { x: number; y: number; size: number; label?: string | null }, size: number, font: string): void {
    const { x, y, label } = node;
    if (!label) return;
    context.font = `${size}px ${font}`;
    const wide = context.measureText(label).width;
    const { width, height } = this.#sigma.getDimensions();
    const away = node.size + 3;
    const places = [[x + away, y], [x - away - wide, y], [x - wide / 2, y + away + size / 2], [x - wide / 2, y - away - size / 2]] as const;
    const free = places
      .map(([left, middle]): Box => [left, middle - size / 2, left + wide, middle + size / 2])
      .filter((box) => box[0] > 2 && box[1] > 2 && box[2] < width - 2 && box[3] < height - 2 && !this.#labels.some((other) => meet(box, other)))
      .map((box) => ({ box, covered: this.#discs.filter((disc) => meet(box, disc)).length }))
      .sort((one, other) => one.covered - other.covered);
    const [best] = free;
    if (!best) return;
    const [left, top] = best.box;
    this.#labels.push(best.box);
    context.lineJoin = "round";
    context.lineWidth = 4;
    context.strokeStyle = this.#look.raised;
    context.strokeText(label, left, top + 0.85 * size);
    context.fillStyle = this.#look.ink;
    context.fillText(label, left, top + 0.85 * size);
  }

  /** Notes where the nodes stand in the frame that is drawn next. */
  #survey(): void {
    this.#labels = [];
    this.#discs = this.#graph.mapNodes((_, { x, y, size }) => {
      const { x: left, y: top } = this.#sigma.graphToViewport({ x, y });
      const radius = this.#sigma.scaleSize(size);
      return [left - radius, top - radius, left + radius, top + radius];
    });
  }

  /** Draws a marked node: a ring, and its name on a ground of its own. */
  #drawMarked(context: CanvasRenderingContext2D, node: { x: number; y: number; size: number; label: string | null }, size: number, font: string): void {
    const { x, y, label } = node;
    context.font = `600 ${size}px ${font}`;
    if (label) {
      const width = context.measureText(label).width;
      context.fillStyle = this.#look.raised;
      context.strokeStyle = this.#look.line;
      context.lineWidth = 1;
      context.beginPath();
      context.roundRect(x + node.size, y - size, width + 14, 2 * size, 5);
      context.fill();
      context.stroke();
      context.fillStyle = this.#look.ink;
      context.fillText(label, x + node.size + 8, y + size / 3);
    }
    context.strokeStyle = this.#look.accent;
    context.lineWidth = 3;
    context.beginPath();
    context.arc(x, y, node.size + 3, 0, 2 * Math.PI);
    context.stroke();
  }

  /** Moves the nodes apart, some steps in each frame, until they have their places. */
  #arrange(steps: number): void {
    this.#left = steps;
    this.#sigma.setCustomBBox(null);
    const settings = { ...forceAtlas2.inferSettings(this.#graph), barnesHutOptimize: this.#graph.order > 150, adjustSizes: false, scalingRatio: 8, gravity: 1 };
    const step = () => {
      const until = performance.now() + MILLISECONDS_A_FRAME;
      while (this.#left > 0 && performance.now() < until) {
        forceAtlas2.assign(this.#graph, { iterations: 1, settings });
        this.#left -= 1;
      }
      this.#frame = this.#left > 0 ? requestAnimationFrame(step) : 0;
    };
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(step);
  }

  #stop(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#left = 0;
  }

  /** True while nodes still move by themselves. */
  get settling(): boolean {
    return this.#frame !== 0;
  }

  /** Returns where a node is on the page, in pixels of its frame. */
  placeOf(id: string): { x: number; y: number } {
    return this.#sigma.graphToViewport(this.#graph.getNodeAttributes(id));
  }

  /** Moves the eye: nearer, farther, or over the whole. */
  look(where: "nearer" | "farther" | "whole"): void {
    const camera = this.#sigma.getCamera();
    if (where === "whole") {
      this.#sigma.setCustomBBox(null);
      void camera.animatedReset();
    } else void (where === "nearer" ? camera.animatedZoom() : camera.animatedUnzoom());
  }

  pan(x: number, y: number): void {
    const camera = this.#sigma.getCamera();
    const { x: left, y: top, ratio } = camera.getState();
    camera.setState({ x: left + x * ratio * 0.1, y: top + y * ratio * 0.1 });
  }

  /** Takes over other colours, as for the dark. */
  wear(look: Look, part: Part): void {
    this.#look = look;
    this.#sigma.setSetting("labelColor", { color: look.ink });
    this.#sigma.setSetting("edgeLabelColor", { color: look.soft });
    this.show(part, this.#chosen);
  }

  end(): void {
    this.#stop();
    this.#sigma.kill();
  }
}

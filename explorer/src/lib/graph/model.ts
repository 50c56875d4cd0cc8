// What is drawn of a graph: neighbourhoods that were opened one after the other, never more than can be looked at.
import type { Schemas } from "hmem";

export type Entity = Schemas["EntityShape"];
export type Relation = Schemas["Relation"];
export type Part = Schemas["GraphShape"];
export type EntityType = Entity["type"];

export const MOST = 500;
export const TYPES: readonly EntityType[] = [
  "person", "animal", "organization", "location", "event", "product", "work", "date", "time", "other",
];

/** Returns a graph with a neighbourhood added; what is there stays, and what is new comes as far as there is room. */
export function joined(graph: Part | undefined, more: Part, most: number = MOST): Part {
  if (!graph) return cut(more, most);
  const entities = byId([...graph.entities, ...more.entities]);
  const relations = byId([...graph.relations, ...more.relations]);
  const overlaps = new Map([...graph.overlaps, ...more.overlaps].map((pair) => [pair.join(" "), pair]));
  const profiles = byId([...graph.profiles, ...more.profiles]);
  return cut({ entities, relations, overlaps: [...overlaps.values()], profiles }, most);
}

/** Returns the first entities of a graph, with what is between them. */
function cut(graph: Part, most: number): Part {
  const entities = graph.entities.slice(0, most);
  const inside = new Set(entities.map(({ id }) => id));
  return {
    entities,
    relations: graph.relations.filter(({ source, target }) => inside.has(source) && inside.has(target)),
    overlaps: graph.overlaps.filter(([one, other]) => inside.has(one) && inside.has(other)),
    profiles: graph.profiles.filter(({ entity }) => inside.has(entity)),
  };
}

function byId<Item extends { id: string }>(items: Item[]): Item[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}

/** Returns the part of a graph without the entities of some types; the one that is looked at stays. */
export function without(graph: Part, hidden: ReadonlySet<string>, kept?: string): Part {
  const entities = graph.entities.filter(({ id, type }) => id === kept || !hidden.has(type));
  return entities.length === graph.entities.length ? graph : cut({ ...graph, entities }, entities.length);
}

/** Returns the part of a graph that is linked, and the entities that are linked to nothing; some are kept in any case. */
export function linked(graph: Part, kept: ReadonlySet<string>): { part: Part; loose: Entity[] } {
  const ends = new Set(graph.relations.flatMap(({ source, target }) => [source, target]));
  const [entities, loose] = [true, false].map((inside) => graph.entities.filter(({ id }) => (ends.has(id) || kept.has(id)) === inside));
  return { part: cut({ ...graph, entities: entities ?? [] }, graph.entities.length), loose: loose ?? [] };
}

export interface Tie {
  relation: Relation;
  /** Entity at the other end. */
  other: Entity;
  /** True if the relation leads from the other one to this one. */
  inwards: boolean;
}

/** Returns the relations of an entity, the latest first. */
export function tiesOf(graph: Part, id: string): Tie[] {
  const known = new Map(graph.entities.map((entity) => [entity.id, entity]));
  return graph.relations
    .flatMap((relation): Tie[] => {
      const inwards = relation.target === id;
      if (!inwards && relation.source !== id) return [];
      const other = known.get(inwards ? relation.source : relation.target);
      return other ? [{ relation, other, inwards }] : [];
    })
    .sort((one, next) => next.relation.at.localeCompare(one.relation.at));
}

/** Returns the entities whose names resemble an entity's, which may be the same. */
export function resembling(graph: Part, id: string): Entity[] {
  const others = graph.overlaps.flatMap(([one, other]) => (one === id ? [other] : other === id ? [one] : []));
  return graph.entities.filter((entity) => others.includes(entity.id));
}

/** Returns how many entities of each type there are, in the order of the types. */
export function typesOf(graph: Part): [EntityType, number][] {
  const counts = Map.groupBy(graph.entities, ({ type }) => type);
  return TYPES.flatMap((type): [EntityType, number][] => (counts.has(type) ? [[type, counts.get(type)?.length ?? 0]] : []));
}

/** Returns a line for each two entities that are related, with all labels: several would lie on each other. */
export function linesOf(relations: readonly Relation[]) {
  const pairs = Map.groupBy(relations, ({ source, target }) => (source < target ? `${source} ${target}` : `${target} ${source}`));
  return [...pairs].map(([key, [first, ...others]]) => {
    const { source, target } = first as Relation;
    const labels = new Set([first as Relation, ...others].map(({ label }) => label.replaceAll("_", " ")));
    return { key, source, target, label: [...labels].join(", "), mutual: others.some((other) => other.source !== source) };
  });
}

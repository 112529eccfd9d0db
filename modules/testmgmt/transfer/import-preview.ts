import { Type, type Static } from '@sinclair/typebox';
import { closedObject } from '../../../core/base/schema.ts';
import { everyClassification } from '../rules/classification.ts';
import { nearestName } from '../rules/nearest-name.ts';
import { pathText } from '../rules/section-tree.ts';
import type { Missing, NameIndex } from './import-resolution.ts';

/*
 * The names that an import would create, each with the existing name that was most likely meant: a new priority "Hihg" is a typing mistake.
 */

const meant = Type.Optional(Type.String({ description: 'An existing name that is close to it.' }));
const named = closedObject({ name: Type.String(), nearest: meant });

/** The most names listed per kind; `added` is the full count. */
const shown = 50;

export const creationsRecord = closedObject(
  {
    sections: Type.Array(named),
    labels: Type.Array(named),
    squads: Type.Array(named),
    options: Type.Array(closedObject({ kind: Type.String(), name: Type.String(), nearest: meant })),
  },
  { description: `What is, or would be, created: the first ${shown} of each.` },
);
type Creations = Static<typeof creationsRecord>;

function* withNearest(
  name: string,
  existing: readonly string[],
): Generator<void, { name: string; nearest?: string }> {
  const best = yield* nearestName(name, existing);
  return best === undefined ? { name } : { name, nearest: best };
}

/** Yields where it may be interrupted. */
export function* creationsOf(index: NameIndex, missing: Missing): Generator<void, Creations> {
  const list = function* (names: readonly string[], existing: readonly string[]) {
    const found: Array<{ name: string; nearest?: string }> = [];
    for (const name of names.slice(0, shown)) found.push(yield* withNearest(name, existing));
    return found;
  };
  const options: Creations['options'] = [];
  for (const kind of everyClassification) {
    const names = missing.values.filter((value) => value.kind === kind).map(({ name }) => name);
    for (const found of yield* list(names, index.names.values[kind])) options.push({ kind, ...found });
  }
  return {
    sections: yield* list(missing.sections.slice(0, shown).map(pathText), index.names.sections),
    labels: yield* list(missing.labels, index.names.labels),
    squads: yield* list(missing.squads, index.names.squads),
    options: options.slice(0, shown),
  };
}

/** Phrases for an error message: `priority "Hihg" (did you mean "High"?)`. */
export function inWords({ options, squads, labels, sections }: Creations): string[] {
  const phrase = (kind: string) => (one: { name: string; nearest?: string }) =>
    `${kind} "${one.name}"${one.nearest === undefined ? '' : ` (did you mean "${one.nearest}"?)`}`;
  return [
    ...options.map((option) => phrase(option.kind)(option)),
    ...squads.map(phrase('squad')),
    ...labels.map(phrase('label')),
    ...sections.map(phrase('section')),
  ];
}

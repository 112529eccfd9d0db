import { Fault } from '../../../core/base/errors.ts';
import {
  classifications,
  everyClassification,
  idFieldOf,
  type Classification,
} from '../../testmgmt/index.ts';
import { seededName } from '../words/seeded-name.ts';
import type { Work } from '../wire/api-route.ts';
import { projectOfValues } from './metadata-reading.ts';

type Fields = Readonly<Partial<Record<`${Classification}Id` | 'sectionId', number | null | undefined>>>;

interface Value {
  readonly id: number;
  readonly name: string;
}

const lettersOf = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

async function valuesOf(work: Work, projectId: number, kind: Classification): Promise<readonly Value[]> {
  const { tool, property } = classifications[kind];
  const read = await work.callNamed(tool, { projectId, limit: 500, offset: 0 });
  const rows = read[property] as ReadonlyArray<Readonly<Record<string, unknown>>>;
  return rows.map((row) => ({ id: Number(row[idFieldOf[kind]]), name: String(row[`${kind}Name`]) }));
}

/**
 * Writes a test, and again with values of the same names if ids of classifications are not of its project: those of Checkmate belong to an
 * organization, so its clients send the ids that they saw for another project, and its documentation those of a new Checkmate. A section is
 * left out where the project has none at all. Each replacement is a warning; an id that means nothing here is refused as before.
 */
export async function writeWithValues<F extends Fields, T>(
  work: Work,
  { projectId, fields, write }: { projectId: number; fields: F; write(fields: F): Promise<T> },
): Promise<T> {
  try {
    return await write(fields);
  } catch (error) {
    if (!(error instanceof Fault && error.code === 'NOT_IN_PROJECT')) throw error;
    const replaced = await replacedValues(work, projectId, fields);
    if (replaced.size === 0) throw error;
    const kept = Object.entries(fields).flatMap(([field, value]) => {
      const one = replaced.get(field);
      return one === undefined ? [[field, value]] : one.id === undefined ? [] : [[field, one.id]];
    });
    const answer = await write(Object.fromEntries(kept) as F);
    for (const { sentence } of replaced.values()) work.warn(sentence);
    return answer;
  }
}

interface Replaced {
  /** undefined: left out. */
  readonly id?: number;
  readonly sentence: string;
}

async function replacedValues(
  work: Work,
  projectId: number,
  fields: Fields,
): Promise<ReadonlyMap<string, Replaced>> {
  const replaced = new Map<string, Replaced>();
  const { orgId } = await work.call('get-project-detail', { projectId });
  const { projectId: shown } = await projectOfValues(work, orgId);
  for (const kind of everyClassification) {
    const field = idFieldOf[kind];
    const given = fields[field];
    if (given === undefined || given === null) continue;
    const own = await valuesOf(work, projectId, kind);
    if (own.some(({ id }) => id === given)) continue;
    const others = shown === undefined || shown === projectId ? [] : await valuesOf(work, shown, kind);
    const name = others.find(({ id }) => id === given)?.name ?? seededName(kind, given);
    const value = name === undefined ? undefined : own.find((one) => lettersOf(one.name) === lettersOf(name));
    if (!value) continue;
    const sentence = `${field} ${given} is not of project ${projectId}: its ${classifications[kind].singular} "${value.name}" has the id ${value.id}.`;
    replaced.set(field, { id: value.id, sentence });
  }
  if (fields.sectionId !== undefined && fields.sectionId !== null) {
    const { total } = await work.call('get-sections', { projectId, limit: 1 });
    if (total === 0)
      replaced.set('sectionId', {
        sentence: `sectionId ${fields.sectionId} was left out: project ${projectId} has no sections.`,
      });
  }
  return replaced;
}

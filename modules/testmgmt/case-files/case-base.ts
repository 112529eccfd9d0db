import { Type } from '@sinclair/typebox';
import { check, closedObject } from '../../../core/base/schema.ts';

/** What is known of a test since the last pull or push. */
export interface SyncedCase {
  /** The path of its file, below the folder. */
  readonly path: string;
  /** The version on the server (list-test-versions). */
  readonly version: number;
  /** The hash of its content there (`contentHash`). */
  readonly hash: string;
}

/** The file `.trivet/cases.json`, which belongs into the repository beside the tests. */
export interface CaseBase {
  readonly server: string | null;
  readonly project: number;
  readonly tests: ReadonlyMap<number, SyncedCase>;
}

const storedBase = closedObject({
  format: Type.Literal(1),
  server: Type.Union([Type.String(), Type.Null()]),
  project: Type.Integer({ minimum: 1 }),
  tests: Type.Record(
    Type.String({ pattern: '^@T[1-9]\\d{0,14}$' }),
    closedObject({
      path: Type.String({ minLength: 1 }),
      version: Type.Integer({ minimum: 1 }),
      hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    }),
  ),
});

/** What is wrong with a `cases.json`, as a sentence. */
export class CaseBaseFault extends Error {}

/** @throws CaseBaseFault. */
export function readBase(text: string): CaseBase {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CaseBaseFault(
      'It is not JSON. If a merge left marks of a conflict in it, keep the lines of either side: the next pull sets them right.',
    );
  }
  const checked = check(storedBase, value);
  if (!checked.ok) {
    const [problem] = checked.problems;
    throw new CaseBaseFault(`${problem?.path ?? ''} ${problem?.message ?? 'is wrong'}.`);
  }
  const { server, project, tests } = checked.value;
  return {
    server,
    project,
    tests: new Map(Object.entries(tests).map(([id, known]) => [Number(id.slice(2)), known])),
  };
}

/** One line for each test, ordered by id: so that two branches that change different tests merge. */
export function writtenBase({ server, project, tests }: CaseBase): string {
  const lines = [...tests]
    .toSorted(([a], [b]) => a - b)
    .map(([id, { path, version, hash }]) => `    "@T${id}": ${JSON.stringify({ path, version, hash })}`);
  const list = lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n  }`;
  return `{\n  "format": 1,\n  "server": ${JSON.stringify(server)},\n  "project": ${project},\n  "tests": ${list}\n}\n`;
}

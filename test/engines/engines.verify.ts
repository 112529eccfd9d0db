import { afterAll, beforeAll, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { idPool, whole, type JsonSchema } from '../fuzz/arguments.ts';
import { ran, randomFrom, scaled, seed } from '../verify/scale.ts';
import { answerComparison, withScalars } from './answer-comparison.ts';
import { makeRecords, names, queryParts, type Call } from './engine-records.ts';
import { startTwin, type Answer, type Twin } from './engine-twin.ts';

/*
 * The same calls of tools on SQLite and on PostgreSQL get the same answers: values, order, totals, refusals. Whoever moves to the other
 * engine sees the same lists. The database sorts texts as most do, and not by code points as that of the other tests.
 *
 * Mutation note: seen to fail when squads are sorted in the order of the database (600 calls), and when the statuses of
 * get-automation-coverage have no order (9,000 calls, one seed of two).
 */
const { below, pick } = randomFrom(seed);
const pool = idPool();
const comparison = answerComparison();
let sqlite: Twin;
let postgres: Twin;

beforeAll(async () => {
  [sqlite, postgres] = await Promise.all([startTwin('sqlite'), startTwin('postgres')]);
});
afterAll(async () => {
  await Promise.all([sqlite.stop(), postgres.stop()]);
});

/** They tell of the machine, draw an id, or take the rights of the caller away. */
const left =
  /^(?:get-server-|.*-nudge-preview|list-nudge|invite-user|revoke-|disable-|erase-|merge-users|set-user-|purge-|remove-member)/;

/** A page that begins so late is refused on SQLite, which sorts in steps, if the list is sorted (docs/query.md). */
const isTooDeep = (answer: Answer): boolean =>
  'refused' in answer && answer.refused.code === 'QUERY_TOO_EXPENSIVE';

let counted = { answered: 0, refused: 0 };
const answeredTools = new Set<string>();

async function askBoth(tool: string, input: unknown): Promise<Answer> {
  const makes = /^(?:create|add|bulk-add|import|clone|save|define|propose|ingest|set)-/.test(tool);
  const [first, second] = await Promise.all([
    sqlite.ask({ tool, input, passMs: 1_000 }),
    postgres.ask({ tool, input: comparison.translated(input), passMs: 1_000 }),
  ]);
  if (isTooDeep(first)) return first;
  const differences = comparison.differences(first, second, makes);
  expect({ tool, input, differences }).toEqual({ tool, input, differences: [] });
  expect(first).not.toHaveProperty('broken');
  if ('result' in first) pool.harvest(first.result);
  counted = {
    answered: counted.answered + ('result' in first ? 1 : 0),
    refused: counted.refused + ('refused' in first ? 1 : 0),
  };
  if ('result' in first) answeredTools.add(tool);
  return first;
}

const call: Call = async (tool, input) => {
  const answer = await askBoth(tool, input);
  if (!('result' in answer)) throw new Error(`${tool}: ${JSON.stringify(answer)}`);
  return answer.result as Readonly<Record<string, unknown>>;
};

/** Arguments of the schema: the required ones and a few others, of the given project; texts that sort and match in special ways. */
function inputFor(schema: JsonSchema, projectId: number): Readonly<Record<string, unknown>> {
  const [drawn = {}] = fc.sample(whole(schema, pool), { seed: below(2 ** 31), numRuns: 1 }) as object[];
  const required = new Set(schema.required);
  const optional = Object.keys(drawn).filter((name) => !required.has(name));
  const kept = new Set(optional.length === 0 ? [] : [pick(optional), pick(optional)]);
  const members = Object.entries(drawn).filter(([name]) => required.has(name) || kept.has(name));
  const input = Object.fromEntries(
    members.map(([name, value]) => [name, withScalars(value, withNames, name)]),
  );
  return 'projectId' in (schema.properties ?? {}) ? { ...input, projectId } : input;
}

function withNames(name: string, scalar: unknown): unknown {
  if (typeof scalar !== 'string') return scalar;
  if (name === 'query') return Array.from({ length: 1 + below(3) }, () => pick(queryParts)).join(' ');
  return /[nN]ame$|comment|[dD]escription|search|title|squads|action|expected/.test(name)
    ? pick(names)
    : scalar;
}

test('the same calls get the same answers', async () => {
  const calls = scaled(600, 30_000);
  const tools = sqlite.tools.filter(({ name }) => !left.test(name));
  let projectId = 0;
  for (let nth = 0; nth < calls; nth++) {
    if (nth % 200 === 0) {
      pool.forget();
      projectId = await makeRecords(call, { below, pick });
    }
    const { name, inputSchema } = pick(tools);
    await askBoth(name, comparison.withoutUnknown(inputFor(inputSchema, projectId)));
  }
  process.stdout.write(
    `figure: ${counted.answered} answered, ${counted.refused} refused, ${answeredTools.size} of ${tools.length} tools answered\n`,
  );
  expect(answeredTools.size).toBeGreaterThan(tools.length * scaled(0.4, 0.8));
  ran(calls, 'calls on both engines');
});

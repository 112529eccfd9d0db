import { expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { parseSnapshotBody, snapshotLimits } from './snapshot-body.ts';
import { BehaviourTagSnapshot, StateMachineSnapshot, type SnapshotBody } from './snapshot.ts';

const now = 1_790_000_000_000;
const machine = { currentState: '1', lastTransitionAt: 20, createdAt: 10 };
const cta = (over: object = {}) => ({ ctaId: '7', activeStateMachines: { k: machine }, ...over });
const withMachine = (over: object) => ({
  ctas: [cta({ activeStateMachines: { k: { ...machine, ...over } } })],
});
const tag = (over: object) => ({ behaviourTags: [{ behaviourTagName: 't', ...over }] });

test.each<[string, unknown, unknown]>([
  ['an empty body', {}, { ctas: [], behaviourTags: [] }],
  ['null lists', { ctas: null, behaviourTags: null }, { ctas: [], behaviourTags: [] }],
  ['a minimal CTA', { ctas: [cta()] }, { ctas: [cta()], behaviourTags: [] }],
  [
    'null where a field may be absent',
    {
      ctas: [
        cta({
          resetAt: null,
          actionDoneAt: null,
          activeStateMachines: { k: { ...machine, context: null, reset: null } },
        }),
      ],
    },
    { ctas: [cta()], behaviourTags: [] },
  ],
  [
    'unknown fields, which are dropped',
    { extra: 1, ctas: [cta({ extra: 1, activeStateMachines: { k: { ...machine, extra: 1 } } })] },
    { ctas: [cta()], behaviourTags: [] },
  ],
  [
    'all fields of a machine',
    withMachine({ context: { order: { id: 1 }, n: 'x' }, reset: false }),
    { ...withMachine({ context: { order: { id: 1 }, n: 'x' }, reset: false }), behaviourTags: [] },
  ],
  [
    'an explicit empty list, which is not an omitted one',
    { ctas: [cta({ resetAt: [], actionDoneAt: [] })] },
    { ctas: [cta({ resetAt: [], actionDoneAt: [] })], behaviourTags: [] },
  ],
  [
    'all fields of a tag',
    tag({
      exposureRule: {
        session: { limit: 1 },
        window: { limit: 3, unit: 'days', value: 7 },
        lifespan: { limit: 5 },
        ctasResetAt: [{ ctaId: '7', resetAt: 5, extra: 1 }, 6],
      },
      ctaRelation: {
        shownCta: { rule: 'ANY', ctaList: [] },
        hideCta: { rule: 'REST', ctaList: ['8'] },
        activeCtas: ['7'],
      },
    }),
    {
      ctas: [],
      ...tag({
        exposureRule: {
          session: { limit: 1 },
          window: { limit: 3, unit: 'days', value: 7 },
          lifespan: { limit: 5 },
          ctasResetAt: [{ ctaId: '7', resetAt: 5 }, 6],
        },
        ctaRelation: {
          shownCta: { rule: 'ANY', ctaList: [] },
          hideCta: { rule: 'REST', ctaList: ['8'] },
          activeCtas: ['7'],
        },
      }),
    },
  ],
  [
    'relations without rules, as clients echo them',
    tag({ ctaRelation: { shownCta: { rule: null, ctaList: null }, hideCta: null, activeCtas: [] } }),
    { ctas: [], ...tag({ ctaRelation: { shownCta: {}, activeCtas: [] } }) },
  ],
  [
    'the greatest long',
    { ctas: [cta({ resetAt: [2 ** 53 - 1] })] },
    { ctas: [cta({ resetAt: [now] })], behaviourTags: [] },
  ],
])('accepts %s', (_, raw, expected) => {
  const parsed = parseSnapshotBody(raw, now);
  expect(parsed as unknown).toEqual({ ok: true, ...(expected as object), drops: {} });
  const { ok: _ok, ...body } = parsed as Record<string, unknown>;
  const wire = Type.Object({
    ctas: Type.Array(StateMachineSnapshot),
    behaviourTags: Type.Array(BehaviourTagSnapshot),
  });
  expect(TypeCompiler.Compile(wire).Check(body)).toBe(true);
});

const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`) as object;
const secret = 'hunter2';

test.each<[string, unknown, string]>([
  ['a body that is no object', [], 'body must be an object'],
  ['no body', undefined, 'body is required'],
  ['ctas that are no array', { ctas: secret }, 'ctas must be an array'],
  ['a CTA without ctaId', { ctas: [{ activeStateMachines: {} }] }, 'ctas[0].ctaId is required'],
  ['a numeric ctaId', { ctas: [cta({ ctaId: 7 })] }, 'ctas[0].ctaId must be a non-empty string'],
  ['a CTA without machines', { ctas: [{ ctaId: '7' }] }, 'ctas[0].activeStateMachines is required'],
  [
    'a machine without currentState',
    withMachine({ currentState: undefined }),
    'ctas[0].activeStateMachines.k.currentState is required',
  ],
  [
    'a machine without lastTransitionAt',
    withMachine({ lastTransitionAt: undefined }),
    'ctas[0].activeStateMachines.k.lastTransitionAt is required',
  ],
  [
    'a machine without createdAt',
    withMachine({ createdAt: undefined }),
    'ctas[0].activeStateMachines.k.createdAt is required',
  ],
  [
    'a float',
    withMachine({ createdAt: 1.5 }),
    'ctas[0].activeStateMachines.k.createdAt must be a whole number of at most 2^53-1',
  ],
  [
    'a long above 2^53-1',
    { ctas: [cta({ resetAt: [1, 9007199254740992] })] },
    'ctas[0].resetAt[1] must be a whole number of at most 2^53-1',
  ],
  [
    'a long as text',
    { ctas: [cta({ actionDoneAt: [secret] })] },
    'ctas[0].actionDoneAt[0] must be a whole number of at most 2^53-1',
  ],
  [
    'a reset that is no boolean',
    withMachine({ reset: secret }),
    'ctas[0].activeStateMachines.k.reset must be true or false',
  ],
  [
    'a context that is an array',
    withMachine({ context: [] }),
    'ctas[0].activeStateMachines.k.context must be an object',
  ],
  [
    'a fault under a key typed by a user',
    { ctas: [cta({ activeStateMachines: { 'a@b.c': 1 } })] },
    'ctas[0].activeStateMachines[0] must be an object',
  ],
  [
    'one ctaId twice',
    { ctas: [cta(), cta({ ctaId: '8' }), cta()] },
    'ctas[2].ctaId is the same as that of ctas[0]',
  ],
  [
    'one tag twice',
    { behaviourTags: [{ behaviourTagName: 't' }, { behaviourTagName: 't' }] },
    'behaviourTags[1].behaviourTagName is the same as that of behaviourTags[0]',
  ],
  ['a tag without name', { behaviourTags: [{}] }, 'behaviourTags[0].behaviourTagName is required'],
  [
    'an unknown unit',
    tag({ exposureRule: { window: { limit: 1, unit: 'day', value: 1 } } }),
    'behaviourTags[0].exposureRule.window.unit must be one of days, hours, minutes, seconds',
  ],
  [
    'an unknown rule',
    tag({ ctaRelation: { hideCta: { rule: secret } } }),
    'behaviourTags[0].ctaRelation.hideCta.rule must be one of ANY, LIST, REST',
  ],
  [
    'an activeCtas that is no list of texts',
    tag({ ctaRelation: { activeCtas: [7] } }),
    'behaviourTags[0].ctaRelation.activeCtas[0] must be a non-empty string',
  ],
])('refuses %s', (_, raw, problem) => {
  const parsed = parseSnapshotBody(raw, now);
  expect(parsed).toEqual({ ok: false, message: `Invalid request: ${problem}` });
  expect(JSON.stringify(parsed)).not.toContain(secret);
});

/** A body over one limit, the part of it that is kept, and the counted drops. */
const over = (text: string) => ({ k: { ...machine, currentState: 'x'.repeat(257) }, [text]: machine });
const long = 'x'.repeat(257);
test.each<[string, object, object, (body: SnapshotBody) => unknown, unknown]>([
  [
    'a group key',
    { ctas: [cta({ activeStateMachines: { ['g'.repeat(513)]: machine, ['g'.repeat(512)]: machine } })] },
    { group_key: 1 },
    ({ ctas }) => Object.keys(ctas[0]?.activeStateMachines ?? {}).map((key) => key.length),
    [512],
  ],
  [
    'a context by its bytes',
    withMachine({ context: { t: 'é'.repeat(32 * 1024) } }),
    { context: 1 },
    ({ ctas }) => ctas[0]?.activeStateMachines,
    {},
  ],
  [
    'a context by its values',
    withMachine({ context: { t: Array.from({ length: 10_000 }, () => 0) } }),
    { context: 1 },
    ({ ctas }) => ctas[0]?.activeStateMachines,
    {},
  ],
  ['a context by its depth', withMachine({ context: deep }), { context: 1 }, ({ ctas }) => ctas.length, 1],
  [
    'a machine that is reset needs no context',
    withMachine({ context: deep, reset: true }),
    {},
    ({ ctas }) => ctas[0]?.activeStateMachines['k']?.reset,
    true,
  ],
  [
    'the name of a state',
    { ctas: [cta({ activeStateMachines: over('kept') })] },
    { name: 1 },
    ({ ctas }) => Object.keys(ctas[0]?.activeStateMachines ?? {}),
    ['kept'],
  ],
  [
    'names in lists of a tag',
    tag({
      exposureRule: { ctasResetAt: [{ ctaId: long, resetAt: 1 }, 2] },
      ctaRelation: { activeCtas: [long, '7'] },
    }),
    { name: 2 },
    ({ behaviourTags: [first] }) => [first?.exposureRule?.ctasResetAt, first?.ctaRelation?.activeCtas],
    [[2], ['7']],
  ],
  [
    'CTAs',
    { ctas: Array.from({ length: 503 }, (_, id) => cta({ ctaId: `${id}` })) },
    { ctas: 3 },
    ({ ctas }) => ctas.length,
    500,
  ],
  [
    'tags',
    { behaviourTags: Array.from({ length: 101 }, (_, id) => ({ behaviourTagName: `${id}` })) },
    { behaviour_tags: 1 },
    ({ behaviourTags }) => behaviourTags.length,
    100,
  ],
  ['an id of a CTA that nobody can have', { ctas: [cta({ ctaId: long })] }, {}, ({ ctas }) => ctas.length, 1],
])('over a limit, %s: dropped and counted, the rest is taken', (_, raw, drops, of, expected) => {
  const parsed = parseSnapshotBody(raw, now);
  if (!parsed.ok) throw new Error(parsed.message);
  expect(parsed.drops).toEqual(drops);
  expect(of(parsed)).toEqual(expected);
});

test('exactly at the limits everything is taken', () => {
  const ctas = Array.from({ length: snapshotLimits.ctas }, (_, id) => cta({ ctaId: `${id}` }));
  const empty = JSON.stringify({ t: '' }).length;
  const full = withMachine({ context: { t: 'x'.repeat(snapshotLimits.contextBytes - empty) } });
  for (const body of [{ ctas }, full])
    expect(parseSnapshotBody(body, now)).toMatchObject({ ok: true, drops: {} });
});

test('group keys named like parts of a prototype are keys like any other', () => {
  const raw = JSON.parse(
    `{"ctas":[{"ctaId":"__proto__","activeStateMachines":{"__proto__":${JSON.stringify(machine)},"constructor":${JSON.stringify(machine)}}}]}`,
  ) as unknown;
  const parsed = parseSnapshotBody(raw, now);
  expect(JSON.stringify(parsed)).toContain('"activeStateMachines":{"__proto__":{"currentState":"1"');
  expect(JSON.stringify(parsed)).toContain('"constructor":{"currentState":"1"');
  expect(({} as Record<string, unknown>)['currentState']).toBeUndefined();
});

test('fields inherited from a prototype are not read', () => {
  const raw = JSON.parse('{"ctas":[{"activeStateMachines":{},"__proto__":{"ctaId":"7"}}]}') as unknown;
  expect(parseSnapshotBody(raw, now)).toEqual({
    ok: false,
    message: 'Invalid request: ctas[0].ctaId is required',
  });
});

import { afterAll, describe, expect, test } from 'bun:test';
import type { Fault } from '../../../core/base/errors.ts';
import { startTestKernel } from '../../../test/kernel.ts';
import { toolsOf } from '../../../test/tools.ts';

let call: (tool: string, input: object) => Promise<Record<string, unknown>>;
const trivet = await startTestKernel();
({ call } = await toolsOf(trivet));
const rule = { stateToAction: {}, stateTransition: {}, actions: [] };
for (const name of ['Spring offer', 'Twice', 'twice']) await call('create-cta', { name, rule });
await call('create-cta', { tenantId: 'other', name: 'Elsewhere', rule });
afterAll(() => trivet.stop());

const tipOf = (tool: string, input: object) =>
  call(tool, input).then(
    () => 'none',
    (error: unknown) => (error as Fault).tip,
  );

/** @see Finding: a caller who gave a name instead of an id could not correct the call from the error. */
describe('a name given for an id is answered with the id', () => {
  const cases: ReadonlyArray<readonly [string, object, RegExp]> = [
    ['get-cta', { ctaId: 'spring offer' }, /"Spring offer" is 1 \(list-ctas lists them\)/],
    [
      'simulate-cta',
      { ctaIds: ['Spring offer'], steps: [] },
      /ctaIds\[0\] takes an id, not a name: "Spring offer" is 1/,
    ],
    ['set-cta-status', { ctaId: 'Twice', status: 'LIVE' }, /several have this name: 2, 3 \(list-ctas/],
    ['get-cta', { ctaId: 'Nothing' }, /use list-ctas to see them/],
    ['get-cta', { ctaId: 'Elsewhere' }, /use list-ctas to see them/],
    [
      'create-cta',
      { orgId: 'My organization', name: 'x', rule: {} },
      /"My organization" is 1 \(get-orgs-list/,
    ],
    ['invite-user', { orgId: 'My organization' }, /"My organization" is 1 \(get-orgs-list/],
    ['set-user-status', { userId: 'nobody@example.org', status: 'active' }, /use get-all-users to see them/],
  ];
  test.each(cases)('%s %j', async (tool, input, expected) => {
    expect(await tipOf(tool, input)).toMatch(expected);
  });
});

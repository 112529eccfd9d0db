import { Type, type Static } from '@sinclair/typebox';
import { closedObject, words } from '../../../core/base/schema.ts';
import { stepKinds, type PlayedStep } from '../device/step-player.ts';
import { fail } from '../base/errors.ts';
import { ctaIdParameter, timeOf } from '../base/parameters.ts';
import type { Properties } from '../rules/filter.ts';
import { weightOf } from '../state/json-weight.ts';

/** Size of the properties of one event, as JSON. */
const maxPropertyBytes = 16 * 1024;

const stepParameter = closedObject(
  {
    kind: Type.Optional(
      words(stepKinds, {
        description:
          'event; session: the app is launched; first-launch: the first launch after the app was installed; action-done: the ' +
          'user did what ctaId asked for. Default event.',
      }),
    ),
    at: Type.Optional(timeOf('Default a second after the step before; for the first step now.')),
    event: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'For event: its name, as in stateTransition.',
      }),
    ),
    properties: Type.Optional(
      Type.Unsafe<Properties>(
        Type.Object(
          {},
          { additionalProperties: true, description: 'For event: its properties, by name; max 16 KiB.' },
        ),
      ),
    ),
    ctaId: Type.Optional(ctaIdParameter),
  },
  { description: 'One step.' },
);

export const stepsParameter = Type.Array(stepParameter, {
  minItems: 1,
  maxItems: 1000,
  description: 'The steps, in order of time. A session begins with the first.',
});

/**
 * The steps with their times.
 * @param now epoch milliseconds, the time of the first step if it gives none.
 * @throws Fault INVALID_REQUEST naming the step that is incomplete or goes back in time.
 */
export function stepsOf(given: readonly Static<typeof stepParameter>[], now: number): PlayedStep[] {
  let before = now - 1000;
  return given.map(({ kind = 'event', at = before + 1000, event, properties, ctaId }, index) => {
    const invalid = (problem: string) =>
      fail.INVALID_REQUEST(`steps[${index}] ${problem}.`, { cause: 'steps' });
    if (index > 0 && at < before) throw invalid('is before the step before it');
    before = at;
    if (kind === 'event') {
      if (event === undefined) throw invalid('needs event, the name of what happens');
      const limit = { bytes: maxPropertyBytes, values: maxPropertyBytes };
      if (properties !== undefined && weightOf(properties, limit) === null) {
        throw invalid(`has properties of more than ${maxPropertyBytes} bytes`);
      }
      return { kind, at, name: event, properties: properties ?? {} };
    }
    if (kind !== 'action-done') return { kind, at };
    if (ctaId === undefined) throw invalid('needs ctaId, whose action was done');
    return { kind, at, ctaId };
  });
}

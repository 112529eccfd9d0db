import { Type } from '@sinclair/typebox';
import { signedIn } from '../../../core/base/actor.ts';
import { closedObject, nullable } from '../../../core/base/schema.ts';
import type { Query } from '../../../core/db/query/db.ts';
import type { Host } from '../../../core/host/host.ts';
import { recipientOf } from '../../../core/letters/letter-address.ts';
import { refusedKinds, setLetterWanted } from '../../../core/letters/letter-store.ts';
import { sendsLetters } from '../../../core/letters/smtp-settings.ts';
import { fail } from '../base/errors.ts';
import { operation } from '../base/operation.ts';
import { letterAddress } from './letter-address.ts';

const letterSettings = closedObject({
  sendsLetters: Type.Boolean({ description: 'Whether this server sends letters by e-mail (--smtp-url).' }),
  address: nullable(Type.String({ description: 'Where yours go; null without a verified address.' })),
  kinds: Type.Array(closedObject({ kind: Type.String(), title: Type.String(), isOn: Type.Boolean() })),
});

const ownKinds = ({ letterKinds }: Host) => letterKinds.filter((kind) => kind.for === 'users');

async function settingsOf(q: Query, host: Host, userId: number) {
  const refused = await refusedKinds(q, recipientOf({ userId }));
  return {
    sendsLetters: sendsLetters(host),
    address: await letterAddress(q, userId),
    kinds: ownKinds(host).map(({ name, title }) => ({ kind: name, title, isOn: !refused.has(name) })),
  };
}

export const getLetterSettings = operation({
  name: 'get-letter-settings',
  title: 'Read your letter settings',
  description:
    'Returns which letters by e-mail you get, to which address, and whether this server sends letters at all. ' +
    'follow-project decides about which projects.',
  input: closedObject({}),
  output: letterSettings,
  access: signedIn(),
  effect: 'read',
  handler: (_input, { actor, db, host }) => settingsOf(db.q, host, actor.userId),
});

export const setLetterSetting = operation({
  name: 'set-letter-setting',
  title: 'Switch letters on or off',
  description:
    'Switches one kind of letters by e-mail off for you, or on again. get-letter-settings lists the kinds.',
  input: closedObject({
    kind: Type.String({ maxLength: 60, description: 'From get-letter-settings.' }),
    isOn: Type.Boolean({ description: 'Whether you want them.' }),
  }),
  output: letterSettings,
  access: signedIn(),
  effect: 'update',
  handler: ({ kind, isOn }, { actor, db, clock, host }) => {
    const known = ownKinds(host).map(({ name }) => name);
    if (!known.includes(kind))
      throw fail.INVALID_REQUEST(`There is no kind of letters "${kind}".`, {
        cause: 'kind',
        tip: `The kinds are: ${known.join(', ')}.`,
      });
    return db.tx(async (q) => {
      const recipient = recipientOf({ userId: actor.userId });
      await setLetterWanted(q, { recipient, kind, isWanted: isOn }, clock.now());
      return settingsOf(q, host, actor.userId);
    });
  },
});

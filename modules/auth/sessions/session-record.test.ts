import { expect, test } from 'bun:test';
import { startTestKernel } from '../../../test/kernel.ts';
import { oauthTokens } from '../testing/browser.ts';
import { clientNameOf } from './session-record.ts';

const payload = (text: string) => Buffer.from(text).toString('base64url');

const cases: ReadonlyArray<readonly [string, string | null]> = [
  ['trivet-cli', 'trivet login'],
  ['https://client.example/client.json', 'client.example'],
  [`dcr.${payload('{"n":"A program","r":[],"t":1}')}.mac`, 'A program'],
  // The client of an app at its provider, which may be anything.
  ['1234.apps.googleusercontent.com', null],
  ['dcr.x.y', null],
  [`dcr.${payload('{"n":7}')}.mac`, null],
  [`dcr.${payload('null')}.mac`, null],
  ['https://', null],
  ['', null],
];

test.each(cases)('the program of %s', (clientId, name) => expect(clientNameOf(clientId)).toBe(name));

test('a user sees which program each session is of, and what it may do', async () => {
  const trivet = await startTestKernel();
  const { body } = await trivet.post('/oauth/register', {
    client_name: 'A program',
    redirect_uris: ['https://client.example/callback'],
  });
  const change = { client_id: String(body['client_id']), redirect_uri: 'https://client.example/callback' };
  await oauthTokens(trivet, 'ann@example.org', { ...change, scope: 'testmgmt:read' });
  const { access_token: accessToken } = await oauthTokens(trivet, 'ann@example.org', { scope: 'all' });
  await trivet.signIn('ann@example.org');
  const answer = await trivet.fetch('/v1/auth/sessions', {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  const { sessions } = (await answer.json()) as {
    sessions: Array<{ client: string | null; scope: string | null }>;
  };
  expect(new Set(sessions.map(({ client, scope }) => `${client}: ${scope}`))).toEqual(
    new Set(['A program: testmgmt:read', 'trivet login: null', 'null: null']),
  );
  await trivet.stop();
});

import { Type } from '@sinclair/typebox';
import { roles } from '../../../core/base/actor.ts';
import { closedObject, recordId, words } from '../../../core/base/schema.ts';
import { secretParameter } from '../../../core/settings/setting-form.ts';
import type { SettingTable } from '../../../core/settings/settings.ts';
import { idTokenAlgorithms, signingAlgorithms } from './signing-algorithms.ts';

const texts = (description: string) =>
  Type.Array(Type.String({ minLength: 1 }), { minItems: 1, description });

const givenRole = words(roles, { description: 'In the first organization.' });

/** What a group or a domain gives: a role in the first organization, or in another one. */
const givenRoles = (what: string) =>
  Type.Record(
    Type.String({ minLength: 1, maxLength: 255 }),
    Type.Union([
      givenRole,
      closedObject({
        role: words(roles, { description: 'The role.' }),
        orgId: recordId('The organization.'),
      }),
    ]),
    { maxProperties: 500, description: what },
  );

/** One identity provider in the configuration file: `[providers.NAME]`. */
export const providerConfig = closedObject({
  issuer: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'Exactly the "iss" of the provider; google, apple and facebook have it preset.',
    }),
  ),
  tenant: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
      description: 'microsoft: the directory (tenant) ID, whose accounts are accepted.',
    }),
  ),
  jwksUri: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'The URL of its keys, for a provider without discovery document.',
    }),
  ),
  audiences: Type.Optional(
    texts('Client ids whose ID tokens are accepted ("aud"), besides clientId; one of the two is required.'),
  ),
  clientId: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The client that Trivet is at the provider: people sign in with a browser.',
    }),
  ),
  clientSecret: Type.Optional(Type.String({ minLength: 1, description: 'Its secret, if it has one.' })),
  clientSecretFile: Type.Optional(
    Type.String({ minLength: 1, description: 'A file with its secret, which only its owner can read.' }),
  ),
  algorithms: Type.Optional(
    Type.Array(Type.Union(idTokenAlgorithms.map((name) => Type.Literal(name))), { minItems: 1 }),
  ),
  allowedDomains: Type.Optional(texts('Accept only verified e-mail addresses of these domains.')),
  allowedEmails: Type.Optional(
    texts('Accept only these verified e-mail addresses, and those of allowedDomains.'),
  ),
  requireNonce: Type.Optional(Type.Boolean({ description: 'Reject ID tokens without a nonce.' })),
  singleUse: Type.Optional(Type.Boolean({ description: 'Accept each ID token only once.' })),
  copyClaims: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
      minItems: 1,
      maxItems: 20,
      description: 'Claims of its ID tokens that our tokens have, too, e.g. groups.',
    }),
  ),
  scope: Type.Optional(
    Type.String({
      pattern: '^openid( [^ ]+)*$',
      maxLength: 500,
      description:
        'What people are asked for in a browser; default: openid email profile. Some providers need one more for groups.',
    }),
  ),
  groups: Type.Optional(
    givenRoles(
      'Roles by group of the provider: "qa-leads" = "admin", or { role = "admin", orgId = 2 } for another organization.',
    ),
  ),
  domains: Type.Optional(givenRoles('Roles by domain of the verified e-mail address.')),
  groupsClaim: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'The claim of its ID tokens that lists the groups; default: groups.',
    }),
  ),
  groupsMaxAge: Type.Optional(
    Type.Integer({
      minimum: 300,
      maximum: 34_560_000,
      description:
        'Seconds after a sign-in for which the roles of groups and domains count; default: 7776000 (90 days).',
    }),
  ),
});

const seconds = (fallback: number, minimum: number, maximum: number, description: string) =>
  ({
    type: 'integer',
    unit: 'seconds',
    default: fallback,
    minimum,
    maximum,
    description,
    reload: true,
  }) as const;

/** What is older is deleted. */
const secondsKept = (...given: Parameters<typeof seconds>) =>
  ({ ...seconds(...given), unit: 'seconds kept' }) as const;

const perMinute = (fallback: number, description: string) =>
  ({
    type: 'integer',
    default: fallback,
    minimum: 0,
    maximum: 1_000_000,
    description,
    reload: true,
  }) as const;

const day = 86_400;

export const authSettings = {
  'master-key': {
    type: 'string',
    secret: true,
    ownerOnly: true,
    description: '32 bytes in base64 that protect signing keys; default: master.key of the data directory.',
  },
  providers: {
    type: 'table',
    schema: Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_-]{0,63}$' }), providerConfig, {
      additionalProperties: false,
    }),
    // Every process of the machine can read the command line of the others.
    secretLike: /"clientSecret"/,
    description:
      'Identity providers by name: issuer (or tenant), audiences, clientId, clientSecret (or clientSecretFile), algorithms, allowedDomains, allowedEmails, requireNonce, singleUse, copyClaims, jwksUri, scope, groups, domains, groupsClaim, groupsMaxAge.',
  },
  'signing-algorithm': {
    type: 'string',
    default: 'ES256',
    choices: signingAlgorithms,
    description: 'Algorithm of new signing keys; the present key is used until it rotates.',
  },
  'key-rotation': seconds(
    30 * day,
    day,
    400 * day,
    'Seconds a signing key is used; its successor is published a day before.',
  ),
  'access-ttl': seconds(900, 60, day, 'Seconds an access token lives.'),
  'id-token-ttl': seconds(3600, 60, day, 'Seconds our ID token lives.'),
  'refresh-idle': seconds(30 * day, 3600, 400 * day, 'Seconds after which an unused refresh token expires.'),
  'refresh-absolute': seconds(90 * day, 3600, 400 * day, 'Seconds after which a session ends in any case.'),
  guests: {
    type: 'boolean',
    description: 'People may use an app as guests, before they sign in: POST /v1/auth/guest.',
  },
  'guest-keep': secondsKept(
    90 * day,
    3600,
    400 * day,
    'Seconds after which an unused guest is deleted; the session of a guest lasts as long.',
  ),
  'rotation-grace': seconds(
    30,
    0,
    60,
    'Grace window: seconds in which the previous refresh token returns the same successor again; 0: each works once, also after a lost answer.',
  ),
  'rate-authenticate': perMinute(60, 'Sign-ins per minute of one client address; 0: no limit.'),
  'rate-failures': perMinute(10, 'Failed sign-ins per minute of one client address; 0: no limit.'),
  'rate-refresh': perMinute(120, 'Refreshes per minute of one session; 0: no limit.'),
  'rate-oauth': perMinute(
    60,
    'Requests of browsers and OAuth clients per minute of one client address, each kind by itself; 0: no limit.',
  ),
  'rate-user-codes': perMinute(
    10,
    'Wrong codes of devices per minute of one client address, ten times as many of all that guess; 0: no limit.',
  ),
  // Off by default: the backend of an app verifies for all its users from one client address.
  'rate-guest': {
    type: 'integer',
    default: 30,
    minimum: 0,
    maximum: 1_000_000,
    description: 'Guests per hour of one client address, a sixth of them of one installId; 0: no limit.',
  },
  // A provider ends the sessions of everybody at once, from one address, and repeats no logout that was refused.
  'rate-logout': perMinute(
    6_000,
    'Logouts by identity providers per minute of one client address; wrong ones count as failed sign-ins; 0: no limit.',
  ),
  'rate-verify': perMinute(0, 'Verifications per minute of one client address; 0: no limit.'),
  'auth-envelope': {
    type: 'boolean',
    description:
      'Wrap the success bodies of /v1/auth as {"data":…,"error":null}, for front ends that read body.data. Errors stay as they are.',
  },
  'audit-keep': secondsKept(
    400 * day,
    0,
    36_500 * day,
    'Seconds an audit entry is kept, and longer until --audit-export has sent it; 0: for ever.',
  ),
  'audit-export': {
    type: 'string',
    value: 'TARGET',
    form: {
      words: 'file:/PATH, https://HOST/PATH, syslog://HOST:PORT or syslog+tls://HOST:PORT',
      fits: (text) => /^(file:\/[^/]|https?:\/\/[^\s/]|syslog(\+tls)?:\/\/[^\s/@]+$)/.test(text),
    },
    // Every process of the machine can read the command line of the others.
    secretLike: new RegExp(String.raw`^https?:\/\/[^/@]*@|${secretParameter.source}`, 'i'),
    description:
      'Send the audit log on, signed and at least once: file:/PATH, https://… (a POST for each batch), syslog://HOST:PORT (TCP) or syslog+tls://HOST:PORT.',
  },
  'clock-tolerance': seconds(60, 0, 300, 'Seconds by which the clock of an identity provider may differ.'),
} as const satisfies SettingTable;

/** The file of the master key in the data directory, unless the configuration contains the key. */
export const masterKeyFile = 'master.key';

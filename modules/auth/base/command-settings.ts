import { roles } from '../../../core/base/actor.ts';
import { mailAddress, type SettingForm } from '../../../core/settings/setting-form.ts';
import type { SettingTable } from '../../../core/settings/settings.ts';

const email = {
  type: 'string',
  value: 'ADDRESS',
  form: mailAddress,
  description: 'The e-mail address of the user.',
} as const;

const tokenLife: SettingForm = {
  words: '90d (1 to 999 days), 12h (1 to 9999 hours) or never',
  fits: (text) => /^([1-9]\d{0,2}d|[1-9]\d{0,3}h|never)$/.test(text),
};

export const tokenCreateSettings = {
  email,
  'user-id': {
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The number of the user, if several have the address.',
  },
  name: {
    type: 'string',
    value: 'NAME',
    description: 'What the token is for; shown where tokens are listed.',
  },
  expires: {
    type: 'string',
    default: '90d',
    value: 'DURATION',
    form: tokenLife,
    description: 'When it ends: days (90d), hours (12h) or never.',
  },
  scopes: {
    type: 'list',
    default: [],
    value: 'WORDS',
    description:
      'What it may do: toolsets (testmgmt), toolset:read, cta:publish, admin, metrics, introspect, read-only, org:ID, project:ID. Unless given: everything.',
  },
  role: {
    type: 'string',
    choices: roles,
    description:
      'The role of the user in the first organization. A new user is a member with --scopes, an admin without.',
  },
} as const satisfies SettingTable;

export const tokenListSettings = {
  email: { ...email, description: 'Only the tokens of the user with this address.' },
} as const;

export const tokenRevokeSettings = {
  id: {
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The number that "trivet token list" shows.',
  },
} as const satisfies SettingTable;

export const letterTestSettings = {
  to: { ...email, description: 'The e-mail address that the test letter goes to.' },
} as const satisfies SettingTable;

export const devIdTokenSettings = { email } as const satisfies SettingTable;

export const auditVerifySettings = {
  'keys-file': {
    type: 'string',
    value: 'FILE',
    description:
      'The public keys: what "trivet audit status --json" printed, kept where nobody can change it.',
  },
} as const satisfies SettingTable;

export const keysRewrapSettings = {
  'new-master-key': {
    type: 'string',
    secret: true,
    ownerOnly: true,
    description: '32 bytes in base64 that replace the master key: openssl rand -base64 32.',
  },
  finish: {
    type: 'boolean',
    description: 'End the overlap, when every server has the new key: the former one opens nothing any more.',
  },
} as const satisfies SettingTable;

export const keysRotateSettings = {
  now: {
    type: 'boolean',
    description: 'Sign with another key at once, though nobody has seen it published yet.',
  },
  drop: {
    type: 'string',
    value: 'KID',
    description: 'After a leak: take this key away at once. Every token it signed is refused from then on.',
  },
} as const satisfies SettingTable;

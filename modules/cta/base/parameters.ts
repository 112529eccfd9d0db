import { Type } from '@sinclair/typebox';
import { closedObject, recordId, words } from '../../../core/base/schema.ts';
import { fail } from './errors.ts';
import { ctaStatuses } from '../rules/lifecycle.ts';

/* Parameters and records that the tools of this module share. Times are epoch milliseconds. */

const latestTime = 8_640_000_000_000_000;

/** The tenant of clients and calls that do not name a tenant. */
export const defaultTenant = 'default';

const tenantForm = { pattern: '^[A-Za-z0-9._:-]{1,128}$', description: 'The tenant, as in x-tenant-id.' };

export const tenantName = Type.String(tenantForm);
export const tenantParameter = Type.Optional(Type.String({ ...tenantForm, default: defaultTenant }));
export const tenantOf = ({ tenantId = defaultTenant }: { readonly tenantId?: string }) => tenantId;

export const ownerParameter = Type.Optional(
  recordId('The organization of a new tenant, if you administer several; default the first of them.'),
);

/** Clients receive the id of a CTA as text. */
export const ctaIdParameter = Type.String({
  pattern: '^[1-9][0-9]{0,14}$',
  description: 'The CTA, e.g. "7"; list-ctas lists them.',
});

export const versionParameter = recordId(
  'The version of the record that the change was made from; any other fails with CONFLICT.',
);

/** A signed 64-bit integer, as clients send it in `auth-userid`. */
export const userIdText = (description: string) =>
  Type.String({ pattern: '^-?[0-9]{1,19}$', description: `${description} Decimal digits.` });

/**
 * The user id under which state is stored: the shortest decimal.
 * @throws Fault INVALID_REQUEST for a number beyond 64 bits.
 */
export function canonicalUserId(text: string, parameter: string): string {
  const value = BigInt(text);
  if (value === BigInt.asIntN(64, value)) return String(value);
  throw fail.INVALID_REQUEST(`${parameter} must be a signed 64-bit integer.`, { cause: parameter });
}

export const statusParameter = (description: string) => words(ctaStatuses, { description });

/** A name that is not blank, stored without surrounding space. */
export const nameText = (description: string) =>
  Type.String({ minLength: 1, maxLength: 255, pattern: '\\S', description });

/** Like {@link nameText}, limited to the length that clients may send back. */
export const tagName = (description: string) =>
  Type.String({ minLength: 1, maxLength: 256, pattern: '^\\S(.*\\S)?$', description });

export const timeOf = (description: string) =>
  Type.Integer({ minimum: 0, maximum: latestTime, description: `${description} Epoch milliseconds.` });

const warning = closedObject(
  { path: Type.String(), message: Type.String() },
  { description: 'What was saved and may surprise.' },
);

export const warnings = Type.Array(warning);

/** The version, package and time zone of an app, as sent in its headers. */
export const appParameters = {
  appVersion: Type.Optional(
    Type.String({ maxLength: 256, description: 'The app version, as in header app_version.' }),
  ),
  packageName: Type.Optional(
    Type.String({ maxLength: 256, description: 'The app package, as in header package_name.' }),
  ),
  timeZone: Type.Optional(
    Type.String({ maxLength: 64, description: 'The time zone of the app, as in header tz.' }),
  ),
};

export const appOf = (input: { readonly appVersion?: string; readonly packageName?: string }) => ({
  appVersion: input.appVersion || null,
  packageName: input.packageName || null,
});

export const descriptionParameter = (description: string) =>
  Type.Optional(Type.String({ maxLength: 20_000, description }));

/** The fields that an edit sets to null. */
export const clearParameter = <const F extends readonly string[]>(fields: F) =>
  Type.Optional(
    Type.Array(words(fields, { description: 'A field to set to null.' }), {
      maxItems: fields.length,
      uniqueItems: true,
      description: `Fields to set to null: ${fields.join(', ')}.`,
    }),
  );

/**
 * Compare-and-set: an edit must be based on the newest version.
 * @param record names it in the error, e.g. `CTA "7"`.
 * @param tool reads it.
 * @throws Fault CONFLICT.
 */
export function requireVersion(record: string, tool: string, newest: number, version: number): void {
  if (newest === version) return;
  throw fail.CONFLICT(`${record} is at version ${newest}, not ${version}.`, {
    cause: 'version',
    tip: `Use ${tool} to read the newest version, and repeat the change on it.`,
  });
}

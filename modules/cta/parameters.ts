import { Type, type TSchema } from '@sinclair/typebox';
import { recordId, words } from '../../core/schema.ts';
import { ctaStatuses } from './lifecycle.ts';
import { RuleInput } from './rule.ts';

/** Parameters and records that the tools of this toolset share. Times are epoch milliseconds, as clients get them. */
export const toolset = 'cta';
export const closed = { additionalProperties: false } as const;

const latestTime = 8_640_000_000_000_000;

export const tenantParameter = Type.Optional(
  Type.String({
    pattern: '^[A-Za-z0-9._:-]{1,128}$',
    default: 'default',
    description: 'The tenant, as clients name it in x-tenant-id.',
  }),
);
export const tenantOf = ({ tenantId = 'default' }: { tenantId?: string }) => tenantId;

export const ownerParameter = Type.Optional(
  recordId(
    'The organization that gets a new tenant, if you may write in several; the first of yours unless given.',
  ),
);

/** Clients know a CTA by the text of its number. */
export const ctaIdParameter = Type.String({
  pattern: '^[1-9][0-9]{0,14}$',
  description: 'The CTA, e.g. "7"; list-ctas lists them.',
});

export const statusWord = (description: string) => words(ctaStatuses, { description });

/** A name that is not blank. It is stored without the space around it. */
export const nameText = (description: string) =>
  Type.String({ minLength: 1, maxLength: 255, pattern: '\\S', description });

/** As {@link nameText}, within what clients may send back. */
export const tagName = (description: string) =>
  Type.String({ minLength: 1, maxLength: 256, pattern: '^\\S(.*\\S)?$', description });

export const timeOf = (description: string) =>
  Type.Integer({ minimum: 0, maximum: latestTime, description: `${description} Epoch milliseconds.` });

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const warning = Type.Object(
  { path: Type.String(), problem: Type.String() },
  { ...closed, description: 'What was saved and yet may surprise.' },
);
export const warnings = Type.Array(warning);

const slimFields = {
  ctaId: Type.String(),
  tenantId: Type.String(),
  name: Type.String(),
  tags: Type.Array(Type.String()),
  team: nullable(Type.String()),
  status: statusWord('DRAFT at first; set-cta-status moves it on.'),
  startTime: nullable(Type.Integer()),
  endTime: nullable(Type.Integer()),
  behaviourTagName: nullable(Type.String()),
  version: Type.Integer(),
  createdBy: Type.Integer(),
  createdAt: Type.Integer(),
  updatedAt: Type.Integer(),
};

/** A CTA as lists show it. */
export const slimCtaRecord = Type.Object(slimFields, closed);

const wholeFields = { ...slimFields, description: Type.String(), rule: RuleInput };
export const ctaRecord = Type.Object(wholeFields, closed);
export const savedCtaRecord = Type.Object({ ...wholeFields, warnings }, closed);

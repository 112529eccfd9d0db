import { catalogue, type FaultKind } from '../../core/errors.ts';

export const ctaErrors = {
  TENANT_NOT_FOUND: {
    status: 404,
    tip: 'A tenant is made by the first create-cta, create-behaviour-tag or create-nudge-preview that names it.',
  },
  TENANT_OF_OTHER_ORGANIZATION: {
    status: 409,
    tip: 'Leave out orgId: a tenant stays with the organization that first wrote to it.',
  },
  CTA_NOT_FOUND: { status: 404, tip: 'Use list-ctas to see the CTAs of a tenant.' },
  INVALID_RULE: {
    status: 400,
    tip: 'Repair the named places of the rule and run create-cta again; nothing was saved.',
  },
  INVALID_PERIOD: { status: 400, tip: 'Give startTime and endTime in epoch milliseconds, the end later.' },
  ILLEGAL_STATUS_CHANGE: {
    status: 409,
    tip: 'Use get-cta to see status, startTime and endTime, then set-cta-status with a status that is named here.',
  },
  BEHAVIOUR_TAG_NOT_FOUND: {
    status: 404,
    tip: 'Make the behaviour tag with create-behaviour-tag first, or leave out behaviourTagName.',
  },
  BEHAVIOUR_TAG_EXISTS: {
    status: 409,
    tip: 'Use another behaviourTagName, or name the existing one in create-cta.',
  },
  INVALID_RELATION: {
    status: 400,
    tip: 'Use shownCta ANY with hideCta REST, or LIST with LIST and the ctaIds in both; or leave out ctaRelation.',
  },
  PREVIEW_EXISTS: {
    status: 409,
    tip: 'Leave out id to get a fresh one from create-nudge-preview, or use another.',
  },
} as const satisfies Record<string, FaultKind>;

export const refuse = catalogue(ctaErrors);

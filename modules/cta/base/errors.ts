import { coreErrors, defineErrors, type FaultKind } from '../../../core/base/errors.ts';

export const ctaErrors = {
  TENANT_NOT_FOUND: {
    status: 404,
    tip: 'Have an administrator create the tenant with create-tenant, or with the first create-cta that names it.',
  },
  TENANT_EXISTS: { status: 409, tip: 'Use another tenantId with create-tenant.' },
  TENANT_OF_OTHER_ORGANIZATION: {
    status: 409,
    tip: 'Leave out orgId: a tenant stays with its organization.',
  },
  CTA_NOT_FOUND: { status: 404, tip: 'Use list-ctas to see the CTAs of a tenant.' },
  CTA_VERSION_NOT_FOUND: { status: 404, tip: 'Use list-cta-versions to see the versions of a CTA.' },
  CTA_NOT_EDITABLE: {
    status: 409,
    tip: 'Pause a LIVE CTA with set-cta-status PAUSED, change a SCHEDULED one back to DRAFT, or copy an ended one with clone-cta.',
  },
  INVALID_RULE: {
    status: 400,
    tip: 'Correct the named paths of the rule and send it again; nothing was saved.',
  },
  INVALID_EXPERIMENT: {
    status: 400,
    tip: 'Correct the named paths of the experiment and send it again; nothing was saved.',
  },
  EXPERIMENT_RUNNING: {
    status: 409,
    tip: 'Only coverage may grow while an experiment runs. Use stop-experiment first, or clone-cta.',
  },
  EXPERIMENT_NOT_RUNNING: {
    status: 409,
    tip: 'Give the CTA an experiment with update-cta, with another key or seed if it had one, and use start-experiment.',
  },
  EXPERIMENT_OVERLAPS: {
    status: 409,
    tip: 'Stop the experiment of the CTA named in the message with stop-experiment, or use another behaviour tag.',
  },
  HOLDOUT_NOT_FOUND: {
    status: 404,
    tip: 'Use list-holdouts to see the holdouts of a tenant, or create-holdout.',
  },
  HOLDOUT_EXISTS: {
    status: 409,
    tip: 'Use another name, or delete-holdout first: users of a holdout never change.',
  },
  HOLDOUT_IN_USE: { status: 409, tip: 'Use stop-experiment on the CTAs named in the message first.' },
  INVALID_PERIOD: {
    status: 400,
    tip: 'Give startTime and endTime in epoch milliseconds; endTime must be later.',
  },
  SIMULATION_TOO_LARGE: { status: 400, tip: 'Simulate fewer steps at once, or name fewer CTAs in ctaIds.' },
  RULES_TOO_LARGE: {
    status: 400,
    tip: 'Name fewer CTAs in each call of link-behaviour-tag or unlink-behaviour-tag.',
  },
  ILLEGAL_STATUS_CHANGE: {
    status: 409,
    tip: 'Use get-cta to see status, startTime and endTime, then set-cta-status with a status that is named in the message.',
  },
  BEHAVIOUR_TAG_NOT_FOUND: {
    status: 404,
    tip: 'Use list-behaviour-tags to see the behaviour tags of a tenant, or create-behaviour-tag.',
  },
  BEHAVIOUR_TAG_EXISTS: {
    status: 409,
    tip: 'Use another behaviourTagName, or name the existing one in create-cta.',
  },
  BEHAVIOUR_TAG_IN_USE: {
    status: 409,
    tip: 'Use unlink-behaviour-tag on the CTAs named in the message, then delete-behaviour-tag again.',
  },
  INVALID_RELATION: {
    status: 400,
    tip: 'Use shownCta ANY with hideCta REST, or LIST with LIST and the ctaIds in both; or leave out ctaRelation.',
  },
  PREVIEW_NOT_FOUND: { status: 404, tip: 'Use list-nudge-previews to see the previews of a tenant.' },
  PREVIEW_EXISTS: {
    status: 409,
    tip: 'Leave out id so that create-nudge-preview makes one, or use another id.',
  },
  COHORT_NOT_FOUND: { status: 404, tip: 'Use list-cohorts to see the cohorts of a tenant.' },
  COHORT_EXISTS: {
    status: 409,
    tip: 'Use another cohortName, or add-cohort-users and update-cohort to change the existing one.',
  },
  COHORT_IN_USE: {
    status: 409,
    tip: 'Remove the cohort from the rules of the CTAs named in the message with update-cta, or end them with set-cta-status.',
  },
  COHORT_FULL: {
    status: 409,
    tip: 'Create a second cohort with create-cohort and name both in includes, or use a percentage or attributes cohort.',
  },
  INVALID_COHORT: {
    status: 400,
    tip: 'Give userIds for kind list, percentage (and seed) for percentage, filters for attributes, and no parameter of another kind.',
  },
  GOAL_NOT_FOUND: { status: 404, tip: 'Use list-cta-goals to see the goals of a CTA.' },
  GOAL_EXISTS: { status: 409, tip: 'Use another name, or delete-cta-goal first.' },
  TOO_MANY_GOALS: { status: 409, tip: 'Delete a goal that is no longer needed with delete-cta-goal.' },
} as const satisfies Record<string, FaultKind>;

/** Creates the errors of this module and those of core: `throw fail.CTA_NOT_FOUND('There is no CTA "7".')`. */
export const fail = defineErrors({ ...coreErrors, ...ctaErrors });

import { t } from '../texts/text.ts';
import { labelOf, withLabels, type LabelOf } from './parameter-words.ts';

/** The error of a server. */
interface Refused {
  readonly code: string;
  readonly causeWord?: string | undefined;
  readonly message: string;
  readonly tip?: string | undefined;
}

/** What a person can do about it in the console, where the tip of the server is for a program or a shell. */
const remedies: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: t('Sign in again.'),
  FORBIDDEN: t('Ask an administrator of the organization for a role that allows this.'),
  READ_ONLY: t('This server or your sign-in allows only reading.'),
  UNKNOWN_TOOL: t('Whoever runs it may offer only some of its features, or only reading.'),
  ORGANIZATION_NOT_FOUND: t('Choose one of your organizations.'),
  USER_NOT_FOUND: t('The page People lists everybody.'),
  NOTHING_TO_UPDATE: t('Change something first.'),
  CONFLICT: t('Load the page again and repeat your change on what is there now.'),
  PAYLOAD_TOO_LARGE: t('Use a smaller file, or several.'),
  ANSWER_TOO_LARGE: t('Narrow what you ask for.'),
  RATE_LIMITED: t('Wait a minute and try again.'),
  INTERNAL: t('Tell whoever runs this server when it happened.'),
  DATABASE_BUSY: t('Try again in a moment.'),
  STORAGE_FAILED: t('Tell whoever runs this server: its disk or its database has a problem.'),
  SERVER_BUSY: t('Try again in a moment.'),
  NOT_READY: t('Tell whoever runs this server.'),
  STANDBY: t('Open the console of the server that this one follows.'),
  FENCED: t('Open the console of the server that has taken over.'),
  LETTERS_OFF: t('Hand the link over yourself.'),
  LAST_ADMIN: t('Make another person an administrator first.'),
  UNKNOWN_TOKEN: t('It may have been revoked already: load the page again.'),
  INVITATION_NOT_FOUND: t('It may have been used or revoked already: load the page again.'),
  INVALID_INVITATION: t('Ask an administrator for a new invitation.'),
  TENANT_NOT_FOUND: t('An administrator creates it with "New tenant" on the page CTAs.'),
  TENANT_EXISTS: t('Choose another id.'),
  CTA_NOT_FOUND: t('The page CTAs lists those of a tenant.'),
  CTA_VERSION_NOT_FOUND: t('The tab Versions lists them.'),
  CTA_NOT_EDITABLE: t('Pause it first, or copy it.'),
  INVALID_EXPERIMENT: t('Repair the named parts of the experiment; nothing was saved.'),
  GOAL_NOT_FOUND: t('It may have been deleted: load the page again.'),
  GOAL_EXISTS: t('Choose another name.'),
  TOO_MANY_GOALS: t('Delete one that is no longer needed.'),
  INVALID_PERIOD: t('Set a start and a later end.'),
  RULES_TOO_LARGE: t('Change fewer CTAs at once.'),
  SIMULATION_TOO_LARGE: t('Simulate fewer steps or fewer CTAs at once.'),
  ILLEGAL_STATUS_CHANGE: t('The menu of the CTA offers the changes that are possible now.'),
  BEHAVIOUR_TAG_NOT_FOUND: t('Create it on the page Behaviour tags first.'),
  BEHAVIOUR_TAG_EXISTS: t('Choose another name.'),
  BEHAVIOUR_TAG_IN_USE: t('Take it from these CTAs first.'),
  INVALID_RELATION: t('Choose both sides of the relation again.'),
  PREVIEW_NOT_FOUND: t('It may have expired: load the page again.'),
  PREVIEW_EXISTS: t('Choose another id.'),
  COHORT_NOT_FOUND: t('The page Cohorts lists those of a tenant.'),
  COHORT_EXISTS: t('Choose another name.'),
  COHORT_IN_USE: t('Take it out of the rules of these CTAs first.'),
  COHORT_FULL: t('Create a second cohort, or use a percentage or attributes.'),
  PROJECT_NOT_FOUND: t('It may have been removed, or you may not see it.'),
  TEST_NOT_FOUND: t('It may have been deleted: find deleted tests with is:deleted.'),
  RUN_NOT_FOUND: t('It may have been deleted.'),
  SECTION_NOT_FOUND: t('It may have been deleted: load the page again.'),
  NOT_IN_PROJECT: t('It may have been deleted, or it belongs to another project.'),
  NOT_IN_RUN: t('Somebody may have removed it: load the page again.'),
  PROJECT_INACTIVE: t('An administrator activates it on the page Project settings.'),
  RESULT_CHANGED: t('Look at the new result, then decide.'),
  TEST_CHANGED: t('Look at what is stored now, then decide.'),
  REVIEW_REQUIRED: t('Changes of tests of this project are proposed first, and somebody else approves them.'),
  REVIEW_NOT_FOUND: t('The page Reviews lists those of a project.'),
  REVIEW_CHANGED: t('Look at what is proposed now, then decide.'),
  REVIEW_CLOSED: t('It was merged or declined already.'),
  REVIEW_NOT_APPROVED: t('Somebody else approves it first.'),
  REVIEW_VERDICT_REFUSED: t('Ask one of its reviewers.'),
  TOO_MANY_REVIEWS: t('Merge or decline proposals that are open.'),
  VERSION_NOT_FOUND: t('It is not kept: choose another version.'),
  ACTIVITY_NOT_FOUND: t('Load the page again.'),
  ACTIVITY_NOT_UNDOABLE: t('Go back to an earlier version of single tests instead.'),
  ACTIVITY_OVERTAKEN: t(
    'Take back the later writes first, or go back to an earlier version of single tests.',
  ),
  RUN_LOCKED: t('An administrator can unlock it.'),
  SECTION_EXISTS: t('Choose another name.'),
  SECTION_CYCLE: t('Choose a place outside of it.'),
  SECTION_TOO_DEEP: t('Choose a place higher up.'),
  IMPORT_UNREADABLE: t('Choose a file that was exported here, or CSV with a column "Title".'),
  IMPORT_FAULTY: t('Repair these rows in the file and choose it again.'),
  VIEW_NOT_FOUND: t('It may have been deleted already: load the page again.'),
  VIEW_EXISTS: t('Choose another name.'),
  TOO_MANY_VIEWS: t('Delete some that are no longer needed.'),
  LINK_NOT_FOUND: t('It may have been removed already: load the page again.'),
  TOO_MANY_LINKS: t('Remove other links first.'),
  QUARANTINE_FULL: t('End the quarantine of tests that are well again first.'),
  MILESTONE_NOT_FOUND: t('It may have been deleted: load the page again.'),
  MILESTONE_EXISTS: t('Choose another name.'),
  MILESTONE_CLOSED: t('Open it again on the page Milestones, or choose another one.'),
  PLAN_NOT_FOUND: t('The page Plans and workload lists those of a project.'),
  PLAN_TOO_LARGE: t('Take fewer configurations or fewer tests.'),
  CONFIGURATION_GROUP_NOT_FOUND: t('It may have been deleted: load the page again.'),
  CONFIGURATION_GROUP_EXISTS: t('Choose another name.'),
  NOT_A_MEMBER: t('Choose a member of the organization.'),
  PROJECT_FULL: t('Use names that exist already.'),
  METADATA_EXISTS: t('Choose another name, or merge the two.'),
  TOO_MANY_TESTS: t('Narrow the search and do it in parts.'),
  TOO_MANY_LABELS: t('Take other labels away first.'),
  STEPS_TOO_LONG: t('Make several shorter tests of it.'),
  INVALID_QUERY: t('Write terms as label:smoke, or plain words.'),
  QUERY_TOO_EXPENSIVE: t('Add a condition that few tests fit, such as a section, or use fewer words.'),
  SECTION_NOT_EMPTY: t('Move or delete what is in it first.'),
  EXPERIMENT_RUNNING: t('Stop its experiment first.'),
  EXPERIMENT_NOT_RUNNING: t('Load the page again.'),
  HOLDOUT_NOT_FOUND: t('It may have been deleted: load the page again.'),
  HOLDOUT_EXISTS: t('Choose another name.'),
  EXPERIMENT_OVERLAPS: t('Stop the other experiment first, or wait for its end.'),
  HOLDOUT_IN_USE: t('Stop the experiments of these CTAs first.'),
  BACKUP_NOT_HERE: t('Back up PostgreSQL with its own tools, and the master key beside it.'),
  BACKUP_TOO_LARGE: t('Whoever runs this server makes the backup on it.'),
  BACKUP_FAILED: t('Tell whoever runs this server.'),
};

/** By code and cause, where the code alone says too little. */
const remediesOfCauses: Readonly<Record<string, string>> = {
  'TEST_NOT_FOUND tests': t('Clear the selection and tick the others again.'),
  'TEST_NOT_FOUND testIds': t('Find deleted tests with is:deleted.'),
  'NOT_IN_PROJECT tests': t('Choose something else.'),
  'NOT_IN_PROJECT testIds': t('Clear the selection and tick the others again.'),
  'TEST_NOT_FOUND deleted': t('Restore it to go on.'),
  'RUN_NOT_FOUND deleted': t('Restore it to go on.'),
  'FORBIDDEN recent_sign_in': t('Sign out and sign in again first.'),
};

/** By code and cause, what a person reads instead of a sentence that names statuses, ids and parameters as programs do. */
const sayings: Readonly<Record<string, string>> = {
  'TEST_NOT_FOUND tests': t('Some of these tests are deleted by now. Nothing was written.'),
  'TEST_NOT_FOUND testIds': t('Some of these tests are deleted by now. Nothing was written.'),
  'NOT_IN_PROJECT testIds': t('Some of these tests are deleted by now. Nothing was written.'),
  'NOT_IN_PROJECT tests': t('What you chose was deleted meanwhile. Nothing was written.'),
  'NOT_IN_RUN testResults': t('The test is not in the run any more. Nothing was stored.'),
  'CTA_NOT_EDITABLE status': t('The CTA is live, scheduled or ended by now, and cannot be edited.'),
  'ILLEGAL_STATUS_CHANGE status': t('The CTA has another status by now.'),
  'ILLEGAL_STATUS_CHANGE startTime': t('A CTA is scheduled before its start, and made live after it.'),
  'ILLEGAL_STATUS_CHANGE endTime': t('The end of the CTA has passed.'),
};

/** A tool (`get-tests`, `run-lock`), a flag or a command, which mean nothing to a person in the console. */
const ofTools =
  /\b(?:accept|add|assign|bulk|change|clone|close|compare|count|create|define|delete|download|edit|end|erase|explain|export|find|follow|get|import|ingest|invite|link|list|lock|merge|move|propose|pull|purge|push|remove|reset|restore|revert|review|revoke|run|save|set|simulate|start|stop|triage|undo|unlink|unlock|update|upload)-[a-z][a-z-]*\b|--[a-z]|\btrivet [a-z]/;
/** Parameters and paths in a tip of the server. Messages keep them, e.g. the place in a rule. */
const ofPrograms = /\b[a-z][a-z0-9]*[A-Z]\w*|\brequest\b|\bGET \/|\bPOST \/|\bdocs\/|openapi|\bHTTP\b/;

/** The parameter name means nothing to a person who sees the form. */
const prefix = /^Invalid arguments for [\w-]+: /;

/** The sentences of a text without any of these words. */
const without = (text: string, ...words: readonly RegExp[]): string =>
  text
    .split(/(?<=[.!?])\s+(?=[A-Z"“])/)
    .filter((sentence) => !words.some((some) => some.test(sentence)))
    .join(' ');

/**
 * What went wrong and what to do about it, in sentences for a person.
 * @param label of a parameter in the forms of the console.
 */
export function refusalText(
  { code, causeWord, message, tip = '' }: Refused,
  label: LabelOf = labelOf(() => undefined),
): string {
  const advice = without(tip, ofTools, ofPrograms);
  // The content matters more than the wording: a message that only names a tool stays.
  const plain = withLabels(message.replace(prefix, ''), label);
  const said =
    sayings[`${code} ${causeWord}`] ??
    (code === 'UNKNOWN_TOOL' ? t('This server does not offer this.') : without(plain, ofTools) || message);
  const remedy =
    remediesOfCauses[`${code} ${causeWord}`] ??
    (Object.hasOwn(remedies, code) ? remedies[code] : undefined) ??
    advice;
  return [said, remedy].filter((part) => part !== '').join(' ');
}

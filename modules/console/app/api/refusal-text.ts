/** The error of a server. */
interface Refused {
  readonly code: string;
  readonly message: string;
  readonly tip?: string | undefined;
}

/** What a person can do about it in the console, where the tip of the server is for a program or a shell. */
const remedies: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: 'Sign in again.',
  FORBIDDEN: 'Ask an administrator of the organization for a role that allows this.',
  READ_ONLY: 'This server or your sign-in allows only reading.',
  ORGANIZATION_NOT_FOUND: 'Choose one of your organizations.',
  USER_NOT_FOUND: 'The page People lists everybody.',
  NOTHING_TO_UPDATE: 'Change something first.',
  CONFLICT: 'Load the page again and repeat your change on what is there now.',
  PAYLOAD_TOO_LARGE: 'Use a smaller file, or several.',
  ANSWER_TOO_LARGE: 'Narrow what you ask for.',
  RATE_LIMITED: 'Wait a minute and try again.',
  INTERNAL: 'Tell whoever runs this server when it happened.',
  DATABASE_BUSY: 'Try again in a moment.',
  STORAGE_FAILED: 'Tell whoever runs this server: its disk or its database has a problem.',
  SERVER_BUSY: 'Try again in a moment.',
  NOT_READY: 'Tell whoever runs this server.',
  STANDBY: 'Open the console of the server that this one follows.',
  FENCED: 'Open the console of the server that has taken over.',
  LETTERS_OFF: 'Hand the link over yourself.',
  LAST_ADMIN: 'Make another person an administrator first.',
  UNKNOWN_TOKEN: 'It may have been revoked already: load the page again.',
  INVITATION_NOT_FOUND: 'It may have been used or revoked already: load the page again.',
  INVALID_INVITATION: 'Ask an administrator for a new invitation.',
  TENANT_NOT_FOUND: 'An administrator creates it with "New tenant" on the page CTAs.',
  TENANT_EXISTS: 'Choose another id.',
  CTA_NOT_FOUND: 'The page CTAs lists those of a tenant.',
  CTA_VERSION_NOT_FOUND: 'The tab Versions lists them.',
  CTA_NOT_EDITABLE: 'Pause it first, or copy it.',
  INVALID_EXPERIMENT: 'Repair the named parts of the experiment; nothing was saved.',
  GOAL_NOT_FOUND: 'It may have been deleted: load the page again.',
  GOAL_EXISTS: 'Choose another name.',
  TOO_MANY_GOALS: 'Delete one that is no longer needed.',
  INVALID_PERIOD: 'Set a start and a later end.',
  RULES_TOO_LARGE: 'Change fewer CTAs at once.',
  SIMULATION_TOO_LARGE: 'Simulate fewer steps or fewer CTAs at once.',
  ILLEGAL_STATUS_CHANGE: 'The menu of the CTA offers the changes that are possible now.',
  BEHAVIOUR_TAG_NOT_FOUND: 'Create it on the page Behaviour tags first.',
  BEHAVIOUR_TAG_EXISTS: 'Choose another name.',
  BEHAVIOUR_TAG_IN_USE: 'Take it from these CTAs first.',
  INVALID_RELATION: 'Choose both sides of the relation again.',
  PREVIEW_NOT_FOUND: 'It may have expired: load the page again.',
  PREVIEW_EXISTS: 'Choose another id.',
  COHORT_NOT_FOUND: 'The page Cohorts lists those of a tenant.',
  COHORT_EXISTS: 'Choose another name.',
  COHORT_IN_USE: 'Take it out of the rules of these CTAs first.',
  COHORT_FULL: 'Create a second cohort, or use a percentage or attributes.',
  PROJECT_NOT_FOUND: 'It may have been removed, or you may not see it.',
  TEST_NOT_FOUND: 'It may have been deleted: find deleted tests with is:deleted.',
  RUN_NOT_FOUND: 'It may have been deleted.',
  SECTION_NOT_FOUND: 'It may have been deleted: load the page again.',
  NOT_IN_PROJECT: 'Load the page again.',
  NOT_IN_RUN: 'Somebody may have removed it: load the page again.',
  PROJECT_INACTIVE: 'An administrator activates it on the page Project settings.',
  RESULT_CHANGED: 'Look at the new result, then decide.',
  TEST_CHANGED: 'Look at what is stored now, then decide.',
  REVIEW_REQUIRED: 'Changes of tests of this project are proposed first, and somebody else approves them.',
  REVIEW_NOT_FOUND: 'Load the page again.',
  REVIEW_CHANGED: 'Look at what is proposed now, then decide.',
  REVIEW_CLOSED: 'It was merged or declined already.',
  REVIEW_NOT_APPROVED: 'Somebody else approves it first.',
  REVIEW_VERDICT_REFUSED: 'Ask one of its reviewers.',
  TOO_MANY_REVIEWS: 'Merge or decline proposals that are open.',
  VERSION_NOT_FOUND: 'It is not kept: choose another version.',
  ACTIVITY_NOT_FOUND: 'Load the page again.',
  ACTIVITY_NOT_UNDOABLE: 'Go back to an earlier version of single tests instead.',
  ACTIVITY_OVERTAKEN: 'Take back the later writes first, or go back to an earlier version of single tests.',
  RUN_LOCKED: 'An administrator can unlock it.',
  SECTION_EXISTS: 'Choose another name.',
  SECTION_CYCLE: 'Choose a place outside of it.',
  SECTION_TOO_DEEP: 'Choose a place higher up.',
  IMPORT_UNREADABLE: 'Choose a file that was exported here, or CSV with a column "Title".',
  IMPORT_FAULTY: 'Repair these rows in the file and choose it again.',
  VIEW_NOT_FOUND: 'It may have been deleted already: load the page again.',
  VIEW_EXISTS: 'Choose another name.',
  TOO_MANY_VIEWS: 'Delete some that are no longer needed.',
  LINK_NOT_FOUND: 'It may have been removed already: load the page again.',
  TOO_MANY_LINKS: 'Remove other links first.',
  QUARANTINE_FULL: 'End the quarantine of tests that are well again first.',
  MILESTONE_NOT_FOUND: 'It may have been deleted: load the page again.',
  MILESTONE_EXISTS: 'Choose another name.',
  MILESTONE_CLOSED: 'Open it again on the page Milestones, or choose another one.',
  PLAN_NOT_FOUND: 'Load the page again.',
  PLAN_TOO_LARGE: 'Take fewer configurations or fewer tests.',
  CONFIGURATION_GROUP_NOT_FOUND: 'It may have been deleted: load the page again.',
  CONFIGURATION_GROUP_EXISTS: 'Choose another name.',
  NOT_A_MEMBER: 'Choose a member of the organization.',
  PROJECT_FULL: 'Use names that exist already.',
  METADATA_EXISTS: 'Choose another name, or merge the two.',
  TOO_MANY_TESTS: 'Narrow the search and do it in parts.',
  TOO_MANY_LABELS: 'Take other labels away first.',
  STEPS_TOO_LONG: 'Make several shorter tests of it.',
  INVALID_QUERY: 'Write terms as label:smoke, or plain words.',
  QUERY_TOO_EXPENSIVE: 'Add a condition that few tests fit, such as a section, or use fewer words.',
  SECTION_NOT_EMPTY: 'Move or delete what is in it first.',
  EXPERIMENT_RUNNING: 'Stop its experiment first.',
  EXPERIMENT_NOT_RUNNING: 'Load the page again.',
  HOLDOUT_NOT_FOUND: 'It may have been deleted: load the page again.',
  HOLDOUT_EXISTS: 'Choose another name.',
  EXPERIMENT_OVERLAPS: 'Stop the other experiment first, or wait for its end.',
  HOLDOUT_IN_USE: 'Stop the experiments of these CTAs first.',
  BACKUP_NOT_HERE: 'Back up PostgreSQL with its own tools, and the master key beside it.',
  BACKUP_TOO_LARGE: 'Whoever runs this server makes the backup on it.',
  BACKUP_FAILED: 'Tell whoever runs this server.',
};

/** A tool (`get-tests`, `run-lock`), a flag or a command, which mean nothing to a person in the console. */
const ofTools =
  /\b(?:accept|add|assign|bulk|change|clone|close|compare|count|create|define|delete|download|edit|end|erase|explain|export|find|follow|get|import|ingest|invite|link|list|lock|merge|move|propose|pull|purge|push|remove|reset|restore|revert|review|revoke|run|save|set|simulate|start|stop|triage|undo|unlink|unlock|update|upload)-[a-z][a-z-]*\b|--[a-z]|\btrivet [a-z]/;
/** Parameters and paths in a tip of the server. Messages keep them, e.g. the place in a rule. */
const ofPrograms = /\b[a-z][a-z0-9]*[A-Z]\w*|\bGET \/|\bPOST \/|\bdocs\/|openapi|\bHTTP\b/;

/** The parameter name means nothing to a person who sees the form. */
const prefix = /^Invalid arguments for [\w-]+: /;

/** The sentences of a text without any of these words. */
const without = (text: string, ...words: readonly RegExp[]): string =>
  text
    .split(/(?<=[.!?])\s+(?=[A-Z"“])/)
    .filter((sentence) => !words.some((some) => some.test(sentence)))
    .join(' ');

/** What went wrong and what to do about it, in sentences for a person. */
export function refusalText({ code, message, tip = '' }: Refused): string {
  const advice = without(tip, ofTools, ofPrograms);
  // The content matters more than the wording: a message that only names a tool stays.
  const said = without(message.replace(prefix, ''), ofTools) || message;
  const remedy = (Object.hasOwn(remedies, code) ? remedies[code] : undefined) ?? advice;
  return [said, remedy].filter((part) => part !== '').join(' ');
}

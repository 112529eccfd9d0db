import type { Output, ToolName } from './calls.ts';
import { titleOfField } from './parameter-words.ts';
import { t, wordIn } from '../texts/text.ts';

/** What each writing tool has done, as a phrase after a name: "Ada created a test". */
export const operationWords: Partial<Readonly<Record<ToolName, string>>> = {
  'create-organization': t('created an organization'),
  'remove-member': t('removed a member'),
  'merge-users': t('merged two accounts'),
  'erase-user': t('erased a user'),
  'set-user-claims': t('set claims of a user'),
  'invite-user': t('invited somebody'),
  'revoke-invitation': t('revoked an invitation'),
  'accept-invitation': t('accepted an invitation'),
  'set-letter-setting': t('switched letters on or off'),
  'revoke-session': t('ended a session'),
  'create-access-token': t('created a token'),
  'revoke-access-token': t('revoked a token'),
  'set-user-status': t('disabled or enabled a user'),
  'set-user-role': t('changed a role'),
  'create-tenant': t('created a tenant'),
  'create-cta': t('created a CTA'),
  'update-cta': t('changed a CTA'),
  'clone-cta': t('copied a CTA'),
  'define-cta-goal': t('defined a goal of a CTA'),
  'delete-cta-goal': t('deleted a goal of a CTA'),
  'set-cta-status': t('changed the status of a CTA'),
  'revert-cta': t('reverted a CTA'),
  'start-experiment': t('started an experiment'),
  'stop-experiment': t('stopped an experiment'),
  'create-holdout': t('created a holdout'),
  'delete-holdout': t('deleted a holdout'),
  'set-delivery-limits': t('changed the limits across all CTAs'),
  'create-behaviour-tag': t('created a behaviour tag'),
  'update-behaviour-tag': t('changed a behaviour tag'),
  'delete-behaviour-tag': t('deleted a behaviour tag'),
  'link-behaviour-tag': t('put CTAs under a behaviour tag'),
  'unlink-behaviour-tag': t('took CTAs from a behaviour tag'),
  'create-cohort': t('created a cohort'),
  'update-cohort': t('changed a cohort'),
  'delete-cohort': t('deleted a cohort'),
  'add-cohort-users': t('added users to a cohort'),
  'remove-cohort-users': t('removed users from a cohort'),
  'set-user-attributes': t('stored attributes of users'),
  'purge-cta-user': t('erased what CTAs store of a user'),
  'set-cta-kill-switch': t('used a kill switch'),
  'create-nudge-preview': t('created a preview'),
  'update-nudge-preview': t('changed a preview'),
  'delete-nudge-preview': t('deleted a preview'),
  'create-project': t('created a project'),
  'edit-project': t('changed a project'),
  'update-project-status': t('activated or deactivated a project'),
  'create-test': t('created a test'),
  'update-test': t('changed a test'),
  'revert-test': t('went back to a version of a test'),
  'undo-activity': t('took back a write'),
  'propose-test-change': t('proposed a change of a test'),
  'review-test-change': t('decided on a proposed change'),
  'merge-test-change': t('merged a proposed change'),
  'delete-test': t('deleted a test'),
  'bulk-add-tests': t('created several tests'),
  'bulk-update-tests': t('changed several tests'),
  'bulk-delete-tests': t('deleted several tests'),
  'create-run': t('created a run'),
  'edit-run': t('changed a run'),
  'delete-run': t('deleted a run'),
  'run-update-test-status': t('reported results'),
  'create-share-link': t('shared a report by a link'),
  'revoke-share-link': t('ended a link to a report'),
  'save-view': t('saved a query under a name'),
  'delete-view': t('deleted a saved query'),
  'add-attachment': t('attached a file'),
  'delete-attachment': t('deleted an attachment'),
  'add-links': t('added links'),
  'remove-links': t('removed links'),
  'set-quarantine': t('put tests into quarantine'),
  'end-quarantine': t('ended a quarantine'),
  'create-field': t('created a field'),
  'edit-field': t('changed a field'),
  'delete-field': t('deleted a field'),
  'follow-project': t('followed a project, or no more'),
  'create-milestone': t('created a milestone'),
  'edit-milestone': t('changed a milestone'),
  'close-milestone': t('closed a milestone'),
  'delete-milestone': t('deleted a milestone'),
  'assign-tests': t('assigned tests of a run'),
  'create-configuration-group': t('created a configuration group'),
  'edit-configuration-group': t('changed a configuration group'),
  'delete-configuration-group': t('deleted a configuration group'),
  'create-plan': t('created a plan'),
  'close-plan': t('closed a plan'),
  'run-lock': t('locked a run'),
  'run-reset': t('reset a run'),
  'run-remove-tests': t('removed tests from a run'),
  'add-labels': t('added labels'),
  'add-squads': t('added squads'),
  'add-section': t('added a section'),
  'edit-section': t('renamed a section'),
  'unlock-run': t('unlocked a run'),
  'restore-run': t('restored a run'),
  'add-tests-to-run': t('added tests to a run'),
  'restore-test': t('restored a test'),
  'restore-tests': t('restored several tests'),
  'delete-section': t('deleted a section'),
  'move-section': t('moved a section'),
  'import-tests': t('imported tests'),
  'push-tests': t('pushed tests from files'),
  'create-run-from-query': t('created a run of a query'),
  'change-tests': t('changed the tests of a query'),
  'delete-tests-by-query': t('deleted the tests of a query'),
  'add-classification': t('added values of a classification'),
  'edit-metadata': t('renamed a label, squad or value'),
  'merge-metadata': t('merged two labels, squads or values'),
  'delete-metadata': t('deleted a label, squad or value'),
  'ingest-results': t('uploaded results of a pipeline'),
  'merge-tests': t('merged two tests'),
  'accept-rename': t('accepted the new name of an automated test'),
};

const words: Readonly<Record<string, string | undefined>> = operationWords;

/** e.g. "changed a test"; for a tool of a plugin, its name without hyphens. */
export const operationText = (operation: string): string =>
  (Object.hasOwn(words, operation) ? words[operation] : undefined) ??
  t('used {operation}', { operation: operation.replaceAll('-', ' ') });

export const valueText = (value: unknown): string =>
  value === undefined || value === null || value === ''
    ? t('nothing')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

type Change = Output<'list-activity'>['activities'][number]['changes'][number];

/** e.g. "Priority: Low → High". */
export const changeText = ({ field, from, to, count }: Change): string => {
  const title = titleOfField(field);
  return count === undefined
    ? `${title}: ${valueText(from)} → ${valueText(to)}`
    : t('{field}: {count} changed', { field: title, count });
};

/** The changes that say something to a person: what was taken back has an entry of its own, and a hash is for programs. */
export const toldChanges = (changes: readonly Change[]): readonly Change[] =>
  changes.filter(({ field }) => field !== 'activity' && field !== 'hash');

/** The program of an agent after the name of its person: ", via Claude Code"; empty without one. The name is the program's own word. */
export const viaText = (client: string | null): string =>
  client === null ? '' : t(', via {client}', { client });

/** What a write came through, in the words of the console. */
const surfaces: Readonly<Record<string, string>> = {
  http: t('HTTP'),
  console: t('console'),
  mcp: t('MCP'),
  stdio: t('MCP on the server'),
  cli: t('CLI'),
  plugin: t('plugin'),
};

/** The name of a surface for people; that of a newer server stays as it is. */
export const surfaceWord = (surface: string): string => wordIn(surfaces, surface);

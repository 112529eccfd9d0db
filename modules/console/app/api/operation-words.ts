import type { Output, ToolName } from './calls.ts';

/** What each writing tool has done, as a phrase after a name: "Ada created a test". */
export const operationWords: Partial<Readonly<Record<ToolName, string>>> = {
  'create-organization': 'created an organization',
  'remove-member': 'removed a member',
  'merge-users': 'merged two accounts',
  'erase-user': 'erased a user',
  'set-user-claims': 'set claims of a user',
  'invite-user': 'invited somebody',
  'revoke-invitation': 'revoked an invitation',
  'accept-invitation': 'accepted an invitation',
  'set-letter-setting': 'switched letters on or off',
  'revoke-session': 'ended a session',
  'create-access-token': 'created a token',
  'revoke-access-token': 'revoked a token',
  'set-user-status': 'disabled or enabled a user',
  'set-user-role': 'changed a role',
  'create-tenant': 'created a tenant',
  'create-cta': 'created a CTA',
  'update-cta': 'changed a CTA',
  'clone-cta': 'copied a CTA',
  'define-cta-goal': 'defined a goal of a CTA',
  'delete-cta-goal': 'deleted a goal of a CTA',
  'set-cta-status': 'changed the status of a CTA',
  'revert-cta': 'reverted a CTA',
  'start-experiment': 'started an experiment',
  'stop-experiment': 'stopped an experiment',
  'create-holdout': 'created a holdout',
  'delete-holdout': 'deleted a holdout',
  'set-delivery-limits': 'changed the limits across all CTAs',
  'create-behaviour-tag': 'created a behaviour tag',
  'update-behaviour-tag': 'changed a behaviour tag',
  'delete-behaviour-tag': 'deleted a behaviour tag',
  'link-behaviour-tag': 'put CTAs under a behaviour tag',
  'unlink-behaviour-tag': 'took CTAs from a behaviour tag',
  'create-cohort': 'created a cohort',
  'update-cohort': 'changed a cohort',
  'delete-cohort': 'deleted a cohort',
  'add-cohort-users': 'added users to a cohort',
  'remove-cohort-users': 'removed users from a cohort',
  'set-user-attributes': 'stored attributes of users',
  'purge-cta-user': 'erased what CTAs store of a user',
  'set-cta-kill-switch': 'used a kill switch',
  'create-nudge-preview': 'created a preview',
  'delete-nudge-preview': 'deleted a preview',
  'create-project': 'created a project',
  'edit-project': 'changed a project',
  'update-project-status': 'activated or deactivated a project',
  'create-test': 'created a test',
  'update-test': 'changed a test',
  'revert-test': 'went back to a version of a test',
  'undo-activity': 'took back a write',
  'propose-test-change': 'proposed a change of a test',
  'review-test-change': 'decided on a proposed change',
  'merge-test-change': 'merged a proposed change',
  'delete-test': 'deleted a test',
  'bulk-add-tests': 'created several tests',
  'bulk-update-tests': 'changed several tests',
  'bulk-delete-tests': 'deleted several tests',
  'create-run': 'created a run',
  'edit-run': 'changed a run',
  'delete-run': 'deleted a run',
  'run-update-test-status': 'reported results',
  'create-share-link': 'shared a report by a link',
  'revoke-share-link': 'ended a link to a report',
  'save-view': 'saved a query under a name',
  'delete-view': 'deleted a saved query',
  'add-attachment': 'attached a file',
  'delete-attachment': 'deleted an attachment',
  'add-links': 'added links',
  'remove-links': 'removed links',
  'set-quarantine': 'put tests into quarantine',
  'end-quarantine': 'ended a quarantine',
  'create-field': 'created a field',
  'edit-field': 'changed a field',
  'delete-field': 'deleted a field',
  'follow-project': 'followed a project, or no more',
  'create-milestone': 'created a milestone',
  'edit-milestone': 'changed a milestone',
  'close-milestone': 'closed a milestone',
  'delete-milestone': 'deleted a milestone',
  'assign-tests': 'assigned tests of a run',
  'create-configuration-group': 'created a configuration group',
  'edit-configuration-group': 'changed a configuration group',
  'delete-configuration-group': 'deleted a configuration group',
  'create-plan': 'created a plan',
  'close-plan': 'closed a plan',
  'run-lock': 'locked a run',
  'run-reset': 'reset a run',
  'run-remove-tests': 'removed tests from a run',
  'add-labels': 'added labels',
  'add-squads': 'added squads',
  'add-section': 'added a section',
  'edit-section': 'renamed a section',
  'unlock-run': 'unlocked a run',
  'restore-run': 'restored a run',
  'add-tests-to-run': 'added tests to a run',
  'restore-test': 'restored a test',
  'restore-tests': 'restored several tests',
  'delete-section': 'deleted a section',
  'move-section': 'moved a section',
  'import-tests': 'imported tests',
  'push-tests': 'pushed tests from files',
  'create-run-from-query': 'created a run of a query',
  'change-tests': 'changed the tests of a query',
  'delete-tests-by-query': 'deleted the tests of a query',
  'add-classification': 'added values of a classification',
  'edit-metadata': 'renamed a label, squad or value',
  'merge-metadata': 'merged two labels, squads or values',
  'delete-metadata': 'deleted a label, squad or value',
  'ingest-results': 'uploaded results of a pipeline',
  'merge-tests': 'merged two tests',
  'accept-rename': 'accepted the new name of an automated test',
};

const words: Readonly<Record<string, string | undefined>> = operationWords;

/** e.g. "changed a test"; for a tool of a plugin, its name without hyphens. */
export const operationText = (operation: string): string =>
  (Object.hasOwn(words, operation) ? words[operation] : undefined) ??
  `used ${operation.replaceAll('-', ' ')}`;

export const valueText = (value: unknown): string =>
  value === undefined || value === null || value === ''
    ? 'nothing'
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

type Change = Output<'list-activity'>['activities'][number]['changes'][number];

/** e.g. "priority: Low → High". */
export const changeText = ({ field, from, to, count }: Change): string =>
  count === undefined ? `${field}: ${valueText(from)} → ${valueText(to)}` : `${field}: ${count} changed`;

/** The program of an agent after the name of its person: ", via Claude Code"; empty without one. The name is the program's own word. */
export const viaText = (client: string | null): string => (client === null ? '' : `, via ${client}`);

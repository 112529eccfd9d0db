import type { Command } from '../../../core/module/command.ts';
import { casesPullSettings, casesPushSettings } from './cases-settings.ts';

/** `trivet cases`: a copy of the tests of a project as Markdown files, e.g. in a repository. */
export const casesCommands: readonly Command[] = [
  {
    name: 'cases pull',
    words: '[folder]',
    summary: 'Write the tests of a project as Markdown files, merged with what changed in them',
    settings: casesPullSettings,
    needs: 'tools',
    tools: ['pull-tests', 'get-test-details', 'get-orgs-list', 'get-projects'],
    run: async (given) => (await import('./cases-pull.ts')).pullCases(given),
  },
  {
    name: 'cases push',
    words: '[folder]',
    summary: 'Store what changed in the Markdown files of tests, all or nothing',
    settings: casesPushSettings,
    needs: 'tools',
    tools: ['push-tests', 'get-test-details', 'get-orgs-list', 'get-projects'],
    run: async (given) => (await import('./cases-push.ts')).pushCases(given),
  },
  {
    name: 'cases status',
    words: '[folder]',
    summary: 'List the tests of a folder that are new, changed or deleted since the last pull or push',
    settings: {},
    needs: 'configuration',
    run: async ({ config }) => (await import('./cases-local.ts')).statusOfCases(config.words),
  },
  {
    name: 'cases diff',
    words: '[folder]',
    summary: 'Show what changed in the tests of a folder since the last pull or push',
    settings: {},
    needs: 'configuration',
    run: async ({ config }) => (await import('./cases-local.ts')).differenceOfCases(config.words),
  },
];

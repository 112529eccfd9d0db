import type { ToolCommand } from '../../../core/module/command.ts';
import { resultsSettings } from './results-settings.ts';

/** `trivet results`: the one command that a pipeline runs after its tests. */
export const resultsCommand: ToolCommand = {
  name: 'results',
  words: '<file|glob|->…',
  summary:
    'Store what test tools wrote (JUnit XML and others) as a run, e.g. trivet results "reports/*.xml" --project Shop',
  settings: resultsSettings,
  needs: 'tools',
  tools: ['ingest-results', 'get-run-results', 'add-attachment', 'get-orgs-list', 'get-projects'],
  run: async (given) => (await import('./results-upload.ts')).uploadResultFiles(given),
};

import type { ToolCommand } from '../../../core/module/command.ts';
import { splitSettings } from './results-settings.ts';

/** `trivet results split`: the test files of one of several jobs, by what they took before. */
export const splitCommand: ToolCommand = {
  name: 'results split',
  words: '<file|glob>…',
  summary:
    'Divide test files between jobs by their durations, e.g. trivet results split --shard 2/5 "src/**/*.test.ts"',
  settings: splitSettings,
  needs: 'tools',
  tools: ['get-file-durations', 'get-orgs-list', 'get-projects'],
  run: async (given) => (await import('./results-split.ts')).splitFiles(given),
};

import type { SettingTable } from '../../../core/settings/settings.ts';

/** The flags of `trivet results`. */
export const resultsSettings = {
  project: {
    type: 'string',
    value: 'ID|NAME',
    description: 'The project; not needed where there is only one.',
  },
  'run-key': {
    type: 'string',
    value: 'KEY',
    description:
      'What all uploads of one build share. In a CI it is made of its variables; elsewhere of the contents of the files.',
  },
  'run-name': { type: 'string', value: 'NAME', description: 'The name of a new run.' },
  create: {
    type: 'string',
    choices: ['on', 'off'],
    description:
      'Whether unknown cases become tests. By default only in the first run of a project that a pipeline makes.',
  },
  'accept-renames': {
    type: 'boolean',
    description:
      'Take the renames that nobody would doubt as the same tests: the history goes on under the new name.',
  },
  'dry-run': { type: 'boolean', description: 'Say what would happen, and write nothing.' },
  'fail-on': {
    type: 'string',
    choices: ['any', 'new', 'none'],
    default: 'none',
    description: 'End with exit code 1 when a case failed, or only when a test fails that did not before.',
  },
  attachments: {
    type: 'string',
    choices: ['failed', 'all', 'none'],
    default: 'failed',
    description:
      'Of which cases to upload the files that the report names (screenshots, traces): they must be in the folder of the report or below.',
  },
  output: {
    type: 'string',
    choices: ['table', 'json', 'github', 'gitlab', 'markdown'],
    description:
      'How the answer is written: a table on a terminal, the form of GitHub or GitLab or a table in a CI, JSON otherwise. --json is JSON on one line.',
  },
  'comment-file': {
    type: 'string',
    value: 'FILE',
    description:
      'Also write the answer as Markdown to this file. Its first line is the same in every build, so that a script finds the comment to replace.',
  },
  branch: { type: 'string', value: 'NAME', description: 'The branch, where the CI does not say it.' },
  'base-branch': {
    type: 'string',
    value: 'NAME',
    description:
      'The branch that a branch without a run is compared with, where the CI does not say it; otherwise main, master, trunk or develop.',
  },
  commit: { type: 'string', value: 'SHA', description: 'The commit, where the CI does not say it.' },
  job: {
    type: 'string',
    value: 'NAME',
    description: 'What tells parallel jobs of one build apart, where the CI does not say it.',
  },
} as const satisfies SettingTable;

/** The flags of `trivet results split`. */
export const splitSettings = {
  shard: {
    type: 'string',
    value: 'K/N',
    description: 'Which of how many shards, e.g. 2/5. Without it, --json has all of --shards.',
  },
  shards: { type: 'integer', minimum: 1, maximum: 1_000, description: 'How many shards, for all at once.' },
  project: resultsSettings.project,
  'run-key': resultsSettings['run-key'],
} as const satisfies SettingTable;

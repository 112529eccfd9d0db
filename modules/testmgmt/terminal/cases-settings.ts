import type { SettingTable } from '../../../core/settings/settings.ts';

const project = {
  type: 'string',
  value: 'ID|NAME',
  description: 'The project, at the first pull or push; later the folder knows it.',
} as const;

export const casesPullSettings = { project } as const satisfies SettingTable;

export const casesPushSettings = {
  project,
  check: {
    type: 'boolean',
    description: 'Print what would change as Markdown, e.g. for a pull request, and write nothing.',
  },
  delete: { type: 'boolean', description: 'Delete the tests whose text is not in the files any more.' },
  strict: { type: 'boolean', description: 'Refuse labels, squads, sections and values that do not exist.' },
} as const satisfies SettingTable;

import type { SettingTable } from '../../../core/settings/settings.ts';
import { importFormatNames } from '../import-files/import-formats.ts';

/** The flags of `trivet import`. */
export const importSettings = {
  project: {
    type: 'string',
    value: 'ID|NAME',
    description: 'The project; not needed where there is only one.',
  },
  format: {
    type: 'string',
    choices: importFormatNames,
    description: 'The format of the file, where its content does not say it.',
  },
  mapping: {
    type: 'string',
    value: 'COLUMN=FIELD,…',
    description:
      'Where columns of a table go that are not understood: a field, cf.KEY or ignore, e.g. "Case name=testName,Owner=cf.owner". Or the same as JSON.',
  },
  source: {
    type: 'string',
    value: 'WORD',
    description:
      'Whose ids these are, where several projects or servers of a product number alike, e.g. qase-shop.',
  },
  preview: {
    type: 'boolean',
    description: 'Show the mapping, the first tests and what is wrong with which row, and write nothing.',
  },
  strict: { type: 'boolean', description: 'Refuse labels, squads, sections and values that do not exist.' },
} as const satisfies SettingTable;

import type { SettingTable } from '../../../core/settings/settings.ts';

export const bucketSettings = {
  seed: {
    type: 'string',
    value: 'SEED',
    description: 'The seed of an experiment, of a holdout or of a percentage cohort.',
  },
  user: {
    type: 'string',
    value: 'ID',
    form: { words: 'a whole number', fits: (text) => /^-?\d{1,19}$/.test(text) },
    description: 'The user, as in auth-userid.',
  },
} as const satisfies SettingTable;

import type { SettingTable } from '../../../core/settings/settings.ts';

const day = 86_400;

export const testmgmtSettings = {
  'result-keep': {
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 36_500 * day,
    description:
      'Seconds that an entry of the status history of a test in a run is kept; 0: for ever. The present status stays.',
  },
  badges: {
    type: 'list',
    value: 'PROJECT-ID,…',
    description:
      'Projects whose newest result of a pipeline anybody may see as a badge: /badges/ID.svg?branch=main. None by default.',
  },
} as const satisfies SettingTable;

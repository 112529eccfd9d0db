import type { SettingTable } from '../../../core/settings/settings.ts';

const day = 86_400;

export const testmgmtSettings = {
  'result-keep': {
    reload: true,
    type: 'integer',
    unit: 'seconds kept',
    default: 0,
    minimum: 0,
    maximum: 36_500 * day,
    description:
      'Seconds that an entry of the status history of a test in a run is kept; 0: for ever. The present status stays.',
  },
  badges: {
    type: 'list',
    value: 'PROJECT-ID,…',
    form: { words: 'ids of projects, e.g. 1,2', fits: (text) => /^[1-9]\d*$/.test(text) },
    description:
      'Projects whose newest result of a pipeline anybody may see as a badge: /badges/ID.svg?branch=main. None by default.',
  },
  'rate-share': {
    reload: true,
    type: 'integer',
    default: 60,
    minimum: 0,
    maximum: 1_000_000,
    description: 'Max reads a minute of shared reports by one client network; 0: no limit.',
  },
  'attachment-max': {
    reload: true,
    type: 'integer',
    default: 25,
    minimum: 1,
    maximum: 256,
    description: 'Max MiB of one attachment.',
  },
  'attachment-quota': {
    reload: true,
    type: 'integer',
    default: 10_240,
    minimum: 0,
    maximum: 100_000_000,
    description: 'Max MiB of the attachments of a project: above it further ones are refused; 0: no limit.',
  },
  'attachment-keep': {
    reload: true,
    type: 'integer',
    unit: 'seconds kept',
    default: 90 * day,
    minimum: 0,
    maximum: 36_500 * day,
    description: 'Seconds that attachments of pipelines are kept; 0: for ever. Those of people stay.',
  },
} as const satisfies SettingTable;

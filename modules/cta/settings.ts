import type { SettingTable } from '../../core/settings.ts';

export const ctaSettings = {
  'cta-require-token': {
    type: 'boolean',
    description: "Refuse requests of the client API without the user's own bearer token.",
  },
} as const satisfies SettingTable;

import type { SettingTable } from '../../../core/settings/settings.ts';

export const checkmateSettings = {
  'checkmate-api': {
    type: 'boolean',
    description: "Also serve /api/v1/*, the API of Checkmate, for its MCP server and its users' scripts.",
  },
} as const satisfies SettingTable;

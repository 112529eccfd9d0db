import type { ToolCommand } from '../../../core/module/command.ts';
import { importSettings } from './import-settings.ts';

/** `trivet import`: the tests of a file of another product. */
export const importCommand: ToolCommand = {
  name: 'import',
  words: '<file|->',
  summary:
    'Import the tests of a file: exports of TestRail, Qase, Xray, Zephyr, Testmo, TestLink and Checkmate, XLSX, CSV, e.g. trivet import cases.xml --project Shop',
  settings: importSettings,
  needs: 'tools',
  tools: ['import-tests', 'get-orgs-list', 'get-projects'],
  run: async (given) => (await import('./import-upload.ts')).importFile(given),
};

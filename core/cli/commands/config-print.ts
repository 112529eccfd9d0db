import { exit, UsageError } from '../../base/errors.ts';
import { moduleSettings } from '../../kernel/module-loading.ts';
import { describeSettings, type PrintedSetting } from '../../settings/printed-setting.ts';
import { clientSettings, coreSettings } from '../../settings/settings.ts';
import { print, type Invocation } from '../invocation/invocation.ts';
import { escapeJson, escapeControls } from '../invocation/terminal-text.ts';

/** `trivet config print`: the configuration that a server would use with this command line, environment and file. Opens no data. */
export async function runConfigPrint({ config, modules }: Invocation): Promise<number> {
  if (config.words.length !== 1 || config.words[0] !== 'print')
    throw new UsageError('trivet config has one verb: trivet config print.', exit.usage);
  const table = { ...coreSettings, ...clientSettings, ...moduleSettings(modules) };
  const settings = describeSettings(config, table);
  const { json } = config.read(clientSettings);
  return print(json ? `${escapeJson({ settings })}\n` : escapeControls(settings.map(lineOf).join('')));
}

/** Formatted like the configuration file. */
function lineOf({ name, value, source }: PrintedSetting): string {
  return value === null ? `# ${name} is not set\n` : `${name} = ${JSON.stringify(value)}  # ${source}\n`;
}

import { t } from '../../texts/text.ts';

/** What a write came through, in the words of the console. */
const surfaces: Readonly<Record<string, string>> = {
  http: t('HTTP'),
  console: t('console'),
  mcp: t('MCP'),
  stdio: t('MCP on the server'),
  cli: t('command line'),
  plugin: t('plugin'),
};

/** The checks of the server, in the words of the console. */
const checks: Readonly<Record<string, string>> = {
  storage: t('Database'),
  schema: t('Schema of the database'),
  disk: t('Space on the disk'),
  primary: t('Takes writes'),
  auth: t('Keys of the sign-in'),
};

const wordOf = (words: Readonly<Record<string, string>>, name: string): string =>
  (Object.hasOwn(words, name) ? words[name] : undefined) ?? name;

/** The name of a surface for people; that of a newer server stays as it is. */
export const surfaceWord = (surface: string): string => wordOf(surfaces, surface);

/** The name of a check for people; that of a plugin stays as it is. */
export const checkWord = (check: string): string => wordOf(checks, check);

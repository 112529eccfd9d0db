import type { SettingTable } from '../../../core/settings/settings.ts';

export const checkmateSettings = {
  'checkmate-api': {
    type: 'boolean',
    description: "Also serve /api/v1/*, the API of Checkmate, for its MCP server and its users' scripts.",
  },
} as const satisfies SettingTable;

/** What `trivet import checkmate` asks for. */
export const importCheckmateSettings = {
  mysql: {
    type: 'string',
    value: 'URL',
    form: {
      words: 'a URL such as mysql://USER@HOST/DATABASE',
      fits: (text) => /^(?:mysql|mariadb):\/\//.test(text),
    },
    // Every process of the machine can read the command line of the others.
    secretLike: /^[a-z]+:\/\/[^/@:]*:[^/@]+@|[?&](?:ssl)?password=/,
    description:
      'The database of Checkmate: mysql://USER@HOST/DATABASE. For a URL with a password: TRIVET_MYSQL, TRIVET_MYSQL_FILE or --mysql-file FILE.',
  },
  dump: {
    type: 'string',
    value: 'FILE',
    description: 'A dump of it, as mysqldump writes it, also packed with gzip.',
  },
  org: {
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description:
      'The organization that gets the projects. By default the one with the same name, or the only one.',
  },
  source: {
    type: 'string',
    default: 'checkmate',
    form: {
      words: 'a name of 1 to 64 letters, digits, dots, hyphens and underscores',
      fits: (text) => /^[\w.-]{1,64}$/.test(text),
    },
    value: 'NAME',
    description:
      'Which Checkmate it is, if you import from several: what has been imported is remembered by it.',
  },
  'dry-run': { type: 'boolean', description: 'Only count what would be imported: nothing is written.' },
} as const satisfies SettingTable;

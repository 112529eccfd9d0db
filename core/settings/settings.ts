import type { TSchema } from '@sinclair/typebox';
import {
  hostName,
  mailAddress,
  mailServer,
  pageOrigin,
  portOfHost,
  postgresUrl,
  publicOrigin,
  replicaTarget,
  serverUrl,
  type SettingForm,
} from './setting-form.ts';

interface SettingBase {
  readonly description: string;
  /** A secret is rejected on the command line: it comes from the environment, a file, or `--<name>-file`. */
  readonly secret?: boolean;
  /** A running server takes a new value with SIGHUP or `trivet reload`. Whoever reads it must not keep it: `Config.follow`. */
  readonly reload?: true;
  /** The file of this secret is refused when other users of the machine can read it. */
  readonly ownerOnly?: boolean;
  /** A value of this form contains a secret: it is rejected on the command line too, and `--<name>-file` exists. */
  readonly secretLike?: RegExp;
}

/** A setting: a flag `--name`, an environment variable `TRIVET_NAME` and a key of the configuration file. */
export type Setting =
  | (SettingBase & {
      readonly type: 'string';
      readonly default?: string;
      readonly form?: SettingForm;
      /** Of plugins, whose interface has no {@link form} (examples/plugins/trivet-plugin.d.ts). */
      readonly pattern?: RegExp;
      readonly choices?: readonly string[];
      readonly value?: string;
    })
  | (SettingBase & {
      readonly type: 'integer';
      readonly default?: number;
      readonly minimum: number;
      readonly maximum: number;
      /** A text such as `400d` is taken, too. "kept": what is older is deleted. */
      readonly unit?: 'seconds' | 'seconds kept';
    })
  | (SettingBase & { readonly type: 'boolean' })
  | (SettingBase & {
      readonly type: 'list';
      readonly default?: readonly string[];
      readonly value?: string;
      /** Of each of its texts. */
      readonly form?: SettingForm;
      /** Empty text is refused. It would count as an empty list, e.g. as backups without encryption, when a variable was not set by mistake. */
      readonly filled?: true;
    })
  | (SettingBase & { readonly type: 'table'; readonly schema: TSchema });

export type SettingTable = Readonly<Record<string, Setting>>;

type Given<S extends Setting> = S extends { type: 'integer' }
  ? number
  : S extends { type: 'boolean' }
    ? boolean
    : S extends { type: 'list' }
      ? readonly string[]
      : S extends { type: 'table' }
        ? unknown
        : string;

/** The resolved values of a table. A setting without default may be undefined; a boolean is false unless given. */
export type Values<T extends SettingTable> = {
  readonly [K in keyof T]: T[K] extends { type: 'boolean' }
    ? boolean
    : T[K] extends { default: unknown }
      ? Given<T[K]>
      : Given<T[K]> | undefined;
};

/** The settings of the kernel itself. Modules add theirs. */
export const coreSettings = {
  host: {
    type: 'string',
    default: '127.0.0.1',
    value: 'ADDRESS',
    description: 'Address to listen on. Others can reach any address except loopback.',
  },
  port: {
    type: 'integer',
    default: 8787,
    minimum: 0,
    maximum: 65535,
    description: 'Port to listen on; 0 picks a free one.',
  },
  processes: {
    type: 'integer',
    default: 1,
    minimum: 1,
    maximum: 256,
    description:
      'Processes of this server that share its port, on Linux and over PostgreSQL; each has --database-connections.',
  },
  data: {
    type: 'string',
    default: './trivet-data',
    value: 'DIR',
    description: 'Data directory: the SQLite database and the master key.',
  },
  database: {
    type: 'string',
    value: 'URL',
    form: postgresUrl,
    // Every process of the machine can read the command line of the others.
    secretLike: /^[a-z]+:\/\/[^/@:]*:[^/@]+@|[?&](?:ssl)?password=/,
    description:
      'Keep the data in PostgreSQL (postgres://…) instead of SQLite. For a URL with a password: TRIVET_DATABASE, TRIVET_DATABASE_FILE or --database-file FILE.',
  },
  'database-connections': {
    type: 'integer',
    default: 10,
    minimum: 1,
    maximum: 1_000,
    description:
      'PostgreSQL only: connections of one process. All processes together stay below its max_connections.',
  },
  'database-timeout': {
    type: 'integer',
    default: 10,
    minimum: 1,
    maximum: 3_600,
    description: 'PostgreSQL only: seconds that one statement may run; then the request gets 503.',
  },
  'database-lock-timeout': {
    type: 'integer',
    default: 3,
    minimum: 1,
    maximum: 3_600,
    description:
      'PostgreSQL only: seconds that one statement may wait for a lock; then the request gets 503.',
  },
  'database-pool-timeout': {
    type: 'integer',
    default: 5,
    minimum: 1,
    maximum: 3_600,
    description:
      'PostgreSQL only: seconds that a write may wait for a connection; then the request gets 503.',
  },
  'database-pooler': {
    type: 'boolean',
    description:
      'The URL is that of a pooler in transaction mode, e.g. PgBouncer: use no prepared statements and no settings of a session.',
  },
  'database-durability': {
    type: 'string',
    default: 'full',
    choices: ['full', 'normal'],
    description:
      'SQLite only: "full" survives a power loss; with "normal" the last commits may be lost, never consistency.',
  },
  migrate: {
    type: 'string',
    default: 'auto',
    choices: ['auto', 'check'],
    description:
      'What a server does with an older database: "auto" migrates it, "check" refuses to start and names what is missing.',
  },
  dev: {
    type: 'boolean',
    description: 'Accept ID tokens that this machine mints (provider "dev"). Loopback only.',
  },
  demo: {
    type: 'boolean',
    description:
      'Fill an empty data directory or database with an example project, then serve it; refused where there is data.',
  },
  modules: { type: 'list', value: 'NAMES', description: 'Modules to load; all built-in modules by default.' },
  plugin: {
    type: 'list',
    value: 'FILE',
    description: 'A TypeScript module to load as well; may be repeated.',
  },
  config: { type: 'string', value: 'FILE', description: 'A TOML file with any of these settings.' },
  'log-level': {
    reload: true,
    type: 'string',
    choices: ['debug', 'info', 'warn', 'error'],
    description: 'The lowest severity to log; by default info for a server and warn for other commands.',
  },
  'access-log': {
    reload: true,
    type: 'boolean',
    description:
      'Log each HTTP request as a JSON line: method, route, status, time, bytes, address, user and tool; no query, no token.',
  },
  'metrics-listen': {
    type: 'string',
    value: '[HOST:]PORT',
    form: portOfHost,
    description:
      'Serve /metrics on an address of its own, without a token; HOST is 127.0.0.1 unless given. Without it, /metrics needs a token of scope "metrics".',
  },
  'public-url': {
    type: 'string',
    value: 'URL',
    form: publicOrigin,
    description:
      'The origin under which clients reach this server, e.g. https://trivet.example; the issuer of its tokens.',
  },
  'allowed-hosts': {
    type: 'list',
    default: [],
    value: 'NAMES',
    form: hostName,
    description: 'More Host names that the server accepts, besides that of --public-url.',
  },
  'cors-origin': {
    reload: true,
    type: 'list',
    default: [],
    value: 'ORIGINS',
    form: pageOrigin,
    description: 'Web origins whose pages may call this server; none by default.',
  },
  'trusted-proxies': {
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 16,
    description:
      'The number of your reverse proxies in front of this server: that many entries of X-Forwarded-For are trusted.',
  },
  'rate-tools': {
    reload: true,
    type: 'integer',
    default: 6_000,
    minimum: 0,
    maximum: 1_000_000,
    description: 'Tool calls per minute of one token, over HTTP and MCP; 0: no limit.',
  },
  'stop-delay': {
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 300,
    description:
      'Seconds that a server goes on answering after SIGTERM while GET /readyz says 503, so that a balancer which asks it sends no more.',
  },
  'drain-timeout': {
    type: 'integer',
    default: 10,
    minimum: 0,
    maximum: 300,
    description: 'Seconds that running requests may take after SIGTERM.',
  },
  'backup-every': {
    reload: true,
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 8_760,
    description: 'SQLite only: hours between the backups that a server makes by itself; 0: none.',
  },
  'backup-dir': {
    reload: true,
    type: 'string',
    value: 'DIR',
    description:
      'Where backups without a name go; by default "backups" in the data directory. Another disk is better.',
  },
  'backup-keep': {
    reload: true,
    type: 'integer',
    default: 14,
    minimum: 1,
    maximum: 10_000,
    description: 'How many of its own backups a server keeps in --backup-dir; it deletes older ones.',
  },
  'backup-recipient': {
    reload: true,
    type: 'list',
    filled: true,
    default: [],
    value: 'AGE-KEYS',
    description:
      'Encrypt backups for these age public keys (age1…); only who has the identity can restore them.',
  },
  replicate: {
    type: 'string',
    value: 'URL',
    form: replicaTarget,
    description:
      'SQLite only: store every change within a second at file:///DIR or s3://BUCKET/PREFIX, from where "trivet restore" gets any moment.',
  },
  'replicate-snapshot': {
    type: 'integer',
    default: 24,
    minimum: 1,
    maximum: 8_760,
    description:
      'Hours between the snapshots of a replica: the changes since the last one are applied by a restore.',
  },
  'replicate-keep': {
    type: 'integer',
    default: 168,
    minimum: 1,
    maximum: 87_600,
    description: 'Hours back to which a replica can be restored; what is older is deleted.',
  },
  'replicate-backlog': {
    type: 'integer',
    default: 512,
    minimum: 16,
    maximum: 1_048_576,
    description:
      'MiB of changes that are kept on the disk while the target of --replicate is away; beyond it, a new snapshot is made later.',
  },
  'replicate-recipient': {
    type: 'list',
    filled: true,
    default: [],
    value: 'AGE-KEYS',
    description:
      'Encrypt the replica for these age public keys (age1…); only who has the identity can restore it. Then it has the master key, too.',
  },
  'replicate-keys': {
    type: 'string',
    secret: true,
    ownerOnly: true,
    description:
      'The S3 server of s3://…, as TOML: endpoint, region, access-key-id, secret-access-key. Given as --replicate-keys-file FILE.',
  },
  'smtp-url': {
    reload: true,
    type: 'string',
    value: 'URL',
    form: mailServer,
    description:
      'Send letters by e-mail through this server: smtp://HOST[:PORT] (587, STARTTLS) or smtps://HOST[:PORT] (465). Needs --smtp-from and --public-url; none are sent without it.',
  },
  'smtp-from': {
    reload: true,
    type: 'string',
    value: 'ADDRESS',
    form: mailAddress,
    description: 'The sender of letters, e.g. trivet@example.org.',
  },
  'smtp-user': {
    reload: true,
    type: 'string',
    value: 'NAME',
    description:
      'The user at the server of --smtp-url, with --smtp-password-file; without one there is no login.',
  },
  'smtp-password': {
    reload: true,
    type: 'string',
    secret: true,
    ownerOnly: true,
    description: 'The password of --smtp-user. Given as --smtp-password-file FILE.',
  },
  'smtp-tls': {
    reload: true,
    type: 'string',
    default: 'required',
    choices: ['required', 'none'],
    description:
      'What smtp:// does about TLS: "required" refuses a server without STARTTLS, "none" sends in clear text, e.g. to a relay on this machine.',
  },
  operators: {
    reload: true,
    type: 'list',
    default: [],
    value: 'ADDRESSES',
    form: mailAddress,
    description:
      'E-mail addresses of those who run this server: they get a letter when a scheduled backup fails.',
  },
  'rate-letters': {
    reload: true,
    type: 'integer',
    default: 500,
    minimum: 1,
    maximum: 1_000_000,
    description: 'Letters per hour that all processes send together; more wait.',
  },
  'rate-letters-person': {
    reload: true,
    type: 'integer',
    default: 20,
    minimum: 1,
    maximum: 1_000,
    description: 'Letters per hour to one person; more wait.',
  },
  'replicate-lease': {
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 600,
    description:
      'For a standby: seconds after which this server stops writing if it cannot reach the target of --replicate; 0: it goes on. 5 is a good value.',
  },
  follow: {
    type: 'string',
    value: 'URL',
    form: replicaTarget,
    description:
      'Be the standby of the server that replicates to URL: keep a copy, serve reads, and after "trivet promote" take over and replicate there.',
  },
  'age-identity': {
    type: 'string',
    secret: true,
    ownerOnly: true,
    description: 'The age identity (AGE-SECRET-KEY-1…) of an encrypted backup or replica.',
  },
  toolsets: {
    type: 'list',
    value: 'NAMES',
    description:
      'Offer only the tools of these toolsets ("trivet tools" shows which tool is in which), or of all.',
  },
  tools: { type: 'list', value: 'NAMES', description: 'Offer only these tools.' },
  'read-only': { type: 'boolean', description: 'Offer only tools that read.' },
} as const satisfies SettingTable;

/** Settings of the surfaces that act for one user: `--mcp`, `call`, `tools`. */
export const clientSettings = {
  url: {
    type: 'string',
    value: 'URL',
    form: serverUrl,
    description: 'Work against a running server instead of a data directory.',
  },
  token: { type: 'string', secret: true, description: 'The token for --url.' },
  as: {
    type: 'string',
    value: 'EMAIL',
    description: 'On a data directory: act with the rights of this user instead of the owner.',
  },
  json: { type: 'boolean', description: 'Print JSON for programs.' },
} as const satisfies SettingTable;

/** How a result is printed. */
export const outputSettings = {
  output: {
    type: 'string',
    choices: ['table', 'json', 'ndjson'],
    description:
      'How a result is printed: as a table, as JSON, or one JSON line for each record of a list. A table on a terminal, JSON otherwise; --json is JSON on one line.',
  },
} as const satisfies SettingTable;

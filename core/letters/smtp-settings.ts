import { UsageError } from '../base/errors.ts';
import type { Config } from '../settings/config.ts';
import { coreSettings } from '../settings/settings.ts';

/** The server that takes our letters. */
export interface Smtp {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise by STARTTLS. */
  readonly isTls: boolean;
  /** In clear text. */
  readonly isPlain: boolean;
  readonly login: { readonly user: string; readonly password: string } | undefined;
  readonly from: string;
}

const usualPorts = { 'smtp:': 587, 'smtps:': 465 } as const;

/** Whether this server sends letters. */
export const sendsLetters = ({ config }: { readonly config: Config }): boolean =>
  config.read(coreSettings)['smtp-url'] !== undefined;

/** The settings of letters; undefined: none are sent. @throws UsageError with the remedy. */
export function smtpOf(config: Config): Smtp | undefined {
  const settings = config.read(coreSettings);
  const { 'smtp-url': text, 'smtp-from': from, 'smtp-user': user, 'smtp-password': password } = settings;
  if (text === undefined) {
    const lonely = (['smtp-from', 'smtp-user', 'smtp-password'] as const).find(
      (name) => settings[name] !== undefined,
    );
    if (lonely !== undefined)
      throw new UsageError(
        `--${lonely} is for the server of --smtp-url, which is not set. Set both, or neither.`,
      );
    return undefined;
  }
  if (from === undefined)
    throw new UsageError('--smtp-url needs --smtp-from: the address that letters come from.');
  if (settings['public-url'] === undefined)
    throw new UsageError('--smtp-url needs --public-url: letters contain links to this server.');
  if ((user === undefined) !== (password === undefined))
    throw new UsageError(
      user === undefined
        ? '--smtp-password needs --smtp-user.'
        : '--smtp-user needs its password: --smtp-password-file FILE or TRIVET_SMTP_PASSWORD_FILE.',
    );
  const { protocol, hostname, port } = new URL(text);
  const isTls = protocol === 'smtps:';
  return {
    host: hostname.replaceAll(/^\[|\]$/g, ''),
    port: port === '' ? usualPorts[isTls ? 'smtps:' : 'smtp:'] : Number(port),
    isTls,
    isPlain: !isTls && settings['smtp-tls'] === 'none',
    login: user === undefined || password === undefined ? undefined : { user, password },
    from,
  };
}

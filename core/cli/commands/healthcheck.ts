import { exit } from '../../base/errors.ts';
import { certificateFailure } from '../../base/foreign-errors.ts';
import { isLoopback } from '../../base/loopback.ts';
import { serverOriginOf } from '../../base/server-address.ts';
import { clientSettings, coreSettings } from '../../settings/settings.ts';
import { writeError } from '../../base/standard-streams.ts';
import { print, localOrigin, type Invocation } from '../invocation/invocation.ts';
import { escapeControls } from '../invocation/terminal-text.ts';

/** The caller gives up too (after 30 s in Docker), without giving a reason. */
const patienceMs = 10_000;

/**
 * `trivet healthcheck`: asks `GET /readyz` whether it is ready, or a standby that follows, for containers, which have no curl. Exit code 1 for anything other than "ready", including no
 * response: Docker knows only 0 and 1.
 */
export async function runHealthcheck({ config }: Invocation): Promise<number> {
  const { host, port } = config.read(coreSettings);
  const { url = localOrigin(host, port) } = config.read(clientSettings);
  const place = `${serverOriginOf(url)}/readyz`;
  const found = await stateAt(place);
  if ('ready' in found) return print(`${found.ready}\n`);
  writeError(escapeControls(`trivet: ${place}: ${found.wrong}\n`));
  return exit.failed;
}

/** What a server says of itself, or what is wrong with it. */
async function stateAt(
  place: string,
): Promise<{ readonly ready: 'ready' | 'standby' } | { readonly wrong: string }> {
  try {
    // http_proxy in the environment is meant for other machines, and Bun does not exclude the local one.
    const proxy = isLoopback(new URL(place).hostname) ? { proxy: false as const } : {};
    const signal = AbortSignal.timeout(patienceMs);
    const response = await fetch(`${place}?standby=ok`, { redirect: 'manual', signal, ...proxy });
    const body = (await response.json().catch(() => null)) as Readiness | null;
    if (response.status === 200 && (body?.status === 'ready' || body?.status === 'standby'))
      return { ready: body.status };
    const message = body?.error?.message;
    return {
      wrong:
        typeof message === 'string' ? message : `answered ${response.status}, which no Trivet server does`,
    };
  } catch (error) {
    const certificate = certificateFailure(error);
    if (certificate) return { wrong: `it cannot be used: ${certificate.what}. ${certificate.remedy}` };
    return { wrong: `no answer within ${patienceMs / 1_000} s, or no connection` };
  }
}

interface Readiness {
  readonly status?: unknown;
  readonly error?: { readonly message?: unknown } | null;
}

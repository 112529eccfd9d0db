import type { Environment } from '../base/environment.ts';
import { failureOf, send } from '../base/request.ts';
import type { Action } from './action.ts';

/** A template that somebody wants to see in the app. */
export interface Preview {
  readonly id: string;
  readonly template: string;
  readonly tenantId: string;
  /** Seconds; null: it does not expire. */
  readonly ttl: number | null;
}

/**
 * The id in a link to a preview; undefined: it is another link. Two forms: an address of the app with `trivet-preview=ID` in it, and the
 * address from which the server serves the preview. Without `URL`, which Hermes lacks.
 */
export function previewIdOf(link: string): string | undefined {
  const [, id] =
    /[?&#]trivet-preview=([^&#]+)/.exec(link) ?? /\/cta\/nudge\/preview\/([^/?#]+)/.exec(link) ?? [];
  try {
    return id && decodeURIComponent(id);
  } catch {
    return id;
  }
}

/** Fetches a preview; null: it is unknown or expired, or the server is away, which is reported. */
export async function fetchPreview(
  environment: Environment,
  id: string,
  fetching: Environment['fetch'],
): Promise<Preview | null> {
  const headers = { 'x-tenant-id': environment.tenantId };
  const path = `/cta/nudge/preview/${encodeURIComponent(id)}`;
  const answer = await send(environment, path, { method: 'GET', headers }, fetching);
  const found = answer.body['data'] as Preview | null | undefined;
  if (answer.status === 200 && found === null) {
    environment.report('PREVIEW_NOT_FOUND', `There is no preview ${id}, or it has expired.`);
  } else if (answer.status !== 200 || !found) {
    const { code, message } = failureOf(answer, environment);
    environment.report(code, `The preview could not be fetched: ${message}`);
  }
  return found ?? null;
}

/** A preview as listeners get it: like an action, so that it looks in the app as it will. */
export function previewAction({ id, template }: Preview): Action {
  let parsed: unknown = template;
  try {
    parsed = JSON.parse(template);
  } catch {
    // HTML or another form of text.
  }
  const shown = { ctaId: '', groupKey: '', actionId: id, type: 'POPUP', template: parsed };
  return Object.assign(shown, { context: {}, delay: 0, preview: true as const });
}

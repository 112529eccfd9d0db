import { isStorable } from '../../../core/base/schema.ts';
import { acceptTime } from '../state/future-times.ts';
import { clientTypes, type ClientType } from '../counts/event-row.ts';

/** One event of an app, checked. */
export interface ClientEvent {
  readonly id: string;
  readonly type: ClientType;
  /** null: the event names no CTA; only a custom one or a conversion may. */
  readonly ctaId: string | null;
  readonly at: number;
  readonly name: string | null;
  readonly groupKey: string;
  /** null: an old SDK sent it, which says nothing of the state and reports each showing once. */
  readonly state: string | null;
  readonly variant: string | null;
  readonly details: EventDetails;
}

/** What an app says of an event besides: for the filters of goals and for the export. */
export interface EventDetails {
  readonly actionId?: string;
  readonly groupKey?: string;
  readonly state?: string;
  readonly element?: string;
  readonly reason?: string;
  readonly value?: string | number | boolean;
}

/** The most events of a body that are read. */
const maxEvents = 500;
const maxIdLength = 64;
const maxTextLength = 256;
const oldestMs = 30 * 24 * 60 * 60_000;

/** The names that the deployed SDK hands to the app's listener: forwarding them is all that an installed app needs. */
const sdkNames: Readonly<Record<string, ClientType>> = {
  NudgePopupShown: 'impression',
  NudgeBottomSheetShown: 'impression',
  NudgeCtaShown: 'impression',
  NudgeCtaClickEvent: 'click',
  NudgeCtaDismissEvent: 'dismiss',
  NudgeCtaInValid: 'held',
};

const nativeTypes: ReadonlySet<unknown> = new Set(clientTypes);

/**
 * The events of a body. What cannot be counted is dropped, never refused: an app would send it again and again.
 * @returns null for what is no JSON object.
 */
export function readEvents(
  body: unknown,
  now: number,
): { readonly events: readonly ClientEvent[]; readonly dropped: number } | null {
  if (!isObject(body)) return null;
  const given: unknown = body['events'];
  const list: readonly unknown[] = Array.isArray(given) ? given : [];
  const events = list
    .slice(0, maxEvents)
    .map((one) => readEvent(one, now))
    .filter((event) => event !== null);
  return { events, dropped: list.length - events.length };
}

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readEvent(raw: unknown, now: number): ClientEvent | null {
  if (!isObject(raw)) return null;
  // A listener gets the properties of an SDK event as an object of their own.
  const more = isObject(raw['properties']) ? raw['properties'] : {};
  const field = (name: string) => raw[name] ?? more[name];
  const id = raw['id'];
  // An id is never changed: two that become one would be one event.
  if (typeof id !== 'string' || id === '' || id.length > maxIdLength || !isStorable(id)) return null;
  const type = typeOf(raw['type']);
  const at = raw['at'] === undefined ? now : raw['at'];
  if (type === undefined || typeof at !== 'number' || !Number.isSafeInteger(at) || at < now - oldestMs)
    return null;
  const ctaId = idOf(field('ctaId') ?? field('ctaid'));
  const name = textOf(field('name'));
  if (ctaId === undefined || (ctaId === null && type !== 'custom' && type !== 'conversion')) return null;
  if (type === 'custom' && name === undefined) return null;
  const details = detailsOf(field);
  const isOfSdk = typeof raw['type'] === 'string' && Object.hasOwn(sdkNames, raw['type']);
  return {
    id,
    type,
    ctaId,
    at: acceptTime(at, now),
    name: type === 'custom' || type === 'conversion' ? (name ?? null) : null,
    groupKey: details.groupKey ?? '',
    state: details.state ?? (isOfSdk ? null : ''),
    variant: textOf(field('variant')) ?? null,
    details,
  };
}

function typeOf(raw: unknown): ClientType | undefined {
  if (typeof raw !== 'string') return undefined;
  if (nativeTypes.has(raw)) return raw as ClientType;
  return Object.hasOwn(sdkNames, raw) ? sdkNames[raw] : undefined;
}

/** A CTA's id as text; null when none is given, undefined for what is no id. */
function idOf(raw: unknown): string | null | undefined {
  if (raw === undefined || raw === null) return null;
  const text = typeof raw === 'number' ? String(raw) : raw;
  return typeof text === 'string' && /^[1-9]\d{0,14}$/.test(text) ? text : undefined;
}

const textOf = (raw: unknown): string | undefined =>
  typeof raw === 'string' && raw !== ''
    ? raw.slice(0, maxTextLength).toWellFormed().replaceAll('\0', '')
    : undefined;

function detailsOf(field: (name: string) => unknown): EventDetails {
  const value = field('value');
  const texts = (['actionId', 'groupKey', 'state', 'element', 'reason'] as const).flatMap((name) => {
    const given = field(name);
    const text = textOf(typeof given === 'number' ? String(given) : given);
    return text === undefined ? [] : [[name, text] as const];
  });
  return {
    ...Object.fromEntries(texts),
    ...((Number.isFinite(value) || typeof value === 'boolean') && { value: value as number | boolean }),
    ...(typeof value === 'string' && { value: textOf(value) ?? '' }),
  };
}

import { deviceOf, restart, type Device, type Offer } from '../../modules/cta/device/device.ts';
import { joinStates } from '../../modules/cta/state/merge.ts';
import { stringMap } from '../../modules/cta/state/string-map.ts';
import {
  emptyState,
  type CtaState,
  type TagState,
  type UserState,
} from '../../modules/cta/state/user-state.ts';
import type { Environment } from '../base/environment.ts';
import { whenReady, type Ready } from '../base/ready.ts';
import { ctaIn, deviceWith, tagIn } from './change.ts';
import { offerOf, type Rules } from './rules.ts';

/** What is stored of a user: the state, and the CTAs with changes that the server has not confirmed. */
type StoredState = UserState & { readonly unsent: readonly string[] };

/** Everything of one user of one tenant on this device. */
export interface UserMemory {
  readonly environment: Environment;
  readonly userId: string;
  /** Null: never launched here. */
  offer: Offer | null;
  state: UserState;
  /** What the engine works on: the state, and the session of the app. */
  device: Device;
  /** CTAs with changes of this instance that the server has not confirmed. */
  readonly unsent: Set<string>;
  /** What happened since the launch was requested, which its answer may lack. */
  meanwhile: UserState;
  /** The storage as this instance last knew it; null: nothing is there, undefined: it cannot be read. */
  written: string | null | undefined;
  /** CTAs that are stored as unsent, also by other tabs. */
  readonly stored: Set<string>;
  /** When the storage was read; undefined while it is. */
  isReady: boolean;
  loading: Ready<unknown>;
  release(): void;
}

/** As text. */
const maxStored = 1024 * 1024;
/** Whose rules stay of those who left: they may come back without network. Of all who ever used a device they would fill its storage. */
const mostLeft = 5;

const keyOf = ({ environment, userId }: Pick<UserMemory, 'environment' | 'userId'>, what: string): string =>
  `trivet:${encodeURIComponent(environment.tenantId)}:${userId}:${what}`;

export function userMemory(environment: Environment, userId: string): UserMemory {
  const memory: UserMemory = {
    environment,
    userId,
    offer: null,
    state: emptyState,
    device: deviceOf(emptyState),
    unsent: new Set(),
    meanwhile: emptyState,
    written: null,
    stored: new Set(),
    isReady: false,
    loading: undefined,
    release: () => {},
  };
  const { storage, now } = environment;
  const [rulesKey, stateKey] = [keyOf(memory, 'rules'), keyOf(memory, 'state')];
  memory.loading = whenReady(storage.get(rulesKey), (rules) =>
    whenReady(storage.get(stateKey), (text) => {
      readRules(memory, rules);
      memory.written = text;
      memory.state = readState(memory, text);
      memory.device = deviceOf(memory.state);
      startSession(memory, now());
      memory.isReady = true;
    }),
  );
  memory.release = storage.subscribe((key, value) => {
    if (key === rulesKey) readRules(memory, value);
    if (key === stateKey) take(memory, readState(memory, value));
  });
  return memory;
}

/**
 * What a text holds; null if there is none, or if `use` throws: another program wrote it, another version, or a disk. So `use` does what is
 * done with it later.
 */
function parsed<T>(
  { environment }: UserMemory,
  text: string | null | undefined,
  use: (value: T) => void,
): T | null {
  if (!text) return null;
  try {
    const value = JSON.parse(text) as T;
    use(value);
    return value;
  } catch {
    environment.report('CORRUPT_STORAGE', 'What was stored cannot be read; the next launch replaces it.');
    return null;
  }
}
function readRules(memory: UserMemory, text: string | null | undefined): void {
  parsed<Rules>(memory, text, (rules) => {
    const offer = offerOf(rules);
    restart(deviceOf(emptyState), offer, 0);
    memory.offer = offer;
  });
}
const readState = (memory: UserMemory, text: string | null | undefined): UserState =>
  parsed<StoredState>(memory, text, (state) => {
    deviceOf(joined(memory, emptyState, state));
    memory.stored.clear();
    state.unsent.forEach((ctaId) => memory.stored.add(ctaId));
  }) ?? emptyState;

/** The server's own join: the device, other tabs and the server come to the same state in any order. */
export function joined({ offer }: UserMemory, left: UserState, right: UserState): UserState {
  return joinStates(left, right, {
    ctas: {
      get: (id) => ({
        lifespanLimit: offer?.ctas.find(({ ctaId }) => ctaId === id)?.rule.frequency.lifeSpan?.limit,
      }),
    },
    tags: offer?.tags ?? new Map(),
  });
}

/** Takes in what another tab has stored. */
function take(memory: UserMemory, other: UserState): void {
  const state = joined(memory, memory.state, other);
  if (state === memory.state) return;
  memory.state = state;
  memory.meanwhile = joined(memory, memory.meanwhile, other);
  memory.device = deviceWith(state, memory.device);
}

/**
 * What the app does from now on is another session. It sends what another tab has left unsent, too: that tab may be gone, and the answer to
 * a launch replaces all that counts as sent.
 */
export function startSession({ offer, device, stored, unsent }: UserMemory, now: number): void {
  stored.forEach((ctaId) => unsent.add(ctaId));
  if (offer) restart(device, offer, now);
}

/** Takes in a change of this device and stores it. @returns whether it is one. */
export function record(memory: UserMemory, change: UserState): boolean {
  const changed = Object.keys(change.ctas);
  for (const ctaId of changed) memory.unsent.add(ctaId);
  memory.state = joined(memory, memory.state, change);
  memory.meanwhile = joined(memory, memory.meanwhile, change);
  if (changed.length > 0) void save(memory);
  return changed.length > 0;
}

export function saveRules(memory: UserMemory, { ctas, tags }: Rules): void {
  memory.environment.storage.set(keyOf(memory, 'rules'), JSON.stringify({ ctas, tags }));
}

/**
 * Stores the state, and what is unsent here or was left by another tab.
 * @param sent CTAs that the server has confirmed as they were `before`: what changed since, here or in another tab, is unsent.
 */
export function save(memory: UserMemory, sent: readonly string[] = [], before = memory.state): Ready<void> {
  const { storage } = memory.environment;
  const key = keyOf(memory, 'state');
  return whenReady(storage.get(key), (text) => {
    if (text && text !== memory.written) take(memory, readState(memory, text));
    for (const ctaId of sent) {
      // What changed is another object.
      if (ctaIn(before, ctaId) !== ctaIn(memory.state, ctaId)) continue;
      memory.unsent.delete(ctaId);
      memory.stored.delete(ctaId);
    }
    memory.unsent.forEach((ctaId) => memory.stored.add(ctaId));
    storage.set(key, (memory.written = textOf(memory)));
  });
}

function textOf(memory: UserMemory): string {
  for (;;) {
    const text = JSON.stringify(Object.assign({}, memory.state, { unsent: Array.from(memory.stored) }));
    if (text.length <= maxStored || !dropOldest(memory)) return text;
  }
}

/** Leaves out the older half of the machines. Marks stay: limits count them. */
function dropOldest(memory: UserMemory): boolean {
  const ctas = stringMap(memory.state.ctas);
  const times: number[] = [];
  for (const ctaId of Object.keys(ctas)) {
    for (const machine of Object.values(ctas[ctaId]?.machines ?? {})) times.push(machine.lastTransitionAt);
  }
  const middle = times.sort((left, right) => left - right)[times.length >> 1];
  if (middle === undefined) return false;
  for (const ctaId of Object.keys(ctas)) {
    const cta = ctas[ctaId];
    if (!cta) continue;
    const machines = stringMap(cta.machines);
    for (const key of Object.keys(machines)) {
      if ((machines[key]?.lastTransitionAt ?? 0) <= middle) delete machines[key];
    }
    ctas[ctaId] = Object.assign({}, cta, { machines });
  }
  memory.state = Object.assign({}, memory.state, { ctas });
  memory.environment.report(
    'STATE_DROPPED',
    `More than 1 MiB of state: ${Math.ceil(times.length / 2)} state machines were dropped.`,
  );
  return true;
}

/** What of the state the server may not know. */
export function unsentState({ state, unsent, offer }: UserMemory): UserState {
  const ctas = stringMap<CtaState>();
  const tags = stringMap<TagState>();
  unsent.forEach((id) => {
    ctas[id] = ctaIn(state, id);
    const name = offer?.ctas.find(({ ctaId }) => ctaId === id)?.behaviourTagName ?? null;
    if (name !== null) tags[name] = tagIn(state, name);
  });
  return { version: 2, ctas, tags };
}

export function forget(memory: UserMemory): void {
  const { storage } = memory.environment;
  storage.remove(keyOf(memory, 'rules'));
  storage.remove(keyOf(memory, 'state'));
}

/** Another user's turn begins. The state stays: it has what is unsent, and says that a return is no first launch. */
export function leave({ environment, userId }: UserMemory): void {
  const { storage, tenantId } = environment;
  const key = `trivet:${encodeURIComponent(tenantId)}:left`;
  void whenReady(storage.get(key), (text) => {
    const left = (text ?? '').split(' ').filter((id) => id && id !== userId);
    left.push(userId);
    for (const id of left.splice(0, left.length - mostLeft))
      storage.remove(keyOf({ environment, userId: id }, 'rules'));
    storage.set(key, left.join(' '));
  });
}

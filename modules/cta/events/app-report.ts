import type { Host } from '../../../core/host/host.ts';
import { applyDelta } from '../launch/launch.ts';
import { parseSnapshotBody } from '../state/snapshot-body.ts';
import type { StateKey } from '../state/user-state.ts';
import { takeEvents, type EventOutcome } from './client-events.ts';

/** What the app of a user sends in one moment, as the two requests would store it: for examples. @throws Error for what is no snapshot. */
export async function reportAsApp(
  host: Host,
  key: StateKey,
  { snapshot, events }: { readonly snapshot: object; readonly events: readonly object[] },
): Promise<EventOutcome | null> {
  const body = parseSnapshotBody(snapshot, host.clock.now());
  if (!body.ok) throw new Error(body.message);
  const app = { appVersion: null, hotupdateVersion: null, packageName: null, timeZone: null };
  await applyDelta(host, { ...key, ...app }, body);
  return takeEvents(host, key, { events }, true);
}

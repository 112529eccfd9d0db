import type { SnapshotBody, StateMachine } from '../state/snapshot.ts';

/*
 * A second, slow implementation of launches and deltas, in plain maps and sets, which shares no function with the tested code
 * (program.property.test.ts). It supports only pushes whose machine times all differ; merge.test.ts covers equal times.
 */
const thirtyDays = 30 * 24 * 60 * 60 * 1000;

export interface ModelCta {
  readonly ctaId: string;
  status: string;
  readonly startTime: number | null;
  readonly endTime: number | null;
  readonly priority: number;
  /** Milliseconds; 0 means for ever. */
  readonly ttl: number;
  readonly most: number;
  readonly tag: string | null;
  /** The only app version that gets it; null means any. */
  readonly onlyVersion: string | null;
  /** Users that get it; null means everybody. */
  readonly only: Set<string> | null;
}

interface UserCta {
  machines: Map<string, { copy: StateMachine; removed: boolean; heardAt: number }>;
  resetAt: Set<number>;
  resetCleared: number;
  actionDoneAt: Set<number>;
  doneCleared: number;
}

interface User {
  ctas: Map<string, UserCta>;
  active: Map<string, { active: boolean; at: number }>;
  resets: Map<string, { ctaId: string; resetAt: number }>;
  resetsCleared: number;
}

/** A tenant without data; the test moves its clock and its switches. */
export function launchModel() {
  const model = { now: 0, tenantKilled: false, tagKilled: false, ctas: [] as ModelCta[], move, sync, answer };
  const users = new Map<string, User>();

  function statusNow(cta: ModelCta): string {
    let status = cta.status;
    if (status === 'SCHEDULED' && cta.startTime !== null && model.now >= cta.startTime) status = 'LIVE';
    if (status === 'LIVE' && cta.endTime !== null && model.now >= cta.endTime) status = 'CONCLUDED';
    return status;
  }

  /** Changes the status of a CTA. Returns false, and does nothing, if the change is not allowed. */
  function move(cta: ModelCta, to: string): boolean {
    const ways: Record<string, string> = {
      DRAFT: 'LIVE SCHEDULED TERMINATED',
      SCHEDULED: 'LIVE PAUSED DRAFT',
      LIVE: 'PAUSED CONCLUDED TERMINATED',
      PAUSED: 'LIVE SCHEDULED CONCLUDED TERMINATED',
    };
    const from = statusNow(cta);
    if (!(ways[from] ?? '').split(' ').includes(to)) return false;
    const { startTime, endTime } = cta;
    if (to === 'SCHEDULED' && (startTime === null || startTime <= model.now)) return false;
    if (to === 'LIVE' && startTime !== null && startTime > model.now) return false;
    if ((to === 'LIVE' || to === 'SCHEDULED') && endTime !== null && endTime <= model.now) return false;
    cta.status = to;
    return true;
  }

  function isKilled(cta: ModelCta): boolean {
    return model.tenantKilled || (model.tagKilled && cta.tag !== null);
  }

  function keptAs(ctaId: string): 'fresh' | 'frozen' | 'no' | 'unknown' {
    const cta = model.ctas.find((each) => each.ctaId === ctaId);
    if (!cta) return 'unknown';
    const status = statusNow(cta);
    if (status === 'PAUSED' || (status === 'LIVE' && isKilled(cta))) return 'frozen';
    return status === 'LIVE' ? 'fresh' : 'no';
  }

  /** Whether a CTA may be active in the tag: it has not ended. */
  const mayBeActive = (ctaId: string): boolean => keptAs(ctaId) !== 'no';

  function userOf(userId: string): User {
    let user = users.get(userId);
    if (!user) {
      user = { ctas: new Map(), active: new Map(), resets: new Map(), resetsCleared: -Infinity };
      users.set(userId, user);
    }
    return user;
  }

  function isOld(ctaId: string, createdAt: number): boolean {
    const ttl = model.ctas.find((cta) => cta.ctaId === ctaId)?.ttl ?? 0;
    return ttl > 0 && model.now - createdAt > ttl;
  }

  /** A launch or a delta: removes stale state, then adds what was sent. */
  function sync(userId: string, body: SnapshotBody): void {
    const user = userOf(userId);
    for (const [ctaId, cta] of user.ctas) {
      const keeps = keptAs(ctaId);
      if (keeps === 'no' || keeps === 'unknown') user.ctas.delete(ctaId);
      if (keeps !== 'fresh') continue;
      for (const [key, { copy, removed, heardAt }] of cta.machines) {
        if (removed ? model.now - heardAt > thirtyDays : isOld(ctaId, copy.createdAt))
          cta.machines.delete(key);
      }
    }
    for (const ctaId of user.active.keys()) {
      if (!mayBeActive(ctaId)) user.active.delete(ctaId);
    }
    take(user, body);
  }

  function take(user: User, body: SnapshotBody): void {
    const listedAt = new Map<string, number>();
    const resetOf = new Map<string, number>();
    for (const { ctaId, activeStateMachines, resetAt, actionDoneAt } of body.ctas) {
      if (!['fresh', 'frozen'].includes(keptAs(ctaId))) continue;
      const copies = Object.entries(activeStateMachines);
      const times = copies.map(([, copy]) => copy.lastTransitionAt);
      const resets = copies.filter(([, copy]) => copy.reset).map(([, copy]) => copy.lastTransitionAt);
      if (times.length > 0) listedAt.set(ctaId, Math.max(...times));
      if (resets.length > 0) resetOf.set(ctaId, Math.max(...resets));

      const known: UserCta = user.ctas.get(ctaId) ?? {
        machines: new Map(),
        resetAt: new Set(),
        resetCleared: -Infinity,
        actionDoneAt: new Set(),
        doneCleared: -Infinity,
      };
      user.ctas.set(ctaId, known);
      for (const [key, copy] of copies) {
        const there = known.machines.get(key);
        const removed = copy.reset === true;
        if (!removed && isOld(ctaId, copy.createdAt)) continue;
        if (there && there.copy.lastTransitionAt >= copy.lastTransitionAt) continue;
        known.machines.set(key, { copy, removed, heardAt: model.now });
      }
      const cleared = resetOf.get(ctaId);
      if (resetAt?.length === 0 && cleared !== undefined)
        known.resetCleared = Math.max(known.resetCleared, cleared);
      if (actionDoneAt?.length === 0 && cleared !== undefined)
        known.doneCleared = Math.max(known.doneCleared, cleared);
      for (const mark of resetAt ?? []) known.resetAt.add(mark);
      for (const mark of actionDoneAt ?? []) known.actionDoneAt.add(mark);
    }
    for (const tag of body.behaviourTags) {
      const listed = tag.ctaRelation?.activeCtas;
      if (listed) {
        for (const [ctaId, at] of resetOf) if (!listed.includes(ctaId)) say(user, ctaId, false, at);
        for (const ctaId of listed.filter(mayBeActive))
          say(user, ctaId, true, listedAt.get(ctaId) ?? -Infinity);
      }
      const marks = tag.exposureRule?.ctasResetAt;
      if (marks?.length === 0 && resetOf.size > 0) {
        user.resetsCleared = Math.max(user.resetsCleared, ...resetOf.values());
      }
      for (const mark of marks ?? []) {
        if (typeof mark !== 'number') user.resets.set(`${mark.resetAt} ${mark.ctaId}`, mark);
      }
    }
  }

  function say(user: User, ctaId: string, active: boolean, at: number): void {
    const there = user.active.get(ctaId);
    if (there && (there.at > at || (there.at === at && !(there.active && !active)))) return;
    user.active.set(ctaId, { active, at });
  }

  /** The launch response for CTAs (without their rules) and for the tag. */
  function answer(userId: string, version: string | null) {
    const user = userOf(userId);
    const ascending = (marks: Set<number>, cleared: number) =>
      [...marks].filter((mark) => mark > cleared).sort((left, right) => left - right);
    const ctas = model.ctas
      .filter((cta) => statusNow(cta) === 'LIVE' && !isKilled(cta))
      .filter((cta) => cta.onlyVersion === null || cta.onlyVersion === version)
      .filter((cta) => cta.only === null || cta.only.has(userId))
      .sort((left, right) => left.priority - right.priority || Number(left.ctaId) - Number(right.ctaId))
      .map((cta) => {
        const stored = user.ctas.get(cta.ctaId);
        const machines = [...(stored?.machines ?? [])]
          .filter(([, { removed }]) => !removed)
          .sort(([, left], [, right]) => right.copy.lastTransitionAt - left.copy.lastTransitionAt)
          .slice(0, cta.most);
        return {
          ctaId: cta.ctaId,
          activeStateMachines: Object.fromEntries(machines.map(([key, { copy }]) => [key, copy])),
          resetAt: ascending(stored?.resetAt ?? new Set(), stored?.resetCleared ?? -Infinity),
          actionDoneAt: ascending(stored?.actionDoneAt ?? new Set(), stored?.doneCleared ?? -Infinity),
          behaviourTagName: cta.tag,
        };
      });
    const ctasResetAt = [...user.resets.values()]
      .filter(({ resetAt }) => resetAt > user.resetsCleared)
      .sort((left, right) => left.resetAt - right.resetAt || (left.ctaId < right.ctaId ? -1 : 1));
    const activeCtas = [...user.active]
      .filter(([, { active }]) => active)
      .map(([ctaId]) => ctaId)
      .sort((left, right) => Number(left) - Number(right));
    return { ctas, tag: { ctasResetAt, activeCtas } };
  }
  return model;
}

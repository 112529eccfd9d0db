import { perHost, type Host } from '../../../core/host/host.ts';
import { oncePerMinute } from '../../../core/base/log-interval.ts';
import { errorFields } from '../../../core/base/log.ts';
import { readCatalogue } from './catalogue-store.ts';
import { emptyCatalogue, type Catalogue } from './catalogue.ts';

/** A catalogue whose version was confirmed less than this time ago is used without a check. */
const freshMs = 500;

/** Up to this age, requests do not wait for the check: they use the cached catalogue while it runs. Beyond this age, they wait. */
const staleMs = 1000;

interface Catalogues {
  /** The tenant's catalogue, at most one second behind other processes and never behind this process. */
  of(tenantId: string): Promise<Catalogue>;
  /** Marks the cached catalogue as out of date, so that the next request reads it again. */
  forget(tenantId: string): void;
}

type ReadCatalogue = (tenantId: string, known: Catalogue | undefined) => Promise<Catalogue>;

export const catalogues = perHost((host) =>
  holdCatalogues((tenantId, known) => readCatalogue(host.db.q, tenantId, known), host),
);

/**
 * Caches catalogues and refreshes them in time, each by one read at a time. Only catalogues of existing tenants are cached, so that
 * invented names cannot fill the memory; a request for an invented name costs one read of a row by its key.
 */
export function holdCatalogues(read: ReadCatalogue, { clock, log }: Pick<Host, 'clock' | 'log'>): Catalogues {
  const held = new Map<string, { readonly catalogue: Catalogue; readonly confirmedAt: number }>();
  const sayOnce = oncePerMinute();
  const refreshing = new Map<string, Promise<Catalogue>>();

  const refresh = (tenantId: string): Promise<Catalogue> => {
    const running = refreshing.get(tenantId);
    if (running) return running;
    // Confirmed as of the start: the read may miss what is committed while it runs.
    const confirmedAt = clock.now();
    // A read that was overtaken by forget() may have seen the old rows, so its result is not stored.
    const isCurrent = () => refreshing.get(tenantId) === started && refreshing.delete(tenantId);
    const started: Promise<Catalogue> = read(tenantId, held.get(tenantId)?.catalogue).then(
      (catalogue) => {
        if (!isCurrent()) return catalogue;
        if (catalogue === emptyCatalogue) held.delete(tenantId);
        else held.set(tenantId, { catalogue, confirmedAt });
        return catalogue;
      },
      (error: unknown) => {
        isCurrent();
        throw error;
      },
    );
    refreshing.set(tenantId, started);
    return started;
  };

  return {
    of: async (tenantId) => {
      const known = held.get(tenantId);
      if (!known) return refresh(tenantId);
      const age = clock.now() - known.confirmedAt;
      // The clock may have been set back: then the age is unknown.
      if (age >= 0 && age < freshMs) return known.catalogue;
      const refreshed = refresh(tenantId);
      if (age < 0 || age >= staleMs) return refreshed;
      refreshed.catch((error: unknown) =>
        sayOnce('refresh', () => log.warn('catalogue_refresh_failed', errorFields(error))),
      );
      return known.catalogue;
    },
    forget: (tenantId) => {
      const known = held.get(tenantId);
      // Kept so that its unchanged parts can be reused, with an age at which no request uses it.
      if (known) held.set(tenantId, { ...known, confirmedAt: -Infinity });
      refreshing.delete(tenantId);
    },
  };
}

import { perHost, type Host } from '../../../core/host/host.ts';
import { oncePerMinute } from '../../../core/base/log-interval.ts';
import { errorFields } from '../../../core/base/log.ts';
import { readCatalogue } from './catalogue-store.ts';
import { emptyCatalogue, type Catalogue } from './catalogue.ts';

/** A catalogue whose version was confirmed less than this ago is used as it is. */
const freshMs = 500;

/** Until this age requests do not wait for the check: they get the held catalogue while it runs. From then on they wait. */
const staleMs = 1000;

interface Catalogues {
  /** The tenant's catalogue, at most one second behind other processes and never behind this one. */
  of(tenantId: string): Promise<Catalogue>;
  /** Marks the held catalogue as out of date: the next request reads it. */
  forget(tenantId: string): void;
}

type ReadCatalogue = (tenantId: string, known: Catalogue | undefined) => Promise<Catalogue>;

export const catalogues = perHost((host) =>
  holdCatalogues((tenantId, known) => readCatalogue(host.db.q, tenantId, known), host),
);

/**
 * Holds catalogues and reads them again in time, each by one read at once. Only tenants that exist are held, so that invented names
 * cannot fill the memory; a request for such a name costs a read of one row by its key.
 */
export function holdCatalogues(read: ReadCatalogue, { clock, log }: Pick<Host, 'clock' | 'log'>): Catalogues {
  const held = new Map<string, { readonly catalogue: Catalogue; readonly confirmedAt: number }>();
  const sayOnce = oncePerMinute();
  const refreshing = new Map<string, Promise<Catalogue>>();

  const refresh = (tenantId: string): Promise<Catalogue> => {
    const running = refreshing.get(tenantId);
    if (running) return running;
    // Confirmed as of the start: the read may miss what is committed meanwhile.
    const confirmedAt = clock.now();
    // A read that was overtaken by forget() may have seen the old rows: it stores nothing.
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
      // Kept for its unchanged parts, with an age at which no request gets it.
      if (known) held.set(tenantId, { ...known, confirmedAt: -Infinity });
      refreshing.delete(tenantId);
    },
  };
}

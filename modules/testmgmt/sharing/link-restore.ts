import { backInPages, type Back } from '../../../core/db/query/came-back.ts';
import type { Host } from '../../../core/host/host.ts';
import type { LinkBack } from '../../../core/module/module.ts';
import { liveLinksAfter, liveOf } from './share-link-store.ts';

/** The links that a restored database has and that were revoked in the data that it replaced, or lost their maker there. */
export function linksBack({ db: { q }, clock }: Host, before: Host): Promise<Back<LinkBack>> {
  const now = clock.now();
  return backInPages(
    0,
    (after) => liveLinksAfter(q, now, after),
    ({ id }) => id,
    async (_ids, page) => {
      const hashes = page.map(({ hash }) => hash);
      const live = await liveOf(before.db.q, hashes, now);
      return page
        .filter(({ hash }) => !live.has(hash))
        .map(({ id, projectId }) => ({ shareLinkId: id, projectId }));
    },
  );
}

import type { Host } from '../../../core/host/host.ts';
import type { LinkBack } from '../../../core/module/module.ts';
import { linksAtOnce, liveLinksAfter, liveOf } from './share-link-store.ts';

/** The links that a restored database has and that were revoked in the data that it replaced, or lost their maker there. */
export async function linksBack({ db: { q }, clock }: Host, before: Host): Promise<readonly LinkBack[]> {
  const now = clock.now();
  const back: LinkBack[] = [];
  for (let after = 0; ;) {
    const page = await liveLinksAfter(q, now, after);
    const hashes = page.map(({ hash }) => hash);
    const live = await liveOf(before.db.q, hashes, now);
    for (const { id, projectId, hash } of page)
      if (!live.has(hash)) back.push({ shareLinkId: id, projectId });
    const last = page.at(-1);
    if (!last || page.length < linksAtOnce) return back;
    after = last.id;
  }
}

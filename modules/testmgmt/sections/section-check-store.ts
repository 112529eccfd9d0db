import { asc } from 'drizzle-orm';
import type { Query } from '../../../core/db/query/db.ts';
import type { Check, Finding } from '../../../core/module/module.ts';
import { nextTurn, turnIsOver } from '../../../core/base/turns.ts';
import { projects } from '../base/schema.ts';
import { unreachableSections } from '../rules/section-tree.ts';
import { sectionRows } from './section-store.ts';

/**
 * Finds sections that no top section reaches, e.g. below a deleted one: no list shows them, nor their tests. A finding is confirmed in a
 * transaction, because a server may be moving sections.
 */
export const sectionCheck: Check = {
  name: 'sections',
  run: async ({ db }) => {
    const found: Finding[] = [];
    const lost = async (q: Query, id: number) => unreachableSections(await sectionRows(q, id));
    for (const { id } of await db.q.select({ id: projects.id }).from(projects).orderBy(asc(projects.id))) {
      if (turnIsOver()) await nextTurn();
      if ((await lost(db.q, id)).length === 0) continue;
      for (const section of await db.tx((q) => lost(q, id)))
        found.push({
          finding: 'lost_section',
          message: `section ${section.id} of project ${id} is in no list: ${section.why}.`,
          remedy: `Run trivet call move-section -a sectionId=${section.id} -a parentSectionId=null, then this check again. If a top section has the same name, rename one of them with edit-section first.`,
        });
    }
    return found;
  },
};

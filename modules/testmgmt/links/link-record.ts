import { Type, type Static, type TArray } from '@sinclair/typebox';
import { isoTime } from '../../../core/base/clock.ts';
import { closedObject, nullable, words } from '../../../core/base/schema.ts';
import type { LinkKind } from '../base/evidence-schema.ts';
import type { LinkTemplate } from '../base/schema.ts';
import { nameText } from '../base/parameters.ts';
import { addressOfKey, maxUrl } from './link-template.ts';

const linkKinds = ['requirement', 'defect', 'reference'] as const satisfies readonly LinkKind[];

export const linkKind = words(linkKinds, { description: 'What the test is for, what is wrong, or other.' });

/** A link in the record of its test. */
const shownLink = closedObject({
  linkId: Type.Integer(),
  kind: linkKind,
  key: Type.String(),
  url: nullable(Type.String()),
});

/** Links in a record of the default tools, whose schemas every client pays for. */
export const shownLinkList = Type.Array(Type.Unknown()) as unknown as TArray<typeof shownLink>;

export const linkRecord = closedObject({
  ...shownLink.properties,
  testId: Type.Integer(),
  runId: nullable(Type.Integer()),
  by: Type.Integer(),
  at: Type.String(),
});

/** A stored link. */
export interface Link {
  readonly id: number;
  readonly testId: number;
  readonly runId: number | null;
  readonly kind: LinkKind;
  readonly key: string;
  readonly url: string | null;
  readonly by: number;
  readonly at: number;
}

export const shownLinkOf = ({ id, kind, key, url }: Link, templates: readonly LinkTemplate[]) => ({
  linkId: id,
  kind,
  key,
  url: url ?? addressOfKey(templates, key),
});

export const linkRecordOf = (link: Link, templates: readonly LinkTemplate[]) => ({
  ...shownLinkOf(link, templates),
  testId: link.testId,
  runId: link.runId,
  by: link.by,
  at: isoTime(link.at),
});

/** The kinds of links in an exported test, by the names of TestRail. */
export const exportedKinds = { refs: 'requirement', defects: 'defect' } as const;

const keysOf = (links: readonly Link[], kind: LinkKind): string[] =>
  links.filter((link) => link.kind === kind).map(({ key }) => key);

/** A link of an exported test that `refs` and `defects` do not say whole: another kind, or an address of its own. */
export const otherLink = closedObject({
  kind: linkKind,
  key: nameText('e.g. SHOP-12.'),
  url: Type.Optional(Type.String({ maxLength: maxUrl, description: 'Its own address.' })),
});

const otherLinksOf = (links: readonly Link[]): Array<Static<typeof otherLink>> =>
  links
    .filter(({ kind, url }) => kind === 'reference' || url !== null)
    .map(({ kind, key, url }) => ({ kind, key, ...(url !== null && { url }) }));

/** The links of an exported test; most have no others. */
export function exportedLinksOf(links: readonly Link[]) {
  const otherLinks = otherLinksOf(links);
  return {
    refs: keysOf(links, exportedKinds.refs),
    defects: keysOf(links, exportedKinds.defects),
    ...(otherLinks.length > 0 && { otherLinks }),
  };
}

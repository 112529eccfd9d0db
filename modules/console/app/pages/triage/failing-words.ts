import type { Output } from '../../api/calls.ts';
import { numberText } from '../../design/amount.ts';
import { shortRunName } from './short-run-name.ts';
import { t } from '../../texts/text.ts';

type Found = Pick<Output<'get-failure-groups'>, 'failing' | 'newlyFailing' | 'added' | 'comparedWith'>;

/**
 * How many tests of a run fail, and how many of them are new, e.g. "3 failing: 2 new since #424". What
 * was not in the run before is named apart: it is not known to fail for longer.
 * @param failed as the page has it, which may be ahead of what the server found.
 */
export function failingText(failed: number, found: Found | undefined): string {
  const failing = numberText(failed);
  if (!found?.comparedWith || found.failing !== failed) return t('{failing} failing', { failing });
  const { newlyFailing, added, comparedWith } = found;
  const since = shortRunName(comparedWith.runName);
  const text =
    newlyFailing === 0
      ? t('{failing} failing: none new since {since}', { failing, since })
      : t('{failing} failing: {newlyFailing} new since {since}', {
          failing,
          newlyFailing: numberText(newlyFailing),
          since,
        });
  return added === 0 ? text : t('{text}, {added} not in that run', { text, added: numberText(added) });
}

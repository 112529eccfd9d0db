import type { Json } from './json-path.ts';
import { listOf, objectOf } from './json-path.ts';
import { nudgeContent } from './nudge-content.ts';
import { initialState, statesOf, transitionsOf } from './rule-edits.ts';
import { t } from '../../texts/text.ts';

const longest = 40;
const cut = (text: string): string =>
  text.length > longest ? `${text.slice(0, longest - 1).toWellFormed()}…` : text;

/** What an action shows: the title of its template, else its id. */
function shownBy(rule: Json, actionId: string): string {
  const action = listOf(rule['actions'])
    .map(objectOf)
    .find((one) => String(one['actionId'] ?? '') === actionId);
  const { title, texts } = nudgeContent(action?.['template']);
  const said = (title ?? texts[0] ?? '').trim();
  return said === ''
    ? t('Shows {actionId}', { actionId: cut(actionId) })
    : t('Shows “{said}”', { said: cut(said) });
}

/** A name for a state, from what happens there: apps know only its number. */
export function stateName(rule: Json, state: string): string {
  const found = statesOf(rule).find((one) => one.state === state);
  if (state === initialState && !found?.actionId) return t('Start');
  if (found?.actionId) return shownBy(rule, found.actionId);
  const events = [...new Set(transitionsOf(rule).flatMap(({ to, event }) => (to === state ? [event] : [])))];
  if (events.length === 0) return t('Unreachable');
  const after = cut(events.join(' or '));
  return found?.isReset ? t('Ends after {after}', { after }) : t('After {after}', { after });
}

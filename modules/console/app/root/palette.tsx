import { useState } from 'react';
import { Autocomplete, Input, ListBox, ListBoxItem, SearchField } from 'react-aria-components';
import { useLocation } from 'wouter';
import { Dialog } from '../design/dialog.tsx';
import { useProjects } from '../frame/organizations.ts';
import { foundEntries, type Entry } from './palette-order.ts';
import { recentEntries, rememberEntry } from './palette-recent.ts';
import { useRecords } from './palette-records.ts';
import { projectTitle } from './places.ts';
import { t } from '../texts/text.ts';

interface PaletteProps {
  readonly groups: ReadonlyArray<{
    readonly title: string;
    readonly places: ReadonlyArray<{ readonly to: string; readonly name: string }>;
  }>;
  /** Addresses that begin something new. */
  readonly actions: readonly Entry[];
  readonly projectId: number | null;
  readonly onSignOut: () => void;
  readonly onClose: () => void;
}

/** What a small window shows without scrolling. More matches are no help: the next letter is. */
const most = 10;

const signOut: Entry = { id: 'sign-out', name: t('Sign out'), group: t('Actions') };

/**
 * Ctrl K: every page and project, tests and runs by name or id, milestones, plans, saved queries, CTAs, cohorts and people, and what can be
 * begun. Mounted while it is open, so that nothing is searched for before.
 */
export function Palette({ groups, actions, projectId, onSignOut, onClose }: PaletteProps) {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const [recent] = useState(recentEntries);
  const { projects } = useProjects();
  const records = useRecords(text, projectId);
  const project = projects.find((one) => one.projectId === projectId);
  const alsoOf = (title: string) => title === projectTitle && project && { also: project.projectName };
  const places: readonly Entry[] = [
    ...groups.flatMap(({ title, places: some }) =>
      some.map(({ to, name }) => ({ id: to, name, group: title, ...(to !== '/' && alsoOf(title)) })),
    ),
    ...projects.flatMap(({ projectId: id, projectName }) => [
      { id: `/projects/${id}/tests`, name: t('{projectName}: tests', { projectName }), group: t('Projects') },
      { id: `/projects/${id}/runs`, name: t('{projectName}: runs', { projectName }), group: t('Projects') },
    ]),
  ];
  // The first of equal addresses stays: a page before what was opened lately, which may have its old name.
  const known = [...records, ...actions, signOut, ...places, ...recent];
  const entries = [...Map.groupBy(known, ({ id }) => id).values()].flatMap(([first]) => first ?? []);
  const found = foundEntries(
    text,
    entries,
    recent.map(({ id }) => id),
    most,
  );
  const go = (id: string) => {
    onClose();
    const chosen = found.find((one) => one.id === id);
    if (id === signOut.id) return onSignOut();
    if (chosen) rememberEntry(chosen);
    navigate(id);
  };
  return (
    <Dialog title={t('Go to')} onClose={onClose}>
      <div className="palette">
        <Autocomplete inputValue={text} onInputChange={setText}>
          <SearchField
            aria-label={t('Page, test, run or command')}
            autoFocus
            onSubmit={() => {
              // What the server found replaces the list, and with it the row that Enter would open: then it is the first one.
              const [first] = found;
              if (first && !document.activeElement?.getAttribute('aria-activedescendant')) go(first.id);
            }}
          >
            <Input className="input" placeholder={t('Page, test, run or command')} />
          </SearchField>
          <ListBox
            aria-label={t('What was found')}
            items={found}
            onAction={(key) => go(String(key))}
            renderEmptyState={() => <p className="note">{t('Nothing found')}</p>}
          >
            {({ id, name, group, recordId }) => (
              <ListBoxItem id={id} textValue={name} className="menu-item">
                <span className="cut">{name}</span>
                <span className="note">{recordId === undefined ? group : `${group} ${recordId}`}</span>
              </ListBoxItem>
            )}
          </ListBox>
        </Autocomplete>
      </div>
    </Dialog>
  );
}

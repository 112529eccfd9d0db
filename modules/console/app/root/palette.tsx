import { useState } from 'react';
import { Input, ListBox, ListBoxItem, Autocomplete, SearchField, useFilter } from 'react-aria-components';
import { useLocation } from 'wouter';
import { Dialog } from '../design/dialog.tsx';
import { useProjects } from '../frame/organizations.ts';

interface PaletteProps {
  readonly groups: ReadonlyArray<{
    readonly title: string;
    readonly places: ReadonlyArray<{ readonly to: string; readonly name: string }>;
  }>;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Ctrl K: every page and every project by a few letters. */
export function Palette({ groups, isOpen, onClose }: PaletteProps) {
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const { contains } = useFilter({ sensitivity: 'base' });
  const { projects } = useProjects(isOpen);
  const items = [
    ...groups.flatMap(({ title, places }) => places.map(({ to, name }) => ({ id: to, name, group: title }))),
    ...projects.flatMap(({ projectId, projectName }) => [
      { id: `/projects/${projectId}/tests`, name: `${projectName}: tests`, group: 'Projects' },
      { id: `/projects/${projectId}/runs`, name: `${projectName}: runs`, group: 'Projects' },
    ]),
  ].filter(({ id }, index, all) => all.findIndex((one) => one.id === id) === index);
  const go = (to: string) => {
    onClose();
    setText('');
    navigate(to);
  };
  return (
    <Dialog title="Go to" isOpen={isOpen} onClose={onClose}>
      <div className="palette">
        <Autocomplete filter={contains} inputValue={text} onInputChange={setText}>
          <SearchField aria-label="Page or project" autoFocus>
            <Input className="input" placeholder="Page or project" />
          </SearchField>
          <ListBox
            className="palette-list"
            aria-label="Pages and projects"
            items={items}
            onAction={(key) => go(String(key))}
          >
            {({ id, name, group }) => (
              <ListBoxItem id={id} textValue={name} className="menu-item">
                <span>{name}</span>
                <span className="note">{group}</span>
              </ListBoxItem>
            )}
          </ListBox>
        </Autocomplete>
      </div>
    </Dialog>
  );
}

import type { ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from 'react-aria-components';

interface TabsProps {
  readonly label: string;
  readonly tabs: ReadonlyArray<{ readonly id: string; readonly name: string; readonly content: ReactNode }>;
  readonly selected?: string;
  readonly onChange?: (id: string) => void;
  /** The part fills the height that is left, and scrolls in itself. */
  readonly fills?: boolean;
}

/** Parts of a page, of which one is shown at a time. */
export const Tabs = ({ label, tabs, selected, onChange, fills = false }: TabsProps) => (
  <AriaTabs
    className={fills ? 'tabs fill' : 'tabs'}
    {...(selected !== undefined && { selectedKey: selected })}
    {...(onChange && { onSelectionChange: (key) => onChange(String(key)) })}
  >
    <TabList aria-label={label} className="tab-list">
      {tabs.map(({ id, name }) => (
        <Tab key={id} id={id} className="tab">
          {name}
        </Tab>
      ))}
    </TabList>
    {tabs.map(({ id, content }) => (
      <TabPanel key={id} id={id} className="tab-panel">
        {content}
      </TabPanel>
    ))}
  </AriaTabs>
);

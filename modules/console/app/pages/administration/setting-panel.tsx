import { countText } from '../../design/amount.ts';
import { useState } from 'react';
import { useTool } from '../../api/queries.ts';
import { Field } from '../../design/fields.tsx';
import { Alert, Answer } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { useAddress } from '../../frame/router.tsx';
import { effectText, foundSettings, remedyText, sourceText, valueText } from './setting-filter.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

/** Every setting with its value and where it was given. */
export function SettingPanel() {
  const [state, change] = useAddress();
  const [search, setSearch] = useState(state.get('search') ?? '');
  const settings = useTool('get-server-settings', { limit: 500 });
  return (
    <div className="stack">
      <Alert kind="info">
        {t(
          'Change the flag, the variable or the file, then restart the server. Some settings of the file take effect with "trivet reload": each says what it needs. Secrets are masked.',
        )}
      </Alert>
      <Field
        label={t('Search settings')}
        type="search"
        value={search}
        onChange={(text) => {
          setSearch(text);
          change({ search: text });
        }}
      />
      <Answer of={settings}>
        {({ settings: all }) => {
          const found = foundSettings(all, search);
          return (
            <>
              <p className="note" role="status">
                {nodes('{found} of {settings}', {
                  found: found.length,
                  settings: countText(all.length, 'setting'),
                })}
              </p>
              <Table
                label={t('Settings')}
                rows={found}
                keyOf={({ name }) => name}
                columns={[
                  { title: t('Setting'), cell: ({ name }) => <span className="mono">{name}</span> },
                  {
                    title: t('Value'),
                    cell: ({ value }) =>
                      value === null ? (
                        <span className="note">{t('not set')}</span>
                      ) : (
                        <span className="mono wrap">{valueText(value)}</span>
                      ),
                  },
                  {
                    title: t('Given by'),
                    cell: (setting) => (
                      <span
                        className={
                          setting.origin === 'default' || setting.origin === 'not set' ? 'note' : 'mono'
                        }
                      >
                        {sourceText(setting)}
                      </span>
                    ),
                  },
                  {
                    title: t('What it does'),
                    cell: ({ description }) => <p className="table-text">{description}</p>,
                  },
                ]}
                detail={{
                  label: ({ name }) => t('How to change {name}', { name }),
                  content: (setting) => (
                    <p>
                      {remedyText(setting)} {effectText(setting)}
                    </p>
                  ),
                }}
              />
            </>
          );
        }}
      </Answer>
    </div>
  );
}

import { useState } from 'react';
import { Facts } from '../../design/facts.tsx';
import { Grid } from '../../design/grid/grid.tsx';
import { Pager } from '../../design/pager.tsx';
import { RichText } from '../../design/rich-text.tsx';
import { HistoryStrip, ProgressBar, Status, statuses } from '../../design/status.tsx';
import { Table } from '../../design/table.tsx';
import { Time } from '../../design/time.tsx';

const counts = { passed: 12, failed: 3, blocked: 1, retest: 2, untested: 6, total: 24 };
const history = (['passed', 'failed', 'passed', 'blocked', 'retest', 'passed'] as const).map((status) => ({
  status,
  title: status,
}));
const rows = ['Pay with a card', 'Pay with a voucher', 'Cancel the order'].map((name, index) => ({
  id: index + 1,
  name,
  runs: (index + 1) * 7,
}));
const exampleText = '**Bold**, `code`, a [link](https://example.org) and a list:\n\n- one\n- two';

/** How data is shown. @param scheme names its regions apart. */
export function DesignData({ scheme }: { readonly scheme: string }) {
  const [offset, setOffset] = useState(0);
  const [current, setCurrent] = useState(0);
  return (
    <>
      <h3>Results</h3>
      <div className="row">
        {statuses.map((status) => (
          <Status key={status} of={status} />
        ))}
        <span className="badge">badge</span>
      </div>
      <ProgressBar counts={counts} />
      <div className="row">
        <HistoryStrip results={history} />
      </div>
      <h3>Table</h3>
      <Table
        label={`Example table, ${scheme}`}
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Test', cell: ({ name }) => name },
          { title: 'Runs', isNumber: true, cell: ({ runs }) => runs },
          { title: 'Changed', cell: () => <Time at={Date.now() - 7_200_000} /> },
        ]}
        detail={{
          label: ({ name }) => `Details of ${name}, ${scheme}`,
          content: ({ id, name }) => (
            <Facts
              of={[
                { name: 'Name', value: name },
                { name: 'Id', value: id },
              ]}
            />
          ),
        }}
      />
      <Pager
        of={{ kind: 'noun', one: `row, ${scheme}`, several: `rows, ${scheme}` }}
        total={120}
        limit={50}
        offset={offset}
        onOffset={setOffset}
      />
      <h3>Grid</h3>
      <Grid
        label={`Example grid, ${scheme}`}
        height="9rem"
        total={rows.length}
        rowAt={(index) => rows[index]}
        idOf={({ id }) => id}
        current={current}
        onCurrent={setCurrent}
        columns={[
          {
            key: 'name',
            title: 'Test',
            width: 'minmax(10rem, 1fr)',
            room: 160,
            cell: ({ name }) => name,
            sort: 'name',
          },
          { key: 'runs', title: 'Runs', width: '5rem', room: 80, isNumber: true, cell: ({ runs }) => runs },
        ]}
        sorted={{ by: 'name', descending: false }}
        onSort={() => undefined}
      />
      <h3>Text of a person</h3>
      <RichText>{exampleText}</RichText>
    </>
  );
}

import { useState } from 'react';
import { useMetadataPage, type MetadataListing, type Named } from '../../api/metadata.ts';
import { Button } from '../../design/button.tsx';
import { Listing } from '../../design/listing.tsx';
import { ActionMenu } from '../../design/menu.tsx';
import { Empty } from '../../design/states.tsx';
import { usePaging } from '../../frame/paging.ts';
import { MetadataDialog, type MetadataAction } from './metadata-dialog.tsx';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

interface PanelProps {
  readonly projectId: number;
  readonly listing: MetadataListing;
  readonly mayWrite: boolean;
}

/** One of the lists of a project: labels, squads or the values of a classification. */
export function MetadataPanel({ projectId, listing, mayWrite }: PanelProps) {
  const { page, pager } = usePaging();
  const values = useMetadataPage(listing, { projectId, ...page });
  const [action, setAction] = useState<MetadataAction | null>(null);
  const { singular, plural } = listing;
  const add = (
    <Button kind="primary" onPress={() => setAction({ kind: 'add' })}>
      {nodes('Add {plural}', { plural })}
    </Button>
  );
  const actionsFor = (value: Named) => [
    { id: 'rename', name: t('Rename…'), onAction: () => setAction({ kind: 'rename', value }) },
    { id: 'merge', name: t('Merge into another…'), onAction: () => setAction({ kind: 'merge', value }) },
    { id: 'delete', name: t('Delete…'), onAction: () => setAction({ kind: 'delete', value }) },
  ];
  return (
    <div className="stack">
      {mayWrite && (values.data?.total ?? 0) > 0 && <div className="row end">{add}</div>}
      <Listing
        of={values}
        label={plural}
        rowsOf={({ values: rows }) => rows}
        keyOf={({ id }) => id}
        columns={[
          { title: t('Name'), cell: ({ name }) => name },
          ...(mayWrite
            ? [
                {
                  title: t('Actions'),
                  hideTitle: true,
                  isNumber: true,
                  cell: (value: Named) => (
                    <ActionMenu
                      small
                      label={t('Actions for {name}', { name: value.name })}
                      actions={actionsFor(value)}
                    />
                  ),
                },
              ]
            : []),
        ]}
        names={[singular, plural]}
        pager={pager}
        empty={
          <Empty title={t('No {singular} yet', { singular })}>
            <p>{nodes('Tests are found and counted by their {plural}.', { plural })}</p>
            {mayWrite && add}
          </Empty>
        }
      />
      {action && (
        <MetadataDialog
          projectId={projectId}
          listing={listing}
          action={action}
          onClose={() => setAction(null)}
        />
      )}
    </div>
  );
}

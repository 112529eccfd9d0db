import { useEffect, useState } from 'react';
import { isRefused } from '../../api/call.ts';
import { useChange, useMe } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { Button } from '../../design/button.tsx';
import { ActionDialog } from '../../design/dialog.tsx';
import { Check, Choice, Field } from '../../design/fields.tsx';
import { Empty } from '../../design/states.tsx';
import { say } from '../../design/toast.tsx';
import { useMay } from '../../frame/organizations.ts';
import { useAddress } from '../../frame/router.tsx';
import { firstTenant, forgetTenant, knownTenants, lastTenant, rememberTenant } from './tenant-memory.ts';
import { t } from '../../texts/text.ts';

/** The tenant of the address; a page that is opened without one shows the tenant that was shown before. */
export function useTenant() {
  const [address, change] = useAddress();
  const inAddress = address.get('tenant');
  const last = lastTenant();
  const tenantId = inAddress ?? last;
  useEffect(() => {
    if (inAddress === null && last !== firstTenant) change({ tenant: last });
    else rememberTenant(tenantId);
  }, [inAddress, last, tenantId, change]);
  const choose = (id: string) => {
    rememberTenant(id);
    // What is searched and selected belongs to the other tenant.
    change(
      { ...Object.fromEntries([...address.keys()].map((key) => [key, null])), tenant: id },
      { push: true },
    );
  };
  return [tenantId, choose] as const;
}

const another = '\u0000another';

/** Which tenant is shown. The server lists none, so the ones that were opened here are offered. */
export function TenantChooser() {
  const [tenantId, choose] = useTenant();
  const [isOpening, setOpening] = useState(false);
  const names = [...new Set([firstTenant, tenantId, ...knownTenants()])].toSorted();
  return (
    <>
      <Choice
        label={t('Tenant')}
        hideLabel
        options={[
          ...names.map((name) => ({ id: name, name: t('Tenant {name}', { name }) })),
          { id: another, name: t('Another tenant…') },
        ]}
        value={tenantId}
        onChange={(id) => (id === another ? setOpening(true) : choose(id))}
      />
      {isOpening && <OpenTenant onClose={() => setOpening(false)} onChoose={choose} />}
    </>
  );
}

interface OpenTenantProps {
  readonly name?: string;
  readonly onClose: () => void;
  readonly onChoose: (tenantId: string) => void;
}

function OpenTenant({ name = '', onClose, onChoose }: OpenTenantProps) {
  const organizations = (useMe().data?.organizations ?? []).filter(({ role }) => role === 'admin');
  const create = useChange('create-tenant');
  const form = useTyped('open-tenant', () => ({ tenantId: name }));
  const { tenantId } = form.typed;
  const [isNew, setNew] = useState(name !== '');
  const [chosen, setChosen] = useState<string | null>(null);
  const orgId = Number(chosen ?? organizations[0]?.orgId ?? 0);
  return (
    <ActionDialog
      title={isNew ? t('Create tenant') : t('Open tenant')}
      action={isNew ? t('Create tenant') : t('Open tenant')}
      onClose={onClose}
      form={form}
      isDisabled={tenantId.trim() === ''}
      onConfirm={async () => {
        const id = tenantId.trim();
        if (isNew) {
          await create.mutateAsync({ tenantId: id, orgId });
          say(t('The tenant {id} was created.', { id }));
        }
        onChoose(id);
      }}
    >
      <Field
        label={t('Tenant')}
        note={t('As the app sends it: letters, digits, dot, underscore, colon and hyphen.')}
        {...form.field('tenantId')}
        maxLength={128}
        autoFocus
      />
      {organizations.length > 0 && (
        <Check isSelected={isNew} onChange={setNew}>
          {t('Create it: it does not exist yet')}
        </Check>
      )}
      {isNew && organizations.length > 1 && (
        <Choice
          label={t('Organization')}
          options={organizations.map(({ orgId: id, orgName }) => ({ id: String(id), name: orgName }))}
          value={String(orgId)}
          onChange={setChosen}
        />
      )}
    </ActionDialog>
  );
}

/** Whether an answer failed because the tenant does not exist. */
export const isNoTenant = (error: unknown): boolean => isRefused(error, 'TENANT_NOT_FOUND');

/** What stands where the things of a tenant would be, while there is no such tenant. */
export function NoTenant() {
  const [tenantId, choose] = useTenant();
  const [isOpening, setOpening] = useState(false);
  const mayCreate = useMay('admin');
  useEffect(() => forgetTenant(tenantId), [tenantId]);
  return (
    <Empty title={t('There is no tenant {tenantId} yet', { tenantId })}>
      <p>{t('A tenant holds the CTAs of one app. The app sends its id.')}</p>
      {mayCreate ? (
        <Button kind="primary" onPress={() => setOpening(true)}>
          {t('Create tenant')}
        </Button>
      ) : (
        <p>{t('Ask an administrator to create it.')}</p>
      )}
      {isOpening && <OpenTenant name={tenantId} onClose={() => setOpening(false)} onChoose={choose} />}
    </Empty>
  );
}

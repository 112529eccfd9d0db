import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Me } from '../api/queries.ts';
import { Avatar } from '../design/marks/avatar.tsx';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Choice } from '../design/fields.tsx';
import { ActionMenu } from '../design/menu.tsx';
import { changeAppearance, densities, schemes, useAppearance } from '../design/appearance.ts';
import { ownPlaces } from './places.ts';
import { t } from '../texts/text.ts';

interface AccountMenuProps {
  readonly me: Me;
  readonly onPalette: () => void;
  readonly onSignOut: () => void;
}

/** What belongs to the person: their tokens and sessions, how the console looks, and the way out. */
export function AccountMenu({ me, onPalette, onSignOut }: AccountMenuProps) {
  const [, navigate] = useLocation();
  const [isAppearanceOpen, setAppearanceOpen] = useState(false);
  const name = me.name ?? me.email ?? t('Account');
  return (
    <>
      <ActionMenu
        label={t('account and commands')}
        text={name}
        before={<Avatar name={name} id={me.userId} />}
        icon="switch"
        actions={[
          { id: 'palette', name: t('Go to… (Ctrl K)'), onAction: onPalette },
          ...ownPlaces.map(({ to, name: page }) => ({ id: to, name: page, onAction: () => navigate(to) })),
          { id: 'appearance', name: t('Appearance'), onAction: () => setAppearanceOpen(true) },
          { id: 'sign-out', name: t('Sign out'), onAction: onSignOut },
        ]}
      />
      {isAppearanceOpen && <AppearanceDialog onClose={() => setAppearanceOpen(false)} />}
    </>
  );
}

const schemeNames = { system: t('As the system'), light: t('Light'), dark: t('Dark') } as const;
const densityNames = { compact: t('Compact'), comfortable: t('Comfortable') } as const;

function AppearanceDialog({ onClose }: { readonly onClose: () => void }) {
  const { scheme, density } = useAppearance();
  return (
    <Dialog title={t('Appearance')} onClose={onClose}>
      <div className="stack">
        <Choice
          label={t('Colours')}
          options={schemes.map((id) => ({ id, name: schemeNames[id] }))}
          value={scheme}
          onChange={(id) => {
            const chosen = schemes.find((one) => one === id);
            if (chosen) changeAppearance({ scheme: chosen });
          }}
        />
        <Choice
          label={t('Rows of tables')}
          options={densities.map((id) => ({ id, name: densityNames[id] }))}
          value={density}
          onChange={(id) => {
            const chosen = densities.find((one) => one === id);
            if (chosen) changeAppearance({ density: chosen });
          }}
        />
        <p className="note">{t('Stored in this browser only.')}</p>
        <div className="row end">
          <Button kind="primary" onPress={onClose}>
            {t('Close')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

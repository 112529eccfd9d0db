import { useState } from 'react';
import { Link } from 'wouter';
import type { Output } from '../../api/calls.ts';
import { useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { Field } from '../../design/fields.tsx';
import { Listing } from '../../design/listing.tsx';
import { Alert, Empty } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { usePaging } from '../../frame/paging.ts';
import { useAddress } from '../../frame/router.tsx';
import { CtaStatusText } from '../ctas/cta-status.tsx';
import { explanationText } from './explain-words.ts';
import { lightsOf } from './simulation-words.ts';

/** Why a user sees each CTA or not, gate by gate. */
export function ExplainTab({ tenantId }: { readonly tenantId: string }) {
  const [address, change] = useAddress();
  const [asked, appVersion, packageName, timeZone] = ['user', 'version', 'package', 'zone'].map(
    (name) => address.get(name) ?? '',
  );
  const [user, setUser] = useState(asked ?? '');
  const [version, setVersion] = useState(appVersion ?? '');
  const [packageText, setPackage] = useState(packageName ?? '');
  const [zone, setZone] = useState(timeZone ?? '');
  const { page, pager } = usePaging();
  const explained = useTool(
    'explain-cta',
    {
      tenantId,
      userId: asked ?? '',
      ...page,
      ...(appVersion && { appVersion }),
      ...(packageName && { packageName }),
      ...(timeZone && { timeZone }),
    },
    { enabled: Boolean(asked), keep: true },
  );
  return (
    <div className="stack">
      <form
        className="gate-fields"
        aria-label="Explanation"
        onSubmit={(event) => {
          event.preventDefault();
          const isSame =
            user.trim() === asked &&
            version === appVersion &&
            packageText === packageName &&
            zone.trim() === timeZone;
          // The same question may have a different result by now.
          if (isSame) void explained.refetch();
          else
            change({
              user: user.trim(),
              version,
              package: packageText,
              zone: zone.trim() || null,
              offset: null,
            });
        }}
      >
        <Field label="User id" value={user} onChange={setUser} inputMode="numeric" />
        <Field label="App version" value={version} onChange={setVersion} />
        <Field label="Package" value={packageText} onChange={setPackage} />
        <Field label="Time zone" value={zone} onChange={setZone} placeholder="Europe/Berlin" />
        <Button type="submit" kind="primary" isDisabled={user.trim() === ''}>
          Explain
        </Button>
      </form>
      {!asked ? (
        <p className="note">
          Type the id of a user, as in auth-userid, to see which CTAs the user gets and what keeps the others
          away.
        </p>
      ) : (
        <>
          {explained.data?.dropped && (
            <Alert kind="warning">
              Something that an app sent of this user was too large and was dropped{' '}
              <Time at={explained.data.dropped.at} />: {explained.data.dropped.reasons.join(', ')}.
            </Alert>
          )}
          <Listing
            of={explained}
            label="CTAs and their gates"
            rowsOf={({ ctas }) => ctas}
            keyOf={({ ctaId }) => ctaId}
            columns={[
              {
                title: 'CTA',
                cell: ({ ctaId, name }) => (
                  <div className="cta-name">
                    <Link href={`/ctas/${ctaId}`}>{name}</Link>
                  </div>
                ),
              },
              { title: 'Status', cell: ({ status }) => <CtaStatusText of={status} /> },
              { title: 'Gates', cell: (cta) => <Lights of={cta} /> },
              {
                title: 'Why',
                cell: (cta) => {
                  const { word, why } = explanationText(cta);
                  return (
                    <div className="gate-why">
                      <strong>{word}</strong> {why}
                    </div>
                  );
                },
              },
            ]}
            names={['CTA', 'CTAs']}
            pager={pager}
            empty={<Empty title="This tenant has no CTA" />}
          />
        </>
      )}
    </div>
  );
}

type Cta = Output<'explain-cta'>['ctas'][number];

/** Every gate as a light, in the order in which they are asked. */
function Lights({ of }: { readonly of: Cta }) {
  const lights = lightsOf(of);
  const open = lights.filter(({ is }) => is === 'open').length;
  const closed = lights.find(({ is }) => is === 'closed');
  return (
    <span
      className="gate-lights"
      role="img"
      aria-label={`${open} of ${lights.length} gates are open${closed ? `, closed at ${closed.name}` : ''}`}
    >
      {lights.map(({ gate, name, is }) => (
        <span key={gate} className={`gate-light ${is.replace(' ', '-')}`} title={`${name}: ${is}`} />
      ))}
    </span>
  );
}

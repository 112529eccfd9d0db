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
import { lightsOf, lightTexts } from './simulation-words.ts';
import { noun, t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

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
        aria-label={t('Explanation')}
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
        <Field label={t('User id')} value={user} onChange={setUser} inputMode="numeric" />
        <Field label={t('App version')} value={version} onChange={setVersion} />
        <Field label={t('Package')} value={packageText} onChange={setPackage} />
        <Field label={t('Time zone')} value={zone} onChange={setZone} placeholder="Europe/Berlin" />
        <Button type="submit" kind="primary" isDisabled={user.trim() === ''}>
          {t('Explain')}
        </Button>
      </form>
      {!asked ? (
        <p className="note">
          {t(
            'Type the id of a user, as in auth-userid, to see which CTAs the user gets and what keeps the others away.',
          )}
        </p>
      ) : (
        <>
          {explained.data?.dropped && (
            <Alert kind="warning">
              {nodes(
                'Something that an app sent of this user was too large and was dropped {time}: {reasons}.',
                {
                  time: <Time at={explained.data.dropped.at} />,
                  reasons: explained.data.dropped.reasons.join(', '),
                },
              )}
            </Alert>
          )}
          <Listing
            of={explained}
            label={t('CTAs and their gates')}
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
              { title: t('Status'), cell: ({ status }) => <CtaStatusText of={status} /> },
              { title: t('Gates'), cell: (cta) => <Lights of={cta} /> },
              {
                title: t('Why'),
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
            names={noun('CTA')}
            pager={pager}
            empty={<Empty title={t('This tenant has no CTA')} />}
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
      aria-label={t('{open} of {total} gates are open{closedAt}', {
        open,
        total: lights.length,
        closedAt: closed ? t(', closed at {name}', { name: closed.name }) : '',
      })}
    >
      {lights.map(({ gate, name, is }) => (
        <span
          key={gate}
          className={`gate-light ${is.replace(' ', '-')}`}
          title={`${name}: ${lightTexts[is]}`}
        />
      ))}
    </span>
  );
}

import { useState } from 'react';
import type { Output } from '../../api/calls.ts';
import { messageOf, useChange, useTool } from '../../api/queries.ts';
import { useTyped } from '../../api/unsaved.ts';
import { Button } from '../../design/button.tsx';
import { Facts } from '../../design/facts.tsx';
import { Field } from '../../design/fields.tsx';
import { Alert, Answer, Left } from '../../design/states.tsx';
import { Time } from '../../design/time.tsx';
import { say } from '../../design/toast.tsx';
import { idOf, useAddress } from '../../frame/router.tsx';
import { claimsOfText, textOfClaims } from './claims-text.ts';
import { personName } from './member.ts';
import { t } from '../../texts/text.ts';
import { nodes } from '../../texts/text-nodes.ts';

type Account = Output<'get-account'>;

/** The account of any user by id, also of a guest and of a user of an app, who is no member. For administrators of the server. */
export function AccountPanel() {
  const [state, change] = useAddress();
  const asked = state.get('user') ?? '';
  const [text, setText] = useState(asked);
  const userId = idOf(asked);
  return (
    <div className="stack">
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          change({ user: text.trim() }, { push: true });
        }}
      >
        <Field
          label={t('User id')}
          note={t('sub in tokens, auth-userid of apps')}
          value={text}
          onChange={setText}
          inputMode="numeric"
        />
        <Button type="submit" isDisabled={idOf(text.trim()) === null}>
          {t('Show account')}
        </Button>
      </form>
      {userId !== null && <FoundAccount key={userId} userId={userId} />}
    </div>
  );
}

function FoundAccount({ userId }: { readonly userId: number }) {
  const account = useTool('get-account', { userId });
  return <Answer of={account}>{(found) => <AccountCard account={found} />}</Answer>;
}

const AccountCard = ({ account }: { readonly account: Account }) => (
  <section className="card stack" aria-label={t('User {userId}', { userId: account.userId })}>
    <div className="row">
      <h2>{account.isGuest ? t('Guest {userId}', { userId: account.userId }) : personName(account)}</h2>
      {account.isGuest && <span className="badge">{t('guest')}</span>}
      {account.status === 'disabled' && <span className="badge">{t('disabled')}</span>}
    </div>
    <Facts
      of={[
        { name: t('User id'), value: account.userId },
        { name: t('E-mail address'), value: account.email ?? '–' },
        { name: t('Since'), value: <Time at={account.createdAt} /> },
        { name: t('Last sign-in'), value: <Time at={account.lastSignInAt} /> },
        { name: t('Signs in with'), value: <Identities account={account} /> },
      ]}
    />
    <ClaimsForm account={account} />
  </section>
);

const Identities = ({ account: { identities, isGuest } }: { readonly account: Account }) =>
  identities.length === 0 ? (
    isGuest ? (
      t('nothing yet: a guest')
    ) : (
      t('no identity provider')
    )
  ) : (
    <ul>
      {identities.map(({ identityId, provider, issuer, subject, linkedAt }) => (
        <li key={identityId} className="wrap">
          {nodes('{provider}: {subject} at {issuer}, since {time}', {
            provider,
            subject,
            issuer,
            time: <Time at={linkedAt} />,
          })}
        </li>
      ))}
    </ul>
  );

/** The claims that the next tokens of the user have beyond ours. */
function ClaimsForm({ account: { userId, claims } }: { readonly account: Account }) {
  const form = useTyped(`claims:${userId}`, () => ({ text: textOfClaims(claims) }));
  const [problem, setProblem] = useState<string | null>(null);
  const set = useChange('set-user-claims');
  const save = async () => {
    const read = claimsOfText(form.typed.text);
    if ('mistake' in read) return setProblem(read.mistake);
    setProblem(null);
    const sent = form.typed;
    try {
      await set.mutateAsync({ userId, claims: read.claims });
      form.goOn(sent, { text: textOfClaims(read.claims) });
      say(t('The next tokens of this user have these claims.'));
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field
        label={t('Claims')}
        note={t('JSON, at most 1,000 characters. Services read them at the top level of the tokens.')}
        placeholder={'{"plan": "pro"}'}
        lines={6}
        {...form.field('text')}
      />
      {form.wasLeft && <Left />}
      {problem !== null && <Alert kind="error">{problem}</Alert>}
      <div className="row end">
        <Button type="submit" kind="primary" isDisabled={!form.isDirty || set.isPending}>
          {t('Save claims')}
        </Button>
      </div>
    </form>
  );
}

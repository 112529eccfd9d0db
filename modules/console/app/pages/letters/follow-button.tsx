import type { Output } from '../../api/calls.ts';
import { useChange, useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { say, sayError } from '../../design/toast.tsx';
import { t } from '../../texts/text.ts';

type Settings = Pick<Output<'get-letter-settings'>, 'address' | 'kinds'>;

/** What following a project leads to: without an address, or with all kinds switched off, to no letter. */
function followedText({ address, kinds }: Settings): string {
  if (address === null) return t('You follow this project, but your account has no verified e-mail address.');
  return kinds.some(({ isOn }) => isOn)
    ? t('Letters about this project go to {address}.', { address })
    : t('You follow this project, but all letters to you are switched off: see the page Letters.');
}

/** Follows a project by letters, or no more. A server that sends no letters shows no button. */
export function FollowButton({ projectId }: { readonly projectId: number }) {
  const settings = useTool('get-letter-settings', {});
  const isShown = settings.data?.sendsLetters === true;
  const followed = useTool('list-followed-projects', { limit: 500 }, { enabled: isShown });
  const change = useChange('follow-project');
  if (!settings.data || !isShown || !followed.data) return null;
  const { data } = settings;
  const follows = followed.data.projects.some((one) => one.projectId === projectId);
  const press = () =>
    change.mutate(
      { projectId, follow: !follows },
      {
        onError: sayError,
        onSuccess: () => say(follows ? t('You get no more letters about this project.') : followedText(data)),
      },
    );
  return (
    <Button onPress={press} isDisabled={change.isPending} aria-pressed={follows}>
      {follows ? t('Following') : t('Follow')}
    </Button>
  );
}

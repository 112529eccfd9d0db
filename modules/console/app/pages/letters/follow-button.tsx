import { useChange, useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { say, sayError } from '../../design/toast.tsx';
import { t } from '../../texts/text.ts';

/** Follows a project by letters, or no more. A server that sends no letters shows no button. */
export function FollowButton({ projectId }: { readonly projectId: number }) {
  const settings = useTool('get-letter-settings', {});
  const isShown = settings.data?.sendsLetters === true;
  const followed = useTool('list-followed-projects', {}, { enabled: isShown });
  const change = useChange('follow-project');
  if (!isShown || !followed.data) return null;
  const follows = followed.data.projects.some((one) => one.projectId === projectId);
  const press = () =>
    change.mutate(
      { projectId, follow: !follows },
      {
        onError: sayError,
        onSuccess: () =>
          say(
            follows
              ? t('You get no more letters about this project.')
              : settings.data?.address == null
                ? t('You follow this project, but your account has no verified e-mail address.')
                : t('Letters about this project go to {address}.', { address: settings.data.address }),
          ),
      },
    );
  return (
    <Button onPress={press} isDisabled={change.isPending} aria-pressed={follows}>
      {follows ? t('Following') : t('Follow')}
    </Button>
  );
}

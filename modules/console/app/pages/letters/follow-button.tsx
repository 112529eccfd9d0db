import { useChange, useTool } from '../../api/queries.ts';
import { Button } from '../../design/button.tsx';
import { say, sayError } from '../../design/toast.tsx';

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
              ? 'You get no more letters about this project.'
              : settings.data?.address == null
                ? 'You follow this project, but your account has no verified e-mail address.'
                : `Letters about this project go to ${settings.data.address}.`,
          ),
      },
    );
  return (
    <Button onPress={press} isDisabled={change.isPending} aria-pressed={follows}>
      {follows ? 'Following' : 'Follow'}
    </Button>
  );
}

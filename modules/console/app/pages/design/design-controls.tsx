import { useState } from 'react';
import { Button, LinkButton } from '../../design/button.tsx';
import { CopyField } from '../../design/copy-field.tsx';
import { ActionDialog, Dialog } from '../../design/dialog.tsx';
import { Check, Choice, Field } from '../../design/fields.tsx';
import { ActionMenu } from '../../design/menu.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { say, sayError } from '../../design/toast.tsx';

const priorities = [
  { id: 'high', name: 'High' },
  { id: 'medium', name: 'Medium' },
  { id: 'low', name: 'Low' },
];

/** What a person presses, types and chooses. @param scheme names its regions apart. */
export function DesignControls({ scheme }: { readonly scheme: string }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string | null>(null);
  const [isSelected, setSelected] = useState(true);
  const [dialog, setDialog] = useState<'plain' | 'action' | 'refused' | null>(null);
  const close = () => setDialog(null);
  return (
    <>
      <h3>Buttons</h3>
      <div className="row">
        <Button kind="primary">Create run</Button>
        <Button>Edit</Button>
        <Button kind="quiet">Clear</Button>
        <Button kind="danger">Delete</Button>
        <Button isDisabled>Disabled</Button>
        <Button small>Small</Button>
        <LinkButton to="/">Link</LinkButton>
        <ActionMenu
          label="Actions for an example"
          text="Menu"
          actions={[
            { id: 'rename', name: 'Rename', onAction: () => say('Rename was chosen.') },
            { id: 'delete', name: 'Delete', isDisabled: true, onAction: () => undefined },
          ]}
        />
      </div>
      <h3>Fields</h3>
      <Field
        label="Name"
        note="What to know before typing."
        value={text}
        onChange={setText}
        placeholder="A name"
      />
      <Field label="Wrong" error="The name is taken. Choose another." value="smoke" isReadOnly />
      <Field label="Lines" lines={2} value="One line&#10;Another" isReadOnly />
      <Choice label="Priority" options={priorities} value={chosen} onChange={setChosen} />
      <Choice label="Off" options={priorities} value="low" onChange={setChosen} isDisabled />
      <div className="row">
        <Check isSelected={isSelected} onChange={setSelected}>
          A check box
        </Check>
        <Check isSelected={false} onChange={() => undefined} isDisabled>
          Disabled
        </Check>
      </div>
      <CopyField label="To copy" value="trivet console link" note="Shown once." />
      <h3>Tabs</h3>
      <Tabs
        label={`Example tabs, ${scheme}`}
        tabs={[
          { id: 'one', name: 'One', content: <p>The first part.</p> },
          { id: 'two', name: 'Two', content: <p>The second part.</p> },
        ]}
      />
      <h3>Dialogs and messages</h3>
      <div className="row">
        <Button onPress={() => setDialog('plain')}>Dialog</Button>
        <Button onPress={() => setDialog('action')}>Dangerous action</Button>
        <Button onPress={() => setDialog('refused')}>Refused action</Button>
        <Button onPress={() => say('The test was saved.', { name: 'Undo', run: () => say('Undone.') })}>
          Message
        </Button>
        <Button onPress={() => sayError(new Error('The server cannot be reached.'))}>Error</Button>
      </div>
      <Dialog title="A dialog" isOpen={dialog === 'plain'} onClose={close}>
        <p>Escape closes it.</p>
      </Dialog>
      <ActionDialog
        title="Delete 3 tests?"
        action="Delete tests"
        kind="danger"
        isOpen={dialog === 'action'}
        onClose={close}
        onConfirm={async () => say('Nothing was deleted: this is an example.')}
      >
        <p>It names what goes with it.</p>
      </ActionDialog>
      <ActionDialog
        title="Rename a label"
        action="Rename label"
        isOpen={dialog === 'refused'}
        onClose={close}
        onConfirm={() => Promise.reject(new Error('The name is taken. Choose another.'))}
      >
        <Field label="Label" value={text} onChange={setText} />
      </ActionDialog>
    </>
  );
}

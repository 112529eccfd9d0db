import { Button } from '../../design/button.tsx';
import { Alert, Empty, Failure, Loading } from '../../design/states.tsx';

const retry = () => undefined;

/** What a page shows while it has nothing, and when something is wrong. */
export const DesignStates = () => (
  <>
    <h3>States</h3>
    <Alert kind="info">Only administrators see this.</Alert>
    <Alert kind="warning">The link is shown only now.</Alert>
    <Alert kind="error">The name is taken. Choose another.</Alert>
    <div className="card">
      <Loading lines={2} />
    </div>
    <div className="card">
      <Empty title="No run yet">
        <p>A run is a list of tests with their results.</p>
        <Button kind="primary">Create run</Button>
      </Empty>
    </div>
    <div className="card">
      <Failure error={new Error('The server cannot be reached.')} onRetry={retry} />
    </div>
  </>
);

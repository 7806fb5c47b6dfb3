/** One invocation: state, input, output. */
import { ActorChart } from '../../charts/lazy.ts'
import { useResource } from '../../data/resource.ts'
import { actorAt } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/forms/button.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Facts } from '../../ui/page.tsx'
import { Progress, Shown } from '../../ui/states.tsx'
import { Id, Json } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { usePlace } from '../../use-place.ts'
import { AgentName } from '../runs/list/names.tsx'
import { Origin } from './origin.tsx'
import { ResolveInvocation } from './resolve-invocation.tsx'
import { ToApprovals } from './to-approvals.tsx'

const refreshMs = 1_500

const isOpen = ({ state }: { state: string }) => state === 'running' || state === 'pending_approval'

export function InvocationDialog({ id: invocationId, onClose }: { id: string; onClose: () => void }) {
  const place = usePlace()
  const { projectId, environmentId, environment } = useEnvironment()
  const invocation = useResource(
    ['invocations', environmentId, invocationId],
    (options) => environment['operation-invocations']({ invocationId }).get(options),
    { every: (invocation) => (invocation && isOpen(invocation) ? refreshMs : null) },
  )
  return (
    <Dialog title={invocation.value?.operation ?? 'Invocation'} shape="wide" open onClose={onClose}>
      <Shown resource={invocation}>
        {({ id, operation, state, agentId, approvalId, input, output, error, createdAt, updatedAt, ...origin }) => (
          <div className="stack invocation">
            <Facts
              facts={[
                ['State', <StateBadge key="state" state={state} />],
                ['Agent', <AgentName key="agent" projectId={projectId} agentId={agentId} />],
                ['Called by', <Origin key="origin" of={origin} />],
                ['Called', <Time key="created" at={createdAt} />],
                ['Updated', <Time key="updated" at={updatedAt} />],
                ['Invocation', <Id key="id" id={id} />],
              ]}
            />
            {state === 'pending_approval' && <ToApprovals approvalId={approvalId} />}
            {state === 'running' && <Progress label="Running" />}
            {state === 'unknown' && (
              <ResolveInvocation invocationId={id} workflowRunId={origin.workflowRunId} stepId={origin.stepId} />
            )}
            {error && (
              <div className="banner banner-bad">
                <Icon name="warning" />
                <span>{error.message}</span>
                <code>{error.code}</code>
              </div>
            )}
            <div className="invocation-values">
              <section aria-label="Input">
                <h3>Input</h3>
                <Json label={`input of ${operation}`} value={input} />
              </section>
              <section aria-label="Output">
                <h3>Output</h3>
                {state === 'succeeded' ? (
                  <Json label={`output of ${operation}`} value={output} />
                ) : (
                  <p className="faint">No output{isOpen({ state }) && ' yet'}.</p>
                )}
              </section>
            </div>
            <ActorChart kind="operation-invocation" id={id} height={240} />
            <div className="row">
              <LinkButton icon="chart" href={actorAt(place, 'operation-invocation', id)}>
                Statechart
              </LinkButton>
            </div>
          </div>
        )}
      </Shown>
    </Dialog>
  )
}

/** Invocations: calls of operations by requests, runs and workflows. */
import { oneOfThese, useAddressQuery } from '../../address-query.ts'
import { usePages } from '../../data/pages.ts'
import { at, runAt } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/forms/button.tsx'
import { Choice, Choices, StateOptions } from '../../ui/forms/choice.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { usePlace } from '../../use-place.ts'
import { AgentCell } from './agent-cell.tsx'
import { useDeployed } from './deployed.ts'
import { InvocationDialog } from './invocation.tsx'
import { Invoke } from './invoke.tsx'
import { Origin } from './origin.tsx'
import './operations.css'
import { useOpened } from '../../use-opened.ts'

const states = ['pending_approval', 'running', 'succeeded', 'failed', 'rejected', 'unknown'] as const
const busyMs = 3_000
const calmMs = 10_000

export default function InvocationsPage() {
  const place = usePlace()
  const { projectId, environmentId, environment } = useEnvironment()
  const { values, change, isNarrowed } = useAddressQuery('operation', 'state', 'run', 'invocation')
  const [invoking, setInvoking] = useOpened('new')
  const operations = [...(useDeployed().value?.operations.keys() ?? [])]
  const state = oneOfThese(states, values.state)
  const { operation, run: agentRunId } = values
  const query = { ...(operation && { operation }), ...(state && { state }), ...(agentRunId && { agentRunId }) }
  const invocations = usePages(
    ['invocations', environmentId, 'list', JSON.stringify(query)],
    (options, page) => environment['operation-invocations'].get({ ...options, query: { ...page, ...query } }),
    { every: (invocations) => (invocations?.some(({ state }) => state === 'running') ? busyMs : calmMs) },
  )
  const narrowed = isNarrowed('operation', 'state', 'run')
  const open = (invocation: string) => change({ invocation })
  const begin = (
    <Button needs="agents:invoke-operation" tone="primary" icon="bolt" onClick={() => setInvoking(true)}>
      Invoke
    </Button>
  )
  return (
    <Page title="Invocations" about="Calls of operations by requests, runs and workflows." actions={begin}>
      <Choices>
        <Choice label="Operation" value={operation} onChange={(operation) => change({ operation })}>
          <option value="">Any</option>
          <Options of={[...new Set([...operations, ...(operation ? [operation] : [])])].sort()} />
        </Choice>
        <Choice label="State" value={state ?? ''} onChange={(state) => change({ state })}>
          <StateOptions states={states} />
        </Choice>
        {agentRunId && (
          <Choice label="Run" value={agentRunId} onChange={(run) => change({ run })}>
            <option value="">Any</option>
            <option value={agentRunId}>{agentRunId}</option>
          </Choice>
        )}
      </Choices>
      <DataTable
        label="invocations"
        pages={invocations}
        keyOf={({ id }) => id}
        href={({ id }) => addressOf(at(place, 'invocations'), values, id)}
        columns={[
          { title: 'Operation', cell: ({ operation }) => <code>{operation}</code> },
          { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
          { title: 'Agent', cell: ({ agentId }) => <AgentCell projectId={projectId} agentId={agentId} /> },
          { title: 'Called by', cell: (invocation) => <Origin of={invocation} /> },
          { title: 'Called', cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Error',
            cell: ({ error }) => (
              <span className="clamp invocation-error">{error?.message ?? <span className="faint none">–</span>}</span>
            ),
          },
        ]}
        empty={
          narrowed ? (
            <Empty
              icon="bolt"
              title="No matching invocations"
              action={<Button onClick={() => change({ operation: '', state: '', run: '' })}>Show all</Button>}
            >
              Change the filters to see others.
            </Empty>
          ) : (
            <Empty icon="bolt" title="No invocations yet" action={begin}>
              An operation is called by an Agent's tool, by a step of a workflow, or by you.
            </Empty>
          )
        }
      />
      {values.invocation && <InvocationDialog id={values.invocation} onClose={() => open('')} />}
      {invoking && (
        <Invoke
          onClose={() => setInvoking(false)}
          onInvoked={(id) => {
            setInvoking(false)
            open(id)
          }}
        />
      )}
      {agentRunId && (
        <div className="row">
          <LinkButton icon="run" href={runAt(place, agentRunId)}>
            View run
          </LinkButton>
        </div>
      )}
    </Page>
  )
}

/** List address with one invocation open. */
function addressOf(page: string, values: Record<string, string>, invocation: string): string {
  const query = new URLSearchParams(Object.entries({ ...values, invocation }).filter(([, value]) => value !== ''))
  return `${page}?${query}`
}

/** Workflow runs of an Environment. */
import { Link, useLocation } from 'wouter'
import { oneOfThese, useAddressQuery } from '../../address-query.ts'
import { usePages } from '../../data/pages.ts'
import { at } from '../../places.ts'
import { Author } from '../../ui/author.tsx'
import { StateBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/forms/button.tsx'
import { Choice, Choices, StateOptions } from '../../ui/forms/choice.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Id } from '../../ui/text/code.tsx'
import { Duration, Time } from '../../ui/time.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { useOpened } from '../../use-opened.ts'
import { usePlace } from '../../use-place.ts'
import { AgentCell } from '../operations/agent-cell.tsx'
import { useAgentNames } from '../runs/list/names.tsx'
import { WorkflowName } from './names.tsx'
import { isBusy } from './run.ts'
import { SendEvent } from './send-event.tsx'
import { StartWorkflow } from './start.tsx'

const states = ['running', 'waiting', 'unknown', 'canceling', 'completed', 'failed', 'canceled'] as const
const busyMs = 3_000
const calmMs = 12_000

export default function WorkflowsPage() {
  const place = usePlace()
  const [, navigate] = useLocation()
  const { projectId, environmentId, environment } = useEnvironment()
  const { values, change, isNarrowed } = useAddressQuery('state', 'agent', 'job', 'children')
  const [starting, setStarting] = useOpened('new')
  const agents = useAgentNames(projectId)
  const state = oneOfThese(states, values.state)
  const query = {
    ...(state && { state }),
    ...(values.agent && { agentId: values.agent }),
    ...(values.job && { agentJobId: values.job }),
    ...(values.children !== 'shown' && { parentWorkflowRunId: 'none' as const }),
  }
  const runs = usePages(
    ['workflows', environmentId, 'list', JSON.stringify(query)],
    (options, page) => environment.workflows.get({ ...options, query: { ...page, ...query } }),
    { every: (runs) => (runs?.some(isBusy) ? busyMs : calmMs) },
  )
  const begin = (
    <Button needs="agents:manage-workflows" tone="primary" icon="flow" onClick={() => setStarting(true)}>
      Start a workflow
    </Button>
  )
  return (
    <Page
      title="Workflows"
      about="They survive restarts, wait for approvals and events, and can be resumed."
      actions={
        <>
          <SendEvent />
          {begin}
        </>
      }
    >
      <Choices>
        <Choice label="State" value={state ?? ''} onChange={(state) => change({ state })}>
          <StateOptions states={states} />
        </Choice>
        <Choice label="Agent" value={values.agent} onChange={(agent) => change({ agent })}>
          <option value="">Any</option>
          <Options of={[...agents]} />
        </Choice>
        <Choice
          label="Child runs"
          value={values.children === 'shown' ? 'shown' : ''}
          onChange={(children) => change({ children })}
        >
          <option value="">Left out</option>
          <option value="shown">Shown</option>
        </Choice>
        {values.job && (
          <Choice label="Job" value={values.job} onChange={(job) => change({ job })}>
            <option value="">Any</option>
            <option value={values.job}>{values.job}</option>
          </Choice>
        )}
      </Choices>
      <DataTable
        label="runs of workflows"
        pages={runs}
        keyOf={({ workflowRunId }) => workflowRunId}
        href={({ workflowRunId }) => at(place, 'workflows', workflowRunId)}
        columns={[
          { title: 'Workflow', cell: ({ definitionId }) => <WorkflowName definitionId={definitionId} /> },
          { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
          { title: 'Run', cell: ({ workflowRunId }) => <Id id={workflowRunId} /> },
          { title: 'Agent', cell: ({ agentId }) => <AgentCell projectId={projectId} agentId={agentId} /> },
          {
            title: 'Started by',
            cell: ({ createdBy, parentWorkflowRunId: parent }) =>
              parent === null ? (
                <Author by={createdBy} />
              ) : (
                <Link href={at(place, 'workflows', parent)} title={parent} className="nowrap">
                  workflow run …{parent.slice(-6)}
                </Link>
              ),
          },
          { title: 'Started', cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Duration',
            cell: ({ createdAt, endedAt }) => <Duration from={createdAt} to={endedAt} />,
            align: 'end',
          },
        ]}
        empty={
          isNarrowed('state', 'agent', 'job') ? (
            <Empty
              icon="flow"
              title="No matching runs"
              action={<Button onClick={() => change({ state: '', agent: '', job: '' })}>Show all runs</Button>}
            >
              Change the filters to see other runs.
            </Empty>
          ) : (
            <Empty icon="flow" title="No workflow runs yet" action={begin}>
              A workflow is a Definition of kind <code>workflow</code>: steps that call operations or run workflows,
              sleep, and wait for events and for each other.
            </Empty>
          )
        }
      />
      {starting && (
        <StartWorkflow
          onClose={() => setStarting(false)}
          onStarted={(workflowRunId) => navigate(at(place, 'workflows', workflowRunId))}
        />
      )}
    </Page>
  )
}

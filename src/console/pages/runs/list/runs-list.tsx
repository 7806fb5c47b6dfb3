/** A filtered list of runs, refetched while runs are active. */
import type { PresentedRun } from '../../../../runs/present.ts'
import { useApi } from '../../../data/context.ts'
import { usePages } from '../../../data/pages.ts'
import { at, runAt } from '../../../places.ts'
import { useSession } from '../../../session/session.ts'
import { StateBadge, Tag } from '../../../ui/badge.tsx'
import { Countdown } from '../../../ui/countdown.tsx'
import { Button, LinkButton } from '../../../ui/forms/button.tsx'
import { Empty } from '../../../ui/states.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Id } from '../../../ui/text/code.tsx'
import { Duration, Time, useNow } from '../../../ui/time.tsx'
import { usePlace } from '../../../use-place.ts'
import { awaitingText, nextAttemptOf } from '../run/awaiting.ts'
import { RunFilters } from './filters.tsx'
import { AgentName } from './names.tsx'
import { useRunQuery } from './run-query.ts'
import '../runs.css'

const pageLength = 30
const everyMs = 4_000
/** Interval if no run on the page is active. */
const calmMs = 12_000

const isLive = ({ endedAt, awaiting }: PresentedRun) => endedAt === null && awaiting === undefined

export function RunsList({
  projectId,
  environmentId,
}: {
  projectId?: string | undefined
  environmentId?: string | undefined
}) {
  const api = useApi()
  const place = usePlace()
  const { query, change, clear, filtered } = useRunQuery({ projectId, environmentId })
  const { session } = useSession()
  const runs = usePages(
    ['runs', 'list', JSON.stringify(query)],
    (options, page) => api.v1['agent-runs'].get({ ...options, query: { ...query, ...page } }),
    { limit: pageLength, every: (items, page) => (items?.some(isLive) ? everyMs : page === 1 ? calmMs : null) },
  )

  const columns: Column<PresentedRun>[] = [
    { title: 'Agent', cell: (run) => <AgentName projectId={run.projectId} agentId={run.agentId} /> },
    {
      title: 'State',
      cell: (run) => <ResourceStatus run={run} />,
    },
    { title: 'Run', cell: ({ id }) => <Id id={id} /> },
    {
      title: 'Started by',
      cell: ({ createdBy }) => (createdBy.id === session.user.id ? 'You' : <Creator run={createdBy} />),
    },
    { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      title: 'Queued',
      cell: (run) => <Duration from={run.createdAt} to={run.startedAt ?? run.endedAt} />,
      align: 'end',
    },
    { title: 'Duration', cell: (run) => <Duration from={run.startedAt} to={run.endedAt} />, align: 'end' },
  ]
  return (
    <>
      <RunFilters query={query} change={change} projectId={projectId} environmentId={environmentId} />
      <div className="runs-table">
        <DataTable
          label="runs"
          pages={runs}
          columns={columns}
          keyOf={({ id }) => id}
          href={({ id }) => runAt(place, id)}
          empty={
            filtered ? (
              <Empty icon="run" title="No matching runs" action={<Button onClick={clear}>Show all runs</Button>}>
                Change the filters to see other runs.
              </Empty>
            ) : (
              <Empty
                icon="run"
                title="No runs yet"
                action={
                  <LinkButton tone="primary" icon="chat" href={at(place, 'playground')}>
                    Start the first one
                  </LinkButton>
                }
              >
                A run is one execution of an Agent: a prompt, steps and an answer.
              </Empty>
            )
          }
        />
      </div>
    </>
  )
}

function ResourceStatus({ run }: { run: PresentedRun }) {
  const { state, attempt } = run
  const nextAttempt = nextAttemptOf(run, useNow())
  const waiting = awaitingText(run)
  return (
    <span className="run-state-cell">
      <StateBadge state={state} />
      {attempt > 1 && <Tag>{`attempt ${attempt}`}</Tag>}
      {waiting && <span className="faint">for {waiting}</span>}
      {nextAttempt && (
        <span className="faint">
          next attempt <Countdown to={nextAttempt} />
        </span>
      )}
    </span>
  )
}

const words: Record<string, string> = {
  user: 'User',
  apiKey: 'API key',
  agentJob: 'Job',
  workflow: 'Workflow',
  system: 'Server',
}

const Creator = ({ run: { type, id } }: { run: PresentedRun['createdBy'] }) => (
  <span title={id}>{words[type] ?? type}</span>
)

/** The newest runs of an Agent, in all Environments. */
import { Link } from 'wouter'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { at, organizationOf, runAt } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Section } from '../../ui/page.tsx'
import { Shown } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Duration, Time } from '../../ui/time.tsx'
import { usePlace } from '../../use-place.ts'
import { kindNames, useEnvironments } from '../delivery/environments.ts'
import { RunTitle } from '../runs/list/run-title.tsx'

const shownMax = 6
const everyMs = 15_000

export function LatestRuns({ projectId, agentId }: { projectId: string; agentId: string }) {
  const api = useApi()
  const place = usePlace()
  const environments = useEnvironments(projectId).value?.items ?? []
  const runs = useResource(
    ['runs', 'agent', agentId],
    (options) =>
      api.v1['agent-runs'].get({
        ...options,
        query: { projectId, agentId, limit: shownMax, sort: 'createdAt', order: 'desc', include: ['summary'] },
      }),
    { every: everyMs },
  )
  const all = `${at(organizationOf(place), 'runs')}?projectId=${projectId}&agentId=${agentId}`
  const nameOf = (id: string | null) => {
    const kind = environments.find((environment) => environment.id === id)?.kind
    return kind ? kindNames[kind] : '–'
  }
  return (
    <Section title="Latest runs" actions={<Link href={all}>All runs</Link>}>
      <Shown resource={runs} rows={3}>
        {({ agentRuns }) =>
          agentRuns.length === 0 ? (
            <p className="faint">No runs yet.</p>
          ) : (
            <Table
              label="latest runs"
              items={agentRuns}
              keyOf={({ id }) => id}
              href={({ id }) => runAt(place, id)}
              columns={[
                {
                  title: 'Run',
                  cell: (run) => <RunTitle run={run}>{nameOf(run.environmentId)}</RunTitle>,
                },
                { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
                { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
                { title: 'Duration', cell: (run) => <Duration from={run.startedAt} to={run.endedAt} />, align: 'end' },
              ]}
            />
          )
        }
      </Shown>
    </Section>
  )
}

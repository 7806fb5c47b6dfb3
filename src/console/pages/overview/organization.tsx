/** Overview: runs, how long they take, what waits and what fails, of the organization or a part of it. */
import { Link, useSearchParams } from 'wouter'
import { useAccess } from '../../data/context.ts'
import { at, type Place, runAt } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Id } from '../../ui/code.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Empty, Shown } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Duration, Time, useNow } from '../../ui/time.tsx'
import { usePlace } from '../../use-place.ts'
import { AgentName } from '../runs/names.tsx'
import { useFailedDeliveries } from './failed-deliveries.ts'
import { FirstRun } from './first-run.tsx'
import { Latencies } from './latencies.tsx'
import { type RecentRuns, type Scope, useRecentRuns } from './recent-runs.ts'
import { RunsOverTime } from './runs-over-time.tsx'
import { ScopeChoice } from './scope-choice.tsx'
import { DeliveriesTile, FailedTile, MinutesTile, QueueTile, WaitingTile } from './tiles.tsx'
import './overview.css'

const latestShown = 6

export default function OverviewPage() {
  const place = usePlace()
  const [params, setParams] = useSearchParams()
  const projectId = params.get('projectId')
  const environmentId = params.get('environmentId')
  const scope: Scope = projectId ? { projectId, ...(environmentId && { environmentId }) } : {}
  const recent = useRecentRuns(scope)
  return (
    <Page
      wide
      title="Overview"
      about={recent.value && recent.value.runs.length > 0 && figuresOf(recent.value)}
      actions={<ScopeChoice scope={scope} onChange={(next) => setParams({ ...next }, { replace: true })} />}
    >
      <Shown resource={recent} rows={8}>
        {(value) => <Figures recent={value} place={place} scope={scope} />}
      </Shown>
    </Page>
  )
}

const figuresOf = ({ runs, isCut }: RecentRuns): string => {
  if (isCut) return `Figures of the newest ${runs.length} runs.`
  return runs.length === 1 ? 'Figures of one run: there are no others.' : `Figures of all ${runs.length} runs.`
}

function Figures({ recent: { runs }, place, scope }: { recent: RecentRuns; place: Place; scope: Scope }) {
  const { origin } = useAccess()
  const now = useNow()
  const { projectId, environmentId } = scope
  const there: Place = projectId && environmentId ? { ...place, projectId, environmentId } : place
  if (runs.length === 0 && !projectId) return <FirstRun place={place} origin={origin} />
  return (
    <>
      <ul className="overview-tiles" aria-label="Now">
        <QueueTile place={there} scope={scope} />
        <WaitingTile place={there} runs={runs} />
        <FailedTile place={there} runs={runs} />
        {projectId && environmentId && <Deliveries place={there} projectId={projectId} environmentId={environmentId} />}
        <MinutesTile place={place} />
      </ul>
      {runs.length === 0 ? (
        <Empty
          icon="run"
          title="No runs yet"
          action={
            environmentId ? (
              <LinkButton href={at(there, 'playground')} icon="chat">
                Open the playground
              </LinkButton>
            ) : (
              projectId && (
                <LinkButton href={at({ ...place, projectId })} icon="box">
                  Go to the Project
                </LinkButton>
              )
            )
          }
        >
          {environmentId ? 'Nothing has run in this Environment.' : 'Nothing has run in this Project.'}
        </Empty>
      ) : (
        <div className="overview-charts">
          <RunsOverTime runs={runs} now={now} />
          <Latencies runs={runs} />
        </div>
      )}
      {runs.length > 0 && (
        <Section title="Latest runs" actions={<Link href={at(there, 'runs')}>All runs</Link>}>
          <Table
            label="latest runs"
            items={runs.slice(0, latestShown)}
            keyOf={({ id }) => id}
            href={({ id }) => runAt(place, id)}
            columns={[
              { title: 'Agent', cell: (run) => <AgentName projectId={run.projectId} agentId={run.agentId} /> },
              { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
              { title: 'Run', cell: ({ id }) => <Id id={id} copy={false} /> },
              { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
              { title: 'Took', cell: (run) => <Duration from={run.startedAt} to={run.endedAt} />, align: 'end' },
            ]}
          />
        </Section>
      )}
    </>
  )
}

function Deliveries({ place, projectId, environmentId }: { place: Place; projectId: string; environmentId: string }) {
  const deliveries = useFailedDeliveries(projectId, environmentId)
  return <DeliveriesTile place={place} deliveries={deliveries} />
}

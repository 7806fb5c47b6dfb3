/** Overview: run statistics of the organization, a Project or an Environment. */
import { Link, useSearchParams } from 'wouter'
import type { PresentedRun } from '../../../runs/present.ts'
import { useAccess } from '../../data/context.ts'
import type { Resource } from '../../data/resource.ts'
import { at, type Place, runAt } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { LinkButton } from '../../ui/forms/button.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Empty, Shown } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Duration, Time } from '../../ui/time.tsx'
import { usePlace } from '../../use-place.ts'
import { AgentName } from '../runs/list/names.tsx'
import { RunTitle } from '../runs/list/run-title.tsx'
import { Costs } from './costs.tsx'
import { DeliveriesTile } from './failed-deliveries.tsx'
import { type Range, rangeOf, ranges, type Scope, type Statistics } from './figures.ts'
import { FirstRun } from './first-run.tsx'
import { Latencies } from './latencies.tsx'
import { RunsOverTime } from './runs-over-time.tsx'
import { ScopeChoice } from './scope-choice.tsx'
import { AtWorkTile, FailedTile, MinutesTile, QueueTile, runsAt, WaitingTile } from './tiles.tsx'
import { useFailedDeliveries, useLatestRuns, useStatistics } from './use-figures.ts'
import './overview.css'

export default function OverviewPage() {
  const place = usePlace()
  const [params, setParams] = useSearchParams()
  const projectId = params.get('projectId')
  const environmentId = params.get('environmentId')
  const range = rangeOf(params.get('range'))
  const scope: Scope = projectId ? { projectId, ...(environmentId && { environmentId }) } : {}
  const latest = useLatestRuns(scope)
  const statistics = useStatistics(scope, range)
  // without runs there is no history to show
  const hasFigures = !latest.failure && (latest.value?.agentRuns.length !== 0 || projectId !== null)
  const by = params.get('by')
  const show = (next: Scope, { value }: Range) =>
    setParams({ ...next, ...(value !== ranges[0].value && { range: value }), ...(by && { by }) }, { replace: true })
  return (
    <Page
      wide
      title="Overview"
      about={hasFigures && `Current runs, and runs that ended in ${range.words}.`}
      actions={
        <>
          <ScopeChoice scope={scope} onChange={(next) => show(next, range)} />
          {hasFigures && (
            <Segments
              label="Time range"
              value={range.value}
              onChoose={(value) => show(scope, rangeOf(value))}
              options={ranges.map(({ value, title }) => ({ value, title }))}
            />
          )}
        </>
      }
    >
      <Shown resource={latest} rows={8}>
        {({ agentRuns }) => <Overview latest={agentRuns} {...{ statistics, place, scope, range }} />}
      </Shown>
    </Page>
  )
}

interface OverviewProps {
  latest: readonly PresentedRun[]
  statistics: Resource<Statistics>
  place: Place
  scope: Scope
  range: Range
}

function Overview({ latest, statistics, place, scope, range }: OverviewProps) {
  const { origin } = useAccess()
  const { projectId, environmentId } = scope
  const there: Place = projectId && environmentId ? { ...place, projectId, environmentId } : place
  if (latest.length === 0 && !projectId) return <FirstRun place={place} origin={origin} />
  return (
    <>
      <Figures {...{ statistics, place, there, scope, range }} />
      {latest.length === 0 ? (
        <Empty
          icon="run"
          title="No runs yet"
          action={
            <LinkButton href={at(there, 'playground')} icon="chat">
              Open the playground
            </LinkButton>
          }
        >
          {environmentId ? 'No runs in this Environment.' : 'No runs in this Project.'}
        </Empty>
      ) : (
        <Section title="Latest runs" actions={<Link href={runsAt(place, scope, {})}>All runs</Link>}>
          <Table
            label="latest runs"
            items={latest}
            keyOf={({ id }) => id}
            href={({ id }) => runAt(place, id)}
            columns={[
              {
                title: 'Run',
                cell: (run) => (
                  <RunTitle run={run}>
                    <AgentName projectId={run.projectId} agentId={run.agentId} />
                  </RunTitle>
                ),
              },
              { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
              { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
              { title: 'Duration', cell: (run) => <Duration from={run.startedAt} to={run.endedAt} />, align: 'end' },
            ]}
          />
        </Section>
      )}
    </>
  )
}

function Figures({ statistics, place, there, scope, range }: Omit<OverviewProps, 'latest'> & { there: Place }) {
  const deliveries = useFailedDeliveries(scope)
  if (statistics.failure?.status === 403) return <p>You need the permission analytics:read to see statistics.</p>
  return (
    <Shown resource={statistics} rows={8}>
      {(value) => (
        <>
          <ul className="overview-tiles" aria-label="Now">
            <QueueTile place={place} scope={scope} statistics={value} />
            <AtWorkTile place={place} scope={scope} statistics={value} />
            <WaitingTile place={place} scope={scope} statistics={value} />
            <FailedTile place={place} scope={scope} statistics={value} />
            <DeliveriesTile place={there} deliveries={deliveries} />
            <MinutesTile place={place} />
          </ul>
          <div className="overview-charts">
            <RunsOverTime statistics={value} range={range} />
            <Latencies statistics={value} />
          </div>
          <Costs statistics={value} scope={scope} range={range} />
        </>
      )}
    </Shown>
  )
}

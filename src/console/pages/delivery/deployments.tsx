/** Deployments of an Environment, newest first. */
import { useAccess } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { useReading } from '../../data/resource.ts'
import { at, type Place } from '../../places.ts'
import { Author } from '../../ui/author.tsx'
import { StateBadge, Tag } from '../../ui/badge.tsx'
import { Empty } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Id } from '../../ui/text/code.tsx'
import { shortenedId } from '../../ui/text/shortened-id.ts'
import { Time } from '../../ui/time.tsx'
import { type Environment, useEnvironmentApi } from './environments.ts'
import { readConfiguration, readRelease } from './pinned.ts'

export function Deployments({ place, environment }: { place: Place; environment: Environment }) {
  const access = useAccess()
  const api = useEnvironmentApi(environment)
  const { projectId, id: environmentId, activeDeploymentId } = environment
  const deployments = usePages(
    ['deployments', environmentId, 'list'],
    (options, query) => api.deployments.get({ ...options, query }),
    { limit: 20 },
  )
  return (
    <DataTable
      label="deployments"
      pages={deployments}
      keyOf={({ id }) => id}
      href={({ id }) => at(place, 'deployments', id)}
      columns={[
        { title: 'Deployment', cell: ({ id }) => <Id id={id} copy={false} /> },
        {
          title: 'State',
          cell: ({ id, state }) => (
            <span className="row">
              <StateBadge state={state} />
              {id === activeDeploymentId && <Tag>active</Tag>}
            </span>
          ),
        },
        {
          title: 'Release',
          cell: ({ releaseId }) => <NumberOf id={releaseId} read={() => readRelease(access, projectId, releaseId)} />,
        },
        {
          title: 'Configuration',
          cell: ({ configurationRevisionId: id }) => (
            <NumberOf id={id} read={() => readConfiguration(access, { projectId, environmentId }, id)} />
          ),
        },
        { title: 'Submitted', cell: ({ createdAt }) => <Time at={createdAt} /> },
        { title: 'Created by', cell: ({ createdBy }) => <Author by={createdBy} /> },
      ]}
      empty={
        <Empty icon="box" title="No Deployments yet">
          A Deployment combines a Release with a configuration.
        </Empty>
      }
    />
  )
}

/** Number of an immutable revision; its id if that cannot be read. */
export function NumberOf({ id, read }: { id: string; read: () => Promise<{ number: number }> }) {
  const { value, loading } = useReading(['number', id], () => read().then(({ number }) => number))
  if (loading) return <span className="faint">…</span>
  return value === undefined ? <code title={id}>{shortenedId(id)}</code> : <span className="number">{value}</span>
}

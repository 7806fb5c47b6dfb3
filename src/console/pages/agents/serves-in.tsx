/** The Environments in which an Agent is active, and the Releases that pin it. */
import { Link } from 'wouter'
import { useApi } from '../../data/context.ts'
import { type Resource, useResource } from '../../data/resource.ts'
import { at, projectOf } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Section } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { usePlace } from '../../use-place.ts'
import { type Environment, kindNames, useEnvironments, useServed } from '../delivery/environments.ts'
import type { Served } from '../delivery/pinned.ts'

export interface Serving {
  environment: Environment
  served: Served | null
  /** The active revision; undefined if the Release does not contain the Agent. */
  revision: number | string | null | undefined
}

/** Every Environment of the Project, with the Agent's active revision. */
export function useServing(projectId: string, agentId: string): Resource<Serving[]> {
  const environments = useEnvironments(projectId)
  const { value: served, ...reading } = useServed(environments.value?.items)
  const value = served && environments.value?.items.map((environment) => servingIn(environment, served, agentId))
  if (environments.failure && !environments.value) return { ...environments, value: undefined }
  return { ...reading, failure: environments.failure ?? reading.failure, value }
}

function servingIn(environment: Environment, all: ReadonlyMap<string, Served | null>, agentId: string): Serving {
  const served = all.get(environment.id) ?? null
  const isPinned = served?.release.agents.some((pin) => pin.agentId === agentId) === true
  return { environment, served, revision: isPinned ? (served?.numbers.get(agentId) ?? null) : undefined }
}

interface ServesInProps {
  agentId: string
  serving: Resource<Serving[]>
  /** The number of the latest revision. */
  latest: number
}

export function ServesIn({ agentId, serving, latest }: ServesInProps) {
  const place = projectOf(usePlace())
  const { value, failure, refresh } = serving
  if (value === undefined)
    return (
      <Section title="Environments">
        {failure ? <Failed failure={failure} retry={refresh} /> : <Loading rows={3} />}
      </Section>
    )
  return (
    <Section title="Environments">
      <Table
        label="Environments of this Agent"
        items={value}
        keyOf={({ environment }) => environment.id}
        href={({ environment }) => at({ ...place, environmentId: environment.id })}
        columns={[
          { title: 'Environment', cell: ({ environment }) => kindNames[environment.kind] },
          {
            title: 'Revision',
            cell: ({ revision }) =>
              revision === undefined ? (
                <span className="faint">Not included</span>
              ) : (
                <span className="row">
                  <span className="number">{revision ?? '?'}</span>
                  {revision === latest ? (
                    <StateBadge state="latest" tone="good" />
                  ) : (
                    <StateBadge state="behind" tone="waiting" />
                  )}
                </span>
              ),
          },
          {
            title: 'Release',
            cell: ({ served }) =>
              served ? (
                <Link href={at(place, 'releases', served.release.id)}>Release {served.release.number}</Link>
              ) : (
                <span className="faint">No active Deployment</span>
              ),
          },
          {
            title: 'Chat',
            cell: ({ environment, revision }) =>
              revision !== undefined && (
                <Link href={`${at({ ...place, environmentId: environment.id }, 'playground')}?agent=${agentId}`}>
                  Playground
                </Link>
              ),
          },
        ]}
      />
      <Releases agentId={agentId} />
    </Section>
  )
}

/** Number of Releases searched, and of Releases shown. */
const lookedAt = 50
const namedMax = 5

function Releases({ agentId }: { agentId: string }) {
  const api = useApi()
  const place = projectOf(usePlace())
  const projectId = place.projectId ?? ''
  const { value, loading } = useResource(['releases', projectId, 'newest'], (options) =>
    api.v1.projects({ projectId }).releases.get({ ...options, query: { limit: lookedAt } }),
  )
  if (loading) return <Loading rows={1} />
  if (!value) return null
  const found = value.items.filter(({ agents }) => agents.some((pin) => pin.agentId === agentId))
  if (found.length === 0)
    return (
      <p className="faint">
        No Release has this Agent. <Link href={`${at(place, 'releases')}?open=new`}>Create a Release</Link> to deploy
        it.
      </p>
    )
  return (
    <p className="row faint">
      <span>Releases:</span>
      {found.slice(0, namedMax).map(({ id, number }) => (
        <Link key={id} href={at(place, 'releases', id)}>
          Release {number}
        </Link>
      ))}
      {found.length > namedMax && <Link href={at(place, 'releases')}>Older ones</Link>}
    </p>
  )
}

/** Applies of an Environment, newest first: manifests, promotions and roll-backs. */
import { useApi } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { at, type Place } from '../../places.ts'
import { Author } from '../../ui/author.tsx'
import { StateBadge } from '../../ui/badge.tsx'
import { counted } from '../../ui/counted.ts'
import { Empty } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Id } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time.tsx'
import type { Environment } from '../delivery/environments.ts'
import { Manifests } from './manifest.tsx'
import { changedIn } from './plan.tsx'

export function Applies({ place, environment }: { place: Place; environment: Environment }) {
  const api = useApi()
  const { id: environmentId } = environment
  const applies = usePages(
    ['applies', environmentId, 'list'],
    (options, query) => api.v1.applies.get({ ...options, query: { ...query, environmentId } }),
    { limit: 20 },
  )
  return (
    <div className="stack">
      <Manifests place={place} environment={environment} />
      <DataTable
        label="applies"
        pages={applies}
        keyOf={({ id }) => id}
        href={({ id }) => at(place, 'applies', id)}
        columns={[
          { title: 'Apply', cell: ({ id }) => <Id id={id} copy={false} /> },
          { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
          { title: 'Changes', cell: ({ plan }) => counted(changedIn(plan).length, 'change') },
          { title: 'Description', cell: ({ description }) => description ?? <span className="faint">—</span> },
          { title: 'Started', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Created by', cell: ({ createdBy }) => <Author by={createdBy} /> },
        ]}
        empty={
          <Empty icon="rocket" title="No Applies yet">
            An Apply brings a manifest into this Environment: <code>troupe apply --file troupe.yaml</code>
          </Empty>
        }
      />
    </div>
  )
}

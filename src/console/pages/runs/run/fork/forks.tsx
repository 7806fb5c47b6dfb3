/** The newest forks of a run. */
import { Link } from 'wouter'
import { useApi } from '../../../../data/context.ts'
import { useResource } from '../../../../data/resource.ts'
import { runAt } from '../../../../places.ts'
import { StateBadge } from '../../../../ui/badge.tsx'
import { usePlace } from '../../../../use-place.ts'

const shown = 20

export function Forks({ runId }: { runId: string }) {
  const api = useApi()
  const place = usePlace()
  const { value } = useResource(['runs', runId, 'forks'], (options) =>
    api.v1['agent-runs'].get({
      ...options,
      query: { forkedFrom: runId, limit: shown, sort: 'createdAt', order: 'desc' },
    }),
  )
  if (!value || value.agentRuns.length === 0) return null
  return (
    <section className="row" aria-label="Forks">
      <span className="faint">Forks</span>
      {value.agentRuns.map(({ id, state }) => (
        <span key={id} className="row">
          <Link href={runAt(place, id)} title={id}>
            …{id.slice(-6)}
          </Link>
          <StateBadge state={state} />
        </span>
      ))}
      {value.pagination.hasMore && <span className="faint">and earlier ones</span>}
    </section>
  )
}

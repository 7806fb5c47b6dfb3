/** Every move of a run, in order: from where, to where, by what, and by whom. */
import { useApi } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Id } from '../../ui/code.tsx'
import { Empty } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { AbsoluteTime } from '../../ui/time.tsx'

export function Journal({ runId }: { runId: string }) {
  const api = useApi()
  const pages = usePages(
    ['runs', runId, 'transitions'],
    (options, page) => api.v1['agent-runs']({ agentRunId: runId }).transitions.get({ ...options, query: page }),
    100,
  )
  return (
    <DataTable
      label="moves"
      pages={pages}
      keyOf={({ sequence }) => String(sequence)}
      columns={[
        {
          title: 'Move',
          cell: ({ sequence, event }) => (
            <>
              <span className="faint number">{sequence}</span> <strong>{event}</strong>
            </>
          ),
        },
        {
          title: 'From',
          cell: ({ from }) => (from === null ? <span className="faint">–</span> : <StateBadge state={from} />),
        },
        { title: 'To', cell: ({ to }) => <StateBadge state={to} /> },
        { title: 'Attempt', cell: ({ attempt }) => attempt, align: 'end' },
        {
          title: 'By',
          cell: ({ actor }) => (
            <span className="row">
              {actor.type} <Id id={actor.id} copy={false} />
            </span>
          ),
        },
        { title: 'Reason', cell: ({ reason }) => reason?.message ?? <span className="faint">–</span> },
        { title: 'At', cell: ({ at }) => <AbsoluteTime at={at} /> },
      ]}
      empty={<Empty title="No moves">A run begins with its first move.</Empty>}
    />
  )
}

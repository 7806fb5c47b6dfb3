/** Attempts of a run: its root steps. */
import type { Resource } from '../../../../data/resource.ts'
import { StateBadge } from '../../../../ui/badge.tsx'
import { Empty, Shown } from '../../../../ui/states.tsx'
import { Table } from '../../../../ui/table.tsx'
import { AbsoluteTime, Duration } from '../../../../ui/time.tsx'
import { countText, type Step } from '../../steps/steps.ts'

export interface AttemptsProps {
  /** The root steps of the run. */
  roots: Resource<{ items: readonly Step[] }>
}

export const Attempts = ({ roots }: AttemptsProps) => (
  <Shown resource={roots}>{({ items }) => <AttemptTable roots={items} />}</Shown>
)

function AttemptTable({ roots }: { roots: readonly Step[] }) {
  if (roots.length === 0)
    return (
      <Empty icon="clock" title="No attempts yet">
        An attempt begins when a runner starts the run.
      </Empty>
    )
  return (
    <Table
      label="attempts"
      items={roots}
      keyOf={({ agentStepId }) => String(agentStepId)}
      columns={[
        { title: 'Attempt', cell: ({ attempt }) => <span className="number">{attempt}</span> },
        { title: 'State', cell: ({ status }) => <StateBadge state={status} /> },
        {
          title: 'Error',
          cell: ({ error }) =>
            error ? <span title={error.code}>{error.message}</span> : <span className="faint none">–</span>,
        },
        { title: 'Started', cell: ({ timing }) => <AbsoluteTime at={timing.startedAt} /> },
        {
          title: 'Duration',
          align: 'end',
          cell: ({ timing }) => <Duration from={timing.startedAt} to={timing.endedAt} />,
        },
        { title: 'Tokens', align: 'end', cell: ({ tokenUsage }) => countText(tokenUsage.totalTokens) },
      ]}
    />
  )
}

/** Minutes by Project or Agent. */
import { Empty } from '../../../ui/states.tsx'
import { Table } from '../../../ui/table.tsx'
import { costText } from '../../runs/run/cost.ts'
import { count } from './billing-figures.ts'
import '../../../ui/meter.css'
import './billing.css'

export interface UsageShare {
  projectId?: string | null
  agentId?: string | null
  name: string | null
  minutes: { used: number }
  runs: { started: number; completed: number; failed: number }
  tokens: { input: number; output: number }
  costs?: { amount: string; currency: string }[]
}

/** By currency. */
const costsText = (costs: UsageShare['costs'] = []) => costs.map((cost) => costText({ cost })).join(' + ') || '–'

const nameless = { project: 'System Agents', agent: 'Not recorded' }

interface SharesProps {
  by: 'project' | 'agent'
  items: readonly UsageShare[]
  /** Total minutes. */
  total: number
}

export function Shares({ by, items, total }: SharesProps) {
  if (items.length === 0)
    return (
      <Empty icon="clock" title="No usage in this period">
        Minutes appear here once a run has been executed.
      </Empty>
    )
  const idOf = ({ projectId, agentId }: UsageShare) => (by === 'project' ? projectId : agentId) ?? null
  return (
    <Table
      label={by === 'project' ? 'usage by Project' : 'usage by Agent'}
      items={items}
      keyOf={(share) => idOf(share) ?? ''}
      columns={[
        {
          title: by === 'project' ? 'Project' : 'Agent',
          cell: (share) => share.name ?? <Nameless id={idOf(share)} by={by} />,
        },
        { title: 'Minutes', align: 'end', cell: ({ minutes }) => count(minutes.used) },
        { title: 'Share', cell: ({ minutes }) => <Part of={minutes.used} total={total} /> },
        { title: 'Runs', align: 'end', cell: ({ runs }) => count(runs.started) },
        { title: 'Failed', align: 'end', cell: ({ runs }) => count(runs.failed) },
        { title: 'Input tokens', align: 'end', cell: ({ tokens }) => count(tokens.input) },
        { title: 'Output tokens', align: 'end', cell: ({ tokens }) => count(tokens.output) },
        // only where the server has prices
        ...(items.some(({ costs }) => costs)
          ? [{ title: 'Cost', align: 'end' as const, cell: ({ costs }: UsageShare) => costsText(costs) }]
          : []),
      ]}
    />
  )
}

const Nameless = ({ id, by }: { id: string | null; by: 'project' | 'agent' }) =>
  id === null ? (
    <span className="faint">{nameless[by]}</span>
  ) : (
    <span className="faint" title={id}>
      Deleted
    </span>
  )

function Part({ of, total }: { of: number; total: number }) {
  const percent = total === 0 ? 0 : Math.min(100, (of / total) * 100)
  return (
    <span className="share">
      <span className="meter-track" aria-hidden="true">
        <span style={{ width: `${percent}%` }} />
      </span>
      <span className="number">{Math.round(percent)} %</span>
    </span>
  )
}

/** Recent firings of a job as a strip, the latest on the right. */
import type { AgentJob } from '../../../automation/agent-jobs/schema.ts'
import type { Tone } from '../../ui/badge.tsx'

type Firing = AgentJob['lastFirings'][number]

export const firingWords: Record<Firing['outcome'], { tone: Tone; title: string }> = {
  started: { tone: 'good', title: 'started a run' },
  skipped_overlap: { tone: 'idle', title: 'skipped: the previous run was still running' },
  missed: { tone: 'waiting', title: 'missed: the server was down' },
  failed: { tone: 'bad', title: 'failed to start a run' },
}

const shownMax = 20
const format = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })

export function FiringStrip({ firings }: { firings: readonly Firing[] }) {
  if (firings.length === 0) return <span className="faint">none yet</span>
  const shown = firings.slice(0, shownMax).reverse()
  const counts = new Map<string, number>()
  for (const { outcome } of shown) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  const spoken = [...counts].map(([outcome, count]) => `${count} ${outcome.replaceAll('_', ' ')}`).join(', ')
  return (
    <span className="firings" role="img" aria-label={`The last ${shown.length}: ${spoken}`}>
      {shown.map(({ scheduledFor, outcome }) => {
        const { tone, title } = firingWords[outcome]
        return (
          <span
            key={scheduledFor}
            className={`firing badge-${tone}`}
            title={`${format.format(Date.parse(scheduledFor))}: ${title}`}
          />
        )
      })}
    </span>
  )
}

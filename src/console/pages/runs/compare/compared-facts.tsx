/** Facts of two runs in a table; equal ones are grey. */
import type { ReactNode } from 'react'
import { StateBadge } from '../../../ui/badge.tsx'
import { AbsoluteTime, durationText } from '../../../ui/time.tsx'
import { AgentName } from '../list/names.tsx'
import { queuedFrom } from '../run/awaiting.ts'
import { costText } from '../run/cost.ts'
import { countText } from '../steps/steps.ts'
import type { Side } from './use-side.ts'

interface Fact {
  title: string
  /** Facts are compared by these texts. */
  text: (side: Side) => string
  show?: (side: Side) => ReactNode
}

const none = '–'
const between = (from: string | null | undefined, to: string | null | undefined) =>
  from && to ? durationText(Date.parse(to) - Date.parse(from)) : none

const facts: Fact[] = [
  {
    title: 'State',
    text: ({ run }) => run?.state ?? none,
    show: ({ run }) => run && <StateBadge state={run.state} />,
  },
  {
    title: 'Reason',
    text: ({ run }) => (run?.stateReason ? `${run.stateReason.code}: ${run.stateReason.message}` : none),
  },
  { title: 'Stop reason', text: ({ run }) => run?.stopReason ?? none },
  {
    title: 'Agent',
    text: ({ run }) => run?.agentId ?? none,
    show: ({ run }) => run && <AgentName projectId={run.projectId} agentId={run.agentId} />,
  },
  { title: 'Agent Revision', text: ({ run }) => run?.agentRevisionId ?? none },
  { title: 'Deployment', text: ({ run }) => run?.deploymentId ?? none },
  {
    title: 'Model',
    text: ({ summary }) => (summary?.model ? `${summary.provider} · ${summary.model}` : none),
  },
  {
    title: 'Tokens',
    text: ({ summary }) =>
      summary?.tokenUsage
        ? `${countText(summary.tokenUsage.totalTokens)} (${countText(summary.tokenUsage.inputTokens)} in, ${countText(summary.tokenUsage.outputTokens)} out)`
        : none,
  },
  { title: 'Cost', text: ({ run }) => (run && costText(run)) ?? none },
  { title: 'Queued', text: ({ run }) => between(run && queuedFrom(run), run?.startedAt) },
  { title: 'Duration', text: ({ run }) => between(run?.startedAt, run?.endedAt) },
  { title: 'Attempts', text: ({ run }) => String(run?.attempt ?? none) },
  {
    title: 'Steps',
    text: ({ stepCount }) => (stepCount === undefined ? none : stepCount === 100 ? '100 or more' : String(stepCount)),
  },
  {
    title: 'Created',
    text: ({ run }) => run?.createdAt ?? none,
    show: ({ run }) => run && <AbsoluteTime at={run.createdAt} />,
  },
]

export const ComparedFacts = ({ left, right }: { left: Side; right: Side }) => (
  <div className="table-frame">
    <table className="table compare-facts" aria-label="facts of both runs">
      <thead>
        <tr>
          <th scope="col">Fact</th>
          <th scope="col">First run</th>
          <th scope="col">Second run</th>
        </tr>
      </thead>
      <tbody>
        {facts
          .filter(({ text }) => text(left) !== none || text(right) !== none)
          .map(({ title, text, show = text }) => (
            <tr key={title} className={text(left) === text(right) ? 'compare-same' : undefined}>
              <th scope="row">{title}</th>
              <td data-title="First run">{show(left)}</td>
              <td data-title="Second run">{show(right)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  </div>
)

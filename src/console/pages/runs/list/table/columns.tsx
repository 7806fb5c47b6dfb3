/** The cells of a run's row, of one or two lines each. */
import type { PresentedRun } from '../../../../../runs/present.ts'
import { StateBadge } from '../../../../ui/badge.tsx'
import { Countdown } from '../../../../ui/countdown.tsx'
import { Duration, durationText, Time, useNow } from '../../../../ui/time.tsx'
import { awaitingText, nextAttemptOf } from '../../run/awaiting.ts'
import { costText } from '../../run/cost.ts'
import { countText } from '../../steps/steps.ts'
import { AgentName } from '../names.tsx'

/** Shorter waits in the queue are not shown. */
const queuedMs = 2_000

/** The first message of the run. */
export const titleOf = ({ summary }: PresentedRun): string => {
  const text = summary?.query?.replace(/\s+/g, ' ').trim()
  return text || 'Without text'
}

export const About = ({ run }: { run: PresentedRun }) => (
  <span className="run-line">
    <AgentName projectId={run.projectId} agentId={run.agentId} />
    <span aria-hidden="true">·</span>
    <code title={run.id}>…{run.id.slice(-6)}</code>
    {run.threadKey !== undefined && <span className="ellipsis">{run.threadKey}</span>}
  </span>
)

export function State({ run }: { run: PresentedRun }) {
  const { state, attempt, stateReason } = run
  const nextAttempt = nextAttemptOf(run, useNow())
  const waiting = awaitingText(run)
  const tried = attempt > 1 ? `attempt ${attempt}` : ''
  return (
    <>
      <StateBadge state={state} />
      {stateReason ? (
        <span className="run-line run-line-reason" title={`${stateReason.code}: ${stateReason.message}`}>
          {stateReason.message}
        </span>
      ) : waiting ? (
        <span className="run-line">for {waiting}</span>
      ) : nextAttempt ? (
        <span className="run-line">
          next attempt <Countdown to={nextAttempt} />
        </span>
      ) : (
        tried && <span className="run-line">{tried}</span>
      )}
    </>
  )
}

export const Model = ({ run: { summary } }: { run: PresentedRun }) =>
  summary?.model ? (
    <>
      <span className="ellipsis" title={summary.model}>
        {summary.model}
      </span>
      {summary.provider !== summary.model && <span className="run-line">{summary.provider}</span>}
    </>
  ) : (
    <span className="faint none">–</span>
  )

export function Used({ run }: { run: PresentedRun }) {
  const usage = run.summary?.tokenUsage
  const cost = costText(run)
  return (
    <>
      {usage ? (
        <span title={`${countText(usage.inputTokens)} in, ${countText(usage.outputTokens)} out`}>
          {countText(usage.totalTokens)}
        </span>
      ) : (
        <span className="faint none">–</span>
      )}
      {cost && <span className="run-line">{cost}</span>}
    </>
  )
}

export const Created = ({ run: { createdAt, createdBy }, userId }: { run: PresentedRun; userId: string }) => (
  <>
    <Time at={createdAt} />
    <span className="run-line" title={createdBy.id}>
      by {createdBy.id === userId ? 'you' : (creators[createdBy.type] ?? createdBy.type)}
    </span>
  </>
)

const creators: Record<string, string> = {
  user: 'a user',
  apiKey: 'an API key',
  agentJob: 'a job',
  workflow: 'a workflow',
  system: 'the server',
}

export function Took({ run: { createdAt, startedAt, endedAt } }: { run: PresentedRun }) {
  const queued = startedAt && Date.parse(startedAt) - Date.parse(createdAt)
  return (
    <>
      <Duration from={startedAt} to={endedAt} />
      {queued !== null && queued !== '' && queued >= queuedMs && (
        <span className="run-line">queued {durationText(queued)}</span>
      )}
    </>
  )
}

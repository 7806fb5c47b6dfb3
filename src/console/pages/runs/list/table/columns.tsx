/** The cells of a run's row, of one or two lines each; without hooks, see `run-row.tsx`. */
import type { PresentedRun } from '../../../../../runs/present.ts'
import { StateBadge } from '../../../../ui/badge.tsx'
import { Countdown } from '../../../../ui/countdown.tsx'
import { shortenedId } from '../../../../ui/text/shortened-id.ts'
import { absoluteText, durationText, relativeTime } from '../../../../ui/time.tsx'
import { awaitingText, nextAttemptOf, queuedFrom } from '../../run/awaiting.ts'
import { costText } from '../../run/cost.ts'
import { countText } from '../../steps/steps.ts'

/** Shorter waits in the queue are not shown. */
const queuedMs = 2_000

interface Cell {
  run: PresentedRun
}
interface TimedCell extends Cell {
  now: number
}

/** The first message of the run; without permission to read it, the id. */
export const titleOf = ({ id, summary }: PresentedRun): string => {
  if (summary?.query === undefined) return shortenedId(id)
  const text = summary.query?.replace(/\s+/g, ' ').trim()
  return text || 'Without text'
}

/** The full text of a cell that is cut off in the row, whose link covers it. */
export const tooltipOf = (run: PresentedRun, by: string): string =>
  [titleOf(run), run.stateReason?.message, `${absoluteText(Date.parse(run.createdAt))}, by ${by}`]
    .filter(Boolean)
    .join('\n')

const None = () => <span className="faint none">–</span>

export const About = ({ run, agentName }: Cell & { agentName: string | undefined }) => (
  <span className="run-line">
    {`${agentName ?? shortenedId(run.agentId)} · …${run.id.slice(-6)} ${run.threadKey ?? ''}`}
  </span>
)

export function State({ run, now }: TimedCell) {
  const { state, attempt, stateReason } = run
  const nextAttempt = nextAttemptOf(run, now)
  const waiting = awaitingText(run)
  const tried = attempt > 1 ? `attempt ${attempt}` : ''
  return (
    <>
      <StateBadge state={state} />
      {stateReason ? (
        <span className="run-line run-line-reason">{stateReason.message}</span>
      ) : waiting ? (
        <span className="run-line">for {waiting}</span>
      ) : nextAttempt ? (
        <span className="run-line">
          {attempt === 0 ? 'starts' : 'next attempt'} <Countdown to={nextAttempt} />
        </span>
      ) : (
        tried && <span className="run-line">{tried}</span>
      )}
    </>
  )
}

export const Model = ({ run: { summary } }: Cell) =>
  summary?.model ? (
    <>
      <span className="run-model">{summary.model}</span>
      {summary.provider !== summary.model && <span className="run-line">{summary.provider}</span>}
    </>
  ) : (
    <None />
  )

export function Used({ run }: Cell) {
  const usage = run.summary?.tokenUsage
  const cost = costText(run)
  return (
    <>
      {usage ? countText(usage.totalTokens) : <None />}
      {cost && <span className="run-line">{cost}</span>}
    </>
  )
}

const starters: Record<string, string> = {
  user: 'a user',
  apiKey: 'an API key',
  agentJob: 'a job',
  workflow: 'a workflow',
  system: 'the server',
}

/** Who started the run: by name if it is known. */
export function starterText(
  { createdBy: { type, id } }: PresentedRun,
  userId: string,
  name: string | undefined,
): string {
  if (id === userId) return 'you'
  if (name === undefined) return starters[type] ?? type
  return type === 'apiKey' ? `key ${name}` : name
}

export function Created({ run: { createdAt }, by, now }: TimedCell & { by: string }) {
  return (
    <>
      <time dateTime={createdAt}>{relativeTime(Date.parse(createdAt), Math.max(now, Date.now()))}</time>
      <span className="run-line run-line-starter">{`by ${by}`}</span>
    </>
  )
}

export function Took({ run, now }: TimedCell) {
  const { startedAt, endedAt } = run
  if (!startedAt) return <None />
  const started = Date.parse(startedAt)
  const queued = started - Date.parse(queuedFrom(run))
  return (
    <>
      {durationText(Math.max(0, (endedAt ? Date.parse(endedAt) : now) - started))}
      {queued >= queuedMs && <span className="run-line">queued {durationText(queued)}</span>}
    </>
  )
}

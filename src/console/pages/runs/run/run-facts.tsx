/** Facts of a run. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { PresentedRun } from '../../../../runs/present.ts'
import { actorAt, runAt } from '../../../places.ts'
import { Author } from '../../../ui/author.tsx'
import { Countdown } from '../../../ui/countdown.tsx'
import { LinkButton } from '../../../ui/forms/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Facts } from '../../../ui/page.tsx'
import { absoluteText, Duration, Time, useNow } from '../../../ui/time.tsx'
import { usePlace } from '../../../use-place.ts'
import { countText, type TokenSums } from '../steps/steps.ts'
import { awaitingText, nextAttemptOf, queuedFrom, startsAtOf } from './awaiting.ts'
import { costText, limitsText } from './cost.ts'

const creators: Record<string, string> = {
  agentJob: 'A job',
  workflow: 'A workflow',
  system: 'The server',
}

const stops: Record<string, string> = {
  end_turn: 'End turn',
  max_steps: 'Step limit reached',
  max_output_tokens: 'Output token limit reached',
  content_filter: 'Stopped by content filter',
}

/** Number of queued messages, with their texts as tooltip. */
const Queued = ({ inputs }: { inputs: PresentedRun['queuedInputs'] }) => (
  <span className="number" title={inputs.map(({ query }) => query ?? 'Attachments').join('\n')}>
    {inputs.length}
  </span>
)

/** The run that this one was forked from. */
function Source({ agentRunId, checkpointId }: NonNullable<PresentedRun['forkedFrom']>) {
  const at = checkpointId === 0 ? 'its input' : `checkpoint ${checkpointId}`
  return (
    <Link href={runAt(usePlace(), agentRunId)} title={`${agentRunId}, at ${at}`}>
      …{agentRunId.slice(-6)}
    </Link>
  )
}

/** How long until then, with the time as tooltip. */
const Start = ({ at }: { at: string }) => (
  <span title={absoluteText(Date.parse(at))}>
    <Countdown to={at} />
  </span>
)

interface RunFactsProps {
  run: PresentedRun
  /** Undefined while loading; null if unknown. */
  tokens: TokenSums | null | undefined
  /** The same. */
  model: string | null | undefined
}

/** Its space is reserved while it loads. */
const known = (text: string | null | undefined) => (text === undefined ? '…' : (text ?? '–'))

export function RunFacts({ run, tokens, model }: RunFactsProps) {
  const place = usePlace()
  const {
    createdBy,
    createdAt,
    startedAt,
    endedAt,
    attempt,
    stopReason,
    stateReason,
    threadKey,
    queuedInputs,
    startAt,
  } = run
  const now = useNow()
  const startsAt = startsAtOf(run, now)
  const facts: [string, ReactNode][] = [
    [
      'Started by',
      creators[createdBy.type] ? (
        <span key="by" title={createdBy.id}>
          {creators[createdBy.type]}
        </span>
      ) : (
        <Author key="by" by={createdBy} />
      ),
    ],
    ['Created', <Time key="created" at={createdAt} />],
    // a run that is put off waits for its time, not for a runner
    ['Queued', <Duration key="queue" from={startsAt ? null : queuedFrom(run)} to={startedAt ?? endedAt} />],
    ['Duration', <Duration key="took" from={startedAt} to={endedAt} />],
    [
      'Attempts',
      <span key="attempts" className="number">
        {attempt}
      </span>,
    ],
    [
      'Tokens',
      <span key="tokens" className="number">
        {known(tokens && countText(tokens.total))}
      </span>,
    ],
    ['Model', known(model)],
  ]
  const cost = costText(run)
  if (cost) facts.push(['Cost', cost])
  if (run.limits) facts.push(['Limits', limitsText(run.limits)])
  if (threadKey !== null) facts.push(['Thread key', <code key="thread">{threadKey}</code>])
  if (queuedInputs.length > 0) facts.push(['Messages waiting', <Queued key="queued" inputs={queuedInputs} />])
  if (run.forkedFrom) facts.push(['Forked from', <Source key="fork" {...run.forkedFrom} />])
  const waiting = awaitingText(run)
  if (waiting) facts.push(['Waiting for', waiting])
  const nextAttempt = nextAttemptOf(run, now)
  if (startsAt) facts.push(['Starts', <Start key="start" at={startsAt} />])
  else if (startAt) facts.push(['Put off until', <Time key="start" at={startAt} />])
  if (nextAttempt && !startsAt) facts.push(['Next attempt', <Countdown key="next" to={nextAttempt} />])
  if (stopReason) facts.push(['Stop reason', stops[stopReason] ?? stopReason])
  return (
    <>
      {stateReason && (
        <div className="banner banner-bad run-reason">
          <Icon name="warning" />
          <span>
            {stateReason.message} <code>{stateReason.code}</code>
          </span>
          <LinkButton small href={`${runAt(place, run.id)}?tab=logs`}>
            Show log
          </LinkButton>
          <LinkButton small icon="chart" href={actorAt(place, 'run', run.id)}>
            Replay
          </LinkButton>
        </div>
      )}
      <div className="run-facts">
        <Facts facts={facts} />
      </div>
    </>
  )
}

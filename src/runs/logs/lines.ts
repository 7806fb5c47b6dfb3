/**
 * A run's events as lines of a log of the server's and the runners' work on it. A line has the kind of event and its
 * outcome, never content: it contains no inputs and outputs, and secrets are removed from error messages as far as they
 * can be recognized. Source: contract 13, "Logs".
 */
import type { FrameType } from '../stream/frames.ts'

export const logLevels = ['info', 'warn', 'error'] as const
type LogLevel = (typeof logLevels)[number]

export interface LogLine {
  /** The event's sequence number in the stream. */
  sequence: number
  /** RFC 3339. */
  at: string
  level: LogLevel
  source: 'server' | 'runner'
  attempt: number
  agentStepId?: number
  message: string
}

/** The events that have a line. */
export const loggedTypes = [
  'run.transition',
  'step.started',
  'step.completed',
  'step.failed',
  'input.requested',
  'budget.warning',
] as const satisfies FrameType[]

/** The frame, as the run's stream sends it. */
interface LoggedFrame {
  sequence: number
  at: string
  attempt: number
  agentStepId?: number | undefined
  data: unknown
}

const messageCharactersMax = 1_000

const secrets =
  /\b(?:trp_|whsec_|sk-|sk_|pk_|xox[abpr]-|gh[opsu]_|AIza)[\w-]{8,}|\beyJ[\w-]+\.[\w-]+\.[\w-]*|\b(?:bearer|basic)\s+[\w.~+/=-]{8,}|(?<=\/\/)[^\s/@:]+:[^\s/@]+(?=@)|(?<=\b(?:password|passwd|secret|token|api[_-]?key|authorization)["']?\s*[:=]\s*["']?)[^\s"',;&]{4,}/gi

/** Removes likely secrets; joins lines, and cuts to the limit. */
export const redacted = (text: string): string =>
  text
    .slice(0, 4 * messageCharactersMax)
    .replace(secrets, '[redacted]')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, messageCharactersMax)

interface Failure {
  code: string
  message: string
}
interface LoggedStep {
  kind: string
  name: string
  status: string
  parentAgentStepId: number | null
  timing: { durationMs: number | null }
  tokenUsage: { inputTokens: number; outputTokens: number }
  cost: { amount: string; currency: string } | null
  execution: { provider: string | null; model: string | null; finishReason: string | null }
  error: Failure | null
}
interface LoggedMove {
  from: string | null
  to: string
  event: string
  reason: Failure | null
}

const failureOf = ({ code, message }: Failure) => `${code}: ${message}`

const titleOf = ({ kind, name, parentAgentStepId, execution }: LoggedStep) => {
  if (parentAgentStepId === null) return `attempt of ${name}`
  return kind === 'model' && execution.provider ? `model ${execution.provider} ${name}` : `${kind} ${name}`
}

function stepEnd(step: LoggedStep): string {
  const { status, timing, tokenUsage, cost, error } = step
  const facts = [
    timing.durationMs === null ? '' : ` after ${timing.durationMs} ms`,
    tokenUsage.inputTokens + tokenUsage.outputTokens > 0
      ? `, ${tokenUsage.inputTokens} tokens in, ${tokenUsage.outputTokens} out`
      : '',
    cost ? `, ${cost.amount} ${cost.currency}` : '',
    error ? `: ${failureOf(error)}` : '',
  ]
  return `${titleOf(step)} ${status}${facts.join('')}`
}

/** Lost attempts and unsuccessful ends are logged at a higher level. */
function moveLevel({ to, event }: LoggedMove): LogLevel {
  if (to === 'failed' || to === 'expired') return 'error'
  return event === 'attemptLost' || event.endsWith('Deadline') ? 'warn' : 'info'
}

/** The line of an event; undefined for events without a line. */
export function lineOf(type: string, { sequence, at, attempt, agentStepId, data }: LoggedFrame): LogLine | undefined {
  const line = (level: LogLevel, source: LogLine['source'], message: string): LogLine => ({
    sequence,
    at,
    level,
    source,
    attempt,
    ...(agentStepId === undefined ? {} : { agentStepId }),
    message: redacted(message),
  })
  switch (type) {
    case 'run.transition': {
      const move = data as LoggedMove
      const reason = move.reason ? `: ${failureOf(move.reason)}` : ''
      return line(moveLevel(move), 'server', `${move.event}: ${move.from ?? 'new'} → ${move.to}${reason}`)
    }
    case 'step.started':
      return line('info', 'runner', `${titleOf(data as LoggedStep)} started`)
    case 'step.completed':
      return line('info', 'runner', stepEnd(data as LoggedStep))
    case 'step.failed': {
      const step = data as LoggedStep
      return line(step.status === 'failed' ? 'error' : 'warn', 'runner', stepEnd(step))
    }
    case 'input.requested': {
      const { kind, toolName } = data as { kind: string; toolName: string }
      return line('info', 'server', `waits for ${kind} ${toolName}`)
    }
    case 'budget.warning': {
      const { percent, usedTokens } = data as { percent: number; usedTokens: number }
      return line('warn', 'server', `${percent} % of the limits are used: ${usedTokens} tokens`)
    }
    default:
      return undefined
  }
}

/**
 * Runs one attempt from its lease to its final report, with heartbeats, signals and error handling. Source: contract 5,
 * "Runner protocol" and "Precise points".
 */
import { pause } from '../../platform/time/pause.ts'
import { Interruption } from './interruption.ts'
import { AttemptLoop } from './loop.ts'
import { type AttemptChannel, type CompletionReport, StaleAttempt } from './protocol/protocol.ts'
import { Reports } from './protocol/reports.ts'
import type { RunnerServices } from './services.ts'

/** The outcome of an attempt for its runner. `lost`: it was replaced, or its final report failed. */
export type AttemptEnd = CompletionReport['outcome'] | 'drained' | 'lost'

/** The maximum number of times that a failed final report is repeated, while the lease lasts. */
const finalReportsMax = 6
const firstPauseMs = 100

/**
 * Runs an attempt. When `handBack` is aborted the attempt is handed back at its next safe point. Never throws: errors
 * are reported to the server or, if that fails, logged.
 */
export async function runAttempt(
  channel: AttemptChannel,
  services: RunnerServices,
  handBack: AbortSignal,
): Promise<AttemptEnd> {
  const interruption = new Interruption()
  const reports = new Reports(channel, interruption)
  const drain = () => interruption.request('drain')
  const stopBeating = services.heartbeats.track(channel, {
    lastStepSequence: () => reports.lastStepSequence,
    onSignal: (signal) => signal !== 'continue' && interruption.request(signal),
    onLost: () => interruption.request('lost'),
  })
  channel.onSignal?.((signal) => signal !== 'continue' && interruption.request(signal))
  if (handBack.aborted) drain()
  else handBack.addEventListener('abort', drain)

  try {
    const report = await carryOut(channel, reports, interruption, services)
    return report ? await deliver(report, channel, reports, interruption, services) : 'lost'
  } finally {
    stopBeating()
    handBack.removeEventListener('abort', drain)
  }
}

/** Runs the attempt and returns its final report; null if the attempt is lost. */
async function carryOut(
  channel: AttemptChannel,
  reports: Reports,
  interruption: Interruption,
  services: RunnerServices,
): Promise<CompletionReport | null> {
  try {
    return await new AttemptLoop(channel.assignment, reports, interruption, services).run()
  } catch (error) {
    const { run } = channel.assignment
    if (error instanceof StaleAttempt || interruption.reason === 'lost') {
      const { message } = error as Error
      services.log.warn({ runId: run.id, attemptId: channel.lease.attemptId, why: message }, 'an attempt was lost')
      return null
    }
    services.log.error(
      { err: error, runId: run.id, attemptId: channel.lease.attemptId },
      'an attempt failed unexpectedly',
    )
    // A retry may fix a failed report; a fault in the runner would only recur.
    const retryable = interruption.reason === 'broken'
    const message = retryable ? 'A report of the runner failed.' : 'The runner failed unexpectedly.'
    return { outcome: 'failed', error: { code: 'internal_error', retryable, message } }
  }
}

/** Sends the final report after the pending ones. */
async function deliver(
  report: CompletionReport,
  channel: AttemptChannel,
  reports: Reports,
  interruption: Interruption,
  { clock, log }: RunnerServices,
): Promise<AttemptEnd> {
  const context = { runId: channel.assignment.run.id, attemptId: channel.lease.attemptId }
  for (let count = 1; ; count++) {
    if (interruption.reason === 'lost') return 'lost'
    const completed = channel.complete(report)
    const [earlier, final] = await Promise.allSettled([reports.settle(), completed])
    if (final.status === 'fulfilled') {
      if (earlier.status === 'rejected') log.error({ err: earlier.reason, ...context }, 'a late report failed')
      return endOf(report)
    }
    if (final.reason instanceof StaleAttempt) return 'lost'
    log.warn({ err: final.reason, ...context }, 'a final report failed')
    if (count === finalReportsMax) return 'lost'
    await pause(clock, firstPauseMs * 2 ** (count - 1))
  }
}

const endOf = (report: CompletionReport): AttemptEnd =>
  report.outcome === 'failed' && report.error.code === 'machine_unavailable' ? 'drained' : report.outcome

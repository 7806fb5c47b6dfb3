/**
 * One attempt, from its lease to its final report: the loop, surrounded by heartbeats, signals and what can go wrong.
 * Source: contract 5, "Runner protocol" and "Precise points".
 */
import { pause } from '../../platform/time/pause.ts'
import { Interruption } from './interruption.ts'
import { AttemptLoop } from './loop.ts'
import { type AttemptChannel, type CompletionReport, StaleAttempt } from './protocol/protocol.ts'
import { Reports } from './protocol/reports.ts'
import type { RunnerServices } from './services.ts'

/** How an attempt ended for its runner. `lost`: it was replaced, or its end could not be reported. */
export type AttemptEnd = CompletionReport['outcome'] | 'drained' | 'lost'

/** Final reports that fail are made again this often, while the lease lasts. */
const finalReportsMax = 6
const firstPauseMs = 100

/**
 * Carries out an attempt. When `handBack` fires the attempt is handed back at its next safe point. Never throws: what
 * goes wrong is reported to the server, or, where that is not possible, logged.
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

/** The final report; null when the attempt is lost. */
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
    // What could not be reported may be reported by another attempt; a fault of the runner would only happen again.
    const retryable = interruption.reason === 'broken'
    const message = retryable ? 'A report of the runner was not taken.' : 'The runner failed unexpectedly.'
    return { outcome: 'failed', error: { code: 'internal_error', retryable, message } }
  }
}

/** Makes the final report, together with what is still on its way. */
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
      if (earlier.status === 'rejected') log.error({ err: earlier.reason, ...context }, 'a last report was not taken')
      return endOf(report)
    }
    if (final.reason instanceof StaleAttempt) return 'lost'
    log.warn({ err: final.reason, ...context }, 'a final report was not taken')
    if (count === finalReportsMax) return 'lost'
    await pause(clock, firstPauseMs * 2 ** (count - 1))
  }
}

const endOf = (report: CompletionReport): AttemptEnd =>
  report.outcome === 'failed' && report.error.code === 'machine_unavailable' ? 'drained' : report.outcome

/** Adds trace ids to log lines about runs. */
import { readStoredSpan } from '../../platform/tracing/own-span.ts'
import type { Actors } from '../../runtime/actors.ts'
import { type RunRecord, runAddress } from '../record.ts'
import type { Log } from '../runner/log.ts'

/** The same logger, whose lines with a `runId` also have the trace of that run, if it is in memory. */
export function runLog(log: Log, actors: Pick<Actors, 'getCached'>): Log {
  const traced = (fields: Record<string, unknown>): Record<string, unknown> => {
    const { runId } = fields
    if (typeof runId !== 'string') return fields
    const own = readStoredSpan(actors.getCached<RunRecord>(runAddress(runId))?.row.row.trace ?? null)
    return own ? { ...fields, trace_id: own.context.traceId, span_id: own.context.spanId } : fields
  }
  return {
    info: (fields, message) => log.info(traced(fields), message),
    warn: (fields, message) => log.warn(traced(fields), message),
    error: (fields, message) => log.error(traced(fields), message),
  }
}

/** The ids of a tick's run, derived from the tick, so that there is at most one. Pure. */
import { createHash } from 'node:crypto'
import type { Firing } from '../../../machines/agent-job.ts'
import { idOf } from '../../../storage/ids.ts'

/** The ids of the run of a tick: of an Agent's, or of a workflow's. */
export const runIdsOf = (jobId: string, firing: Firing) => ({
  agentRunId: runIdOf(jobId, firing),
  workflowRunId: runIdOf(jobId, firing, 'wfr'),
})

/** Sorts by the time of the firing, like any new id. */
export function runIdOf(jobId: string, { scheduledFor, at }: Firing, prefix: 'run' | 'wfr' = 'run'): string {
  const bytes = new Uint8Array(16)
  bytes.set(createHash('sha256').update(`${jobId} ${scheduledFor}`).digest().subarray(0, 16))
  const view = new DataView(bytes.buffer)
  // the layout of a UUIDv7: 48 bits of time, the version, the variant
  view.setUint32(0, Math.floor(at / 2 ** 16))
  view.setUint16(4, at % 2 ** 16)
  view.setUint8(6, 0x70 | (view.getUint8(6) & 0x0f))
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f))
  return idOf(prefix, bytes)
}

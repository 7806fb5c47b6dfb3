/**
 * Stores and loads checkpoints. A checkpoint contains the messages added since its base, the previous checkpoint; now
 * and then one contains all messages, which bounds the chain to load. The digest covers the whole artifact to detect
 * damage. Source: requirement 4.14; contract 5.
 */
import { listWholeCheckpoints } from '../../../storage/runs/checkpoint-lists.ts'
import { getCheckpoint } from '../../../storage/runs/checkpoints.ts'
import type { Store } from '../../../storage/store.ts'
import type { CheckpointRow } from '../../../storage/tables.ts'
import { canonical } from '../../platform/http/canonical.ts'
import { digestOfText, digestOfTexts } from '../../platform/http/digest.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import type { CheckpointReport, RuntimeCheckpoint } from '../runner/protocol/protocol.ts'

/** The maximum number of links from a checkpoint to a full one. */
export const linksMax = 49

/** A stored checkpoint cannot be loaded, or its digest does not match. */
export class DamagedCheckpoint extends Error {
  override readonly name = 'DamagedCheckpoint'
}

/** The state of the previous checkpoint that the next one builds on. */
export interface CheckpointTrail {
  checkpointId: number
  /** The number of links to a full checkpoint. */
  links: number
  /** Canonical JSON, one text per message. */
  messages: readonly string[]
}

interface CheckpointPlace {
  checkpointId: number
  runId: string
  agentStepId: number
  attempt: number
}

/** The canonical JSON of an artifact before and after its messages. */
const aroundMessages = ({
  chain,
  delegates,
  pendingToolCalls,
  stepCount,
  version,
}: Omit<RuntimeCheckpoint, 'messages'>): [string, string] => [
  `{"chain":${chain},${delegates ? `"delegates":${canonical(delegates)},` : ''}"messages":[`,
  `],"pendingToolCalls":${canonical(pendingToolCalls)},"stepCount":${stepCount},"version":${version}}`,
]

const artifactText = (messages: readonly string[], remainder: Omit<RuntimeCheckpoint, 'messages'>) =>
  aroundMessages(remainder).join(messages.join(','))

/** The digest and size of an artifact; a large one is hashed in pieces that yield to other requests. */
export async function artifactOf({
  messages,
  ...remainder
}: RuntimeCheckpoint): Promise<{ digest: string; bytes: number }> {
  const texts: string[] = []
  for (const message of messages) {
    await nextTurn()
    texts.push(canonical(message))
  }
  return digestOfTexts([artifactText(texts, remainder)])
}

interface NewCheckpoint {
  previous: CheckpointTrail | null
  report: CheckpointReport
  place: CheckpointPlace
  at: number
}

/** The row of a new checkpoint without its sequence, and the trail for the next one. `at`: epoch milliseconds. */
export function checkpointRow(given: NewCheckpoint): { row: Omit<CheckpointRow, 'sequence'>; trail: CheckpointTrail } {
  const { messages: all, ...remainder } = given.report.runtimeCheckpoint
  const messages = all.map(canonical)
  const text = artifactText(messages, remainder)
  return rowOf(given, messages, { digest: digestOfText(text), bytes: Buffer.byteLength(text) })
}

/** The same for a large checkpoint, yielding to other requests. */
export async function largeCheckpointRow(given: NewCheckpoint): Promise<ReturnType<typeof rowOf>> {
  const { messages: all, ...remainder } = given.report.runtimeCheckpoint
  const messages: string[] = []
  let since = 0
  for (const message of all) {
    const text = canonical(message)
    messages.push(text)
    since += text.length
    if (since < largeLength) continue
    await nextTurn()
    since = 0
  }
  const [before, behind] = aroundMessages(remainder)
  const between = messages.flatMap((message, index) => (index === 0 ? [message] : [',', message]))
  return rowOf(given, messages, await digestOfTexts([before, ...between, behind]))
}

const largeLength = 256 * 1024

/** Whether hashing takes milliseconds. */
export function isLargeCheckpoint({ runtimeCheckpoint }: CheckpointReport): boolean {
  let left = largeLength
  const look = (value: unknown): boolean => {
    if (typeof value === 'string') left -= value.length
    else if (typeof value === 'object' && value !== null) {
      left -= 8
      for (const each of Object.values(value)) if (look(each)) return true
    }
    return left < 0
  }
  return look(runtimeCheckpoint)
}

function rowOf(
  { previous, report, place, at }: NewCheckpoint,
  messages: readonly string[],
  { digest, bytes }: { digest: string; bytes: number },
): { row: Omit<CheckpointRow, 'sequence'>; trail: CheckpointTrail } {
  const { messages: _, ...remainder } = report.runtimeCheckpoint
  const base = previous && previous.links < linksMax && continues(previous.messages, messages) ? previous : null
  return {
    row: {
      checkpoint_id: place.checkpointId,
      run_id: place.runId,
      agent_step_id: place.agentStepId,
      attempt: place.attempt,
      kind: report.kind,
      digest,
      size_bytes: bytes,
      base_checkpoint_id: base?.checkpointId ?? null,
      messages: `[${messages.slice(base?.messages.length ?? 0).join(',')}]`,
      message_count: messages.length,
      remainder: canonical(remainder),
      created_at: at,
    },
    trail: { checkpointId: place.checkpointId, links: base ? base.links + 1 : 0, messages },
  }
}

const continues = (before: readonly string[], after: readonly string[]) =>
  before.length <= after.length && before.every((message, index) => message === after[index])

export interface LoadedCheckpoint {
  row: CheckpointRow
  runtimeCheckpoint: RuntimeCheckpoint
  trail: CheckpointTrail
}

/** Loads a checkpoint and verifies its digest. Throws `DamagedCheckpoint`. */
export async function loadCheckpoint(store: Store, row: CheckpointRow): Promise<LoadedCheckpoint> {
  const rows = [row]
  for (let oldest = row; oldest.base_checkpoint_id !== null; ) {
    const base = await store.first<CheckpointRow>(
      getCheckpoint(store, { runId: row.run_id, checkpointId: oldest.base_checkpoint_id }),
    )
    // a base must be older, which excludes cycles
    if (!base || base.sequence >= oldest.sequence)
      throw new DamagedCheckpoint(`Checkpoint ${row.checkpoint_id} has no base.`)
    rows.unshift(base)
    oldest = base
  }
  try {
    const messages = rows.flatMap((link) => JSON.parse(link.messages) as RuntimeCheckpoint['messages'])
    const remainder = JSON.parse(row.remainder) as Omit<RuntimeCheckpoint, 'messages'>
    const texts = messages.map(canonical)
    if (digestOfText(artifactText(texts, remainder)) !== row.digest) {
      throw new DamagedCheckpoint(`Checkpoint ${row.checkpoint_id} does not match its digest.`)
    }
    return {
      row,
      runtimeCheckpoint: { ...remainder, messages },
      trail: { checkpointId: row.checkpoint_id, links: rows.length - 1, messages: texts },
    }
  } catch (cause) {
    if (cause instanceof DamagedCheckpoint) throw cause
    throw new DamagedCheckpoint(`Checkpoint ${row.checkpoint_id} is not JSON.`, { cause })
  }
}

/**
 * The latest intact checkpoint, to continue from; undefined if there is none. Damaged ones are skipped and reported to
 * `onDamaged`.
 */
export async function selectCheckpoint(
  store: Store,
  runId: string,
  onDamaged: (damage: DamagedCheckpoint) => void = () => {},
): Promise<LoadedCheckpoint | undefined> {
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const row = await store.first<CheckpointRow>(listWholeCheckpoints(store, { runId, before, limit: 1 }))
    if (!row) return undefined
    try {
      return await loadCheckpoint(store, row)
    } catch (error) {
      if (!(error instanceof DamagedCheckpoint)) throw error
      onDamaged(error)
      before = row.sequence
    }
  }
}

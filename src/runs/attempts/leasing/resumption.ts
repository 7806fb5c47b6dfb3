/**
 * The checkpoint and input that an attempt resumes from. If a chain ended before any checkpoint contained its input,
 * because the run was canceled while queued, that input is merged into the next chain's. Messages from before the run,
 * and the state that a fork begins with, are resumed from as if they were a checkpoint. Source: contract 5, "checkpoint
 * 0"; contract 12; contract 14, "Fork".
 */
import type { RunContext } from '../../../../machines/run.ts'
import { getRunInput, nextRunInput } from '../../../../storage/runs/runs.ts'
import type { Store } from '../../../../storage/store.ts'
import { parseStored } from '../../../platform/http/body/long-texts.ts'
import type { Live } from '../../record.ts'
import {
  isEmptyInput,
  mergedInputs,
  messagesOf,
  noInput,
  type StoredInput,
  stateBefore,
  withoutHistory,
} from '../../records/stored-input.ts'
import { conversationBytesMax, textBytes } from '../../runner/conversation/size.ts'
import type { Assignment, RuntimeCheckpoint } from '../../runner/protocol/protocol.ts'

export interface ResumptionParts {
  store: Store
  /** The checkpoint to continue from; null: only the input. */
  latestCheckpoint(runId: string): Promise<RuntimeCheckpoint | null>
}

/** `context` is the run's before the lease; `known` is its input if in memory. */
export async function resumptionOf(
  { store, latestCheckpoint }: ResumptionParts,
  runId: string,
  { attempt, chain }: Pick<RunContext, 'attempt' | 'chain'>,
  known?: Live['input'],
): Promise<Pick<Assignment, 'resume' | 'input' | 'callsFirst'>> {
  const row = known?.chain === chain ? known : await store.first(getRunInput(store, { runId, chain }))
  const stored: StoredInput = row ? ((await parseStored(row.body)) as StoredInput) : noInput
  const input = withoutHistory(stored)
  const resume = attempt > 0 ? await latestCheckpoint(runId) : null
  const after = resume?.chain ?? 0
  if (after >= chain - 1) {
    const callsFirst = stored.resume !== undefined && !isEmptyInput(input)
    return { resume: resume ?? stateBefore(stored, chain), input, ...(callsFirst && { callsFirst }) }
  }
  const given = await inputsBetween(store, runId, { after, before: chain })
  const begun = resume ?? given[0]?.resume
  const unapplied = given.filter((each) => !isEmptyInput(each))
  const state = begun && { ...begun, chain: Math.min(begun.chain, chain - 1) }
  if (unapplied.length === 0) return { resume: state ?? null, input }
  // the attempt closes open calls before it applies its input
  if (state && state.pendingToolCalls.length > 0) return { resume: state, input: mergedInputs([...unapplied, input]) }
  const messages = [...(state?.messages ?? []), ...unapplied.flatMap(messagesOf)]
  const conversation = state ?? { version: 1 as const, stepCount: 0, pendingToolCalls: [] }
  return { resume: { ...conversation, messages, chain: chain - 1 }, input }
}

/**
 * The inputs of the chains between two chains, oldest first. Inputs that exceed the limit on a conversation together are
 * not all read: the attempt fails at its first step.
 */
async function inputsBetween(store: Store, runId: string, { after, before }: { after: number; before: number }) {
  const given: StoredInput[] = []
  for (let bytes = 0, last = after; bytes <= conversationBytesMax; ) {
    const row = await store.first(nextRunInput(store, { runId, after: last, before }))
    if (!row) break
    const input = (await parseStored(row.body)) as StoredInput
    given.push(input)
    bytes += textBytes(input)
    last = row.chain
  }
  return given
}

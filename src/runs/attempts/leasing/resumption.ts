/**
 * The checkpoint and input that an attempt resumes from. If a chain ended before any checkpoint contained its input,
 * because the run was canceled while queued, that input is merged into the next chain's. Messages from before the run
 * are resumed from as if they were a checkpoint. Source: contract 5, "checkpoint 0"; contract 12.
 */
import type { ModelMessage } from 'ai'
import type { RunContext } from '../../../../machines/run.ts'
import { getRunInput, listRunInputsBetween } from '../../../../storage/runs/runs.ts'
import type { Store } from '../../../../storage/store.ts'
import { parseStored } from '../../../platform/http/body/long-texts.ts'
import type { Live } from '../../record.ts'
import { historyOf, messagesOf, type StoredInput, withoutHistory } from '../../records/stored-input.ts'
import type { Assignment, RunInput, RuntimeCheckpoint } from '../../runner/protocol/protocol.ts'

export interface ResumptionParts {
  store: Store
  /** The checkpoint to continue from; null: only the input. */
  latestCheckpoint(runId: string): Promise<RuntimeCheckpoint | null>
}

const noInput: RunInput = { query: null, contents: [] }
const isEmpty = ({ query, contents }: RunInput) => query === null && contents.length === 0

/** `context` is the run's before the lease; `known` is its input if in memory. */
export async function resumptionOf(
  { store, latestCheckpoint }: ResumptionParts,
  runId: string,
  { attempt, chain }: Pick<RunContext, 'attempt' | 'chain'>,
  known?: Live['input'],
): Promise<Pick<Assignment, 'resume' | 'input'>> {
  const row = known?.chain === chain ? known : await store.first(getRunInput(store, { runId, chain }))
  const stored = row ? ((await parseStored(row.body)) as StoredInput) : noInput
  const input = withoutHistory(stored)
  const resume = attempt > 0 ? await latestCheckpoint(runId) : null
  const after = resume?.chain ?? 0
  if (after >= chain - 1) return { resume: resume ?? before(historyOf(stored), chain), input }
  const rows = await store.all(listRunInputsBetween(store, { runId, after, before: chain }))
  const given = await Promise.all(rows.map(({ body }) => parseStored(body) as Promise<StoredInput>))
  const unapplied = given.filter((each) => !isEmpty(each))
  if (unapplied.length === 0) return { resume, input }
  // the attempt closes open calls before it applies its input
  if (resume && resume.pendingToolCalls.length > 0) return { resume, input: merged([...unapplied, input]) }
  const messages = [...(resume?.messages ?? []), ...unapplied.flatMap(messagesOf)]
  const conversation = resume ?? { version: 1 as const, stepCount: 0, pendingToolCalls: [] }
  return { resume: { ...conversation, messages, chain: chain - 1 }, input }
}

/** The checkpoint for a chain that begins with these messages; null without messages. */
const before = (messages: ModelMessage[], chain: number): RuntimeCheckpoint | null =>
  messages.length === 0 ? null : { version: 1, stepCount: 0, pendingToolCalls: [], messages, chain: chain - 1 }

/** Merges several inputs into one. */
const merged = (inputs: readonly RunInput[]): RunInput => ({
  query: inputs.flatMap(({ query }) => query ?? []).join('\n\n') || null,
  contents: inputs.flatMap(({ contents }) => contents),
})

/**
 * What an attempt goes on from, and what it is asked. A chain that ended before any checkpoint held its input, because the
 * run was canceled in the queue, must not take the question with it: the next chain finds it in the conversation.
 * Source: contract 5, "checkpoint 0".
 */
import type { RunContext } from '../../../../machines/run.ts'
import { getRunInput, listRunInputsBetween } from '../../../../storage/runs/runs.ts'
import type { Store } from '../../../../storage/store.ts'
import { parseStored } from '../../../platform/http/body/long-texts.ts'
import { userMessage } from '../../runner/conversation/messages.ts'
import type { Assignment, RunInput, RuntimeCheckpoint } from '../../runner/protocol/protocol.ts'

export interface ResumptionParts {
  store: Store
  /** The checkpoint that a continuation goes on from; null: none but the input. */
  latestCheckpoint(runId: string): Promise<RuntimeCheckpoint | null>
}

const noInput: RunInput = { query: null, contents: [] }
const isEmpty = ({ query, contents }: RunInput) => query === null && contents.length === 0

/** `context` is the run's before the attempt is leased. */
export async function resumptionOf(
  { store, latestCheckpoint }: ResumptionParts,
  runId: string,
  { attempt, chain }: Pick<RunContext, 'attempt' | 'chain'>,
): Promise<Pick<Assignment, 'resume' | 'input'>> {
  const row = await store.first(getRunInput(store, { runId, chain }))
  const input = row ? ((await parseStored(row.body)) as RunInput) : noInput
  const resume = attempt > 0 ? await latestCheckpoint(runId) : null
  const after = resume?.chain ?? 0
  if (after >= chain - 1) return { resume, input }
  const rows = await store.all(listRunInputsBetween(store, { runId, after, before: chain }))
  const given = await Promise.all(rows.map(({ body }) => parseStored(body) as Promise<RunInput>))
  const unapplied = given.filter((each) => !isEmpty(each))
  if (unapplied.length === 0) return { resume, input }
  // calls that are open have to be closed first, which the attempt does before it applies its input
  if (resume && resume.pendingToolCalls.length > 0) return { resume, input: merged([...unapplied, input]) }
  const messages = [...(resume?.messages ?? []), ...unapplied.map(userMessage)]
  const conversation = resume ?? { version: 1 as const, stepCount: 0, pendingToolCalls: [] }
  return { resume: { ...conversation, messages, chain: chain - 1 }, input }
}

/** Several inputs, said at once. */
const merged = (inputs: readonly RunInput[]): RunInput => ({
  query: inputs.flatMap(({ query }) => query ?? []).join('\n\n') || null,
  contents: inputs.flatMap(({ contents }) => contents),
})

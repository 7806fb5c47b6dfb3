/** Follows a run to its end: its text on the standard output, its activity on the standard error. */
import { type AgentRun, type Run, RunError, type RunEvent, type Troupe } from '../../../sdk/src/index.ts'
import type { Context } from '../../context.ts'
import { answered, isAtTerminal } from '../../terminal/ask.ts'
import { CommandError } from '../../terminal/exit-codes.ts'
import { cut, oneLine, styled } from '../../terminal/text.ts'
import { QueueWatch } from './queue-watch.ts'

type Pending = NonNullable<AgentRun['awaiting']>['pending'][number]

const inputLengthMax = 200
const shownInput = (input: unknown) => cut(oneLine(JSON.stringify(input) ?? ''), inputLengthMax)
const dim = (words: string) => styled('dim', words, process.stderr)

/** A person's input as the result of a tool: JSON if it is valid JSON, else the text. */
export function resultIn(typed: string): unknown {
  try {
    return JSON.parse(typed)
  } catch {
    return typed
  }
}

/** Asks the person for the results that the run waits for. Returns whether there was anything to ask. */
async function answer({ signal }: Context, troupe: Troupe, run: Run, call: Pending): Promise<boolean> {
  const asked = `${call.toolName} ${shownInput(call.input)}`
  if (call.kind === 'tool') {
    const typed = await answered(({ text }) => text({ message: `Result of ${asked}`, output: process.stderr, signal }))
    await run.answer(call.toolCallId, resultIn(typed ?? ''))
    return true
  }
  const { projectId, environmentId } = await run.get()
  if (call.kind !== 'approval' || !call.approvalId || !projectId || !environmentId) return false
  const allowed = await answered(({ confirm }) =>
    confirm({ message: `Allow ${asked}?`, output: process.stderr, signal }),
  )
  const approval = { projectId, environmentId, approvalId: call.approvalId }
  await (allowed ? troupe.operations.approve(approval) : troupe.operations.reject(approval))
  return true
}

/** How a person gives what the run waits for. */
const remedyOf = (run: Run, { kind, toolCallId, approvalId }: Pending): string => {
  if (kind === 'approval' && approvalId) {
    return `Decide with: troupe approvals approve ${approvalId}, or: troupe approvals reject ${approvalId}`
  }
  if (kind === 'connection') return `Connect the account in the console: troupe open ${run.id}`
  return `Answer with: troupe runs answer ${run.id} ${toolCallId} RESULT`
}

/** The call that the run waits for and this command cannot answer. */
const waits = (run: Run, call: Pending) =>
  new CommandError(
    'unsuccessful',
    'awaiting_input',
    `${run.id} waits for ${call.kind} ${call.toolName} ${shownInput(call.input)}.`,
    [remedyOf(run, call), `Continue with: troupe runs watch ${run.id}`],
  )

/** Kinds of calls whose result the server itself gives. */
const ownKinds: ReadonlySet<Pending['kind']> = new Set(['agentRun', 'worker', 'operation', 'workflow'])

/** The run of another Agent that a call waits for. */
async function calledRun({ signal }: Context, troupe: Troupe, invocationId: string): Promise<AgentRun | undefined> {
  try {
    for await (const run of troupe.runs.list({ createdBy: invocationId, limit: 1 }, { signal })) return run
  } catch {
    signal.throwIfAborted()
    // the key may not list runs
  }
  return undefined
}

/** What a call with such a result waits for, which may be a person; undefined if it soon ends by itself. */
async function reasonOf(context: Context, troupe: Troupe, call: Pending): Promise<string | undefined> {
  const { kind, toolName, invocationId, workflowRunId } = call
  if (kind === 'worker') return `… ${toolName} waits for a worker`
  if (kind === 'workflow')
    return `… ${toolName} waits for the workflow run ${workflowRunId}: troupe open ${workflowRunId}`
  if (kind !== 'agentRun' || invocationId === undefined) return undefined
  const run = await calledRun(context, troupe, invocationId)
  return `… ${toolName} waits for the run of another Agent${run ? `: troupe runs watch ${run.id}` : ''}`
}

/** The states of a run with an attempt: from these it is queued only if that is lost. */
const ofAttempt: ReadonlySet<string | null> = new Set(['acquiring', 'starting', 'running'])

/** The line about an event, besides the text of the Agent. */
function lineOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'step.started':
      return event.data.kind === 'tool' || event.data.kind === 'delegate'
        ? `→ ${event.data.name} ${shownInput(event.data.input)}`
        : undefined
    case 'step.failed':
      return `✗ ${event.data.name}: ${oneLine(event.data.error?.message ?? 'failed')}`
    case 'run.snapshot':
      return event.data.gap ? '… its events were removed at the end of its retention' : undefined
    case 'run.transition':
      return event.data.to === 'queued' && ofAttempt.has(event.data.from)
        ? `… ${event.data.event}: tried again`
        : undefined
    default:
      return undefined
  }
}

class Teller {
  /** Whether the last output ended within a line. */
  #open = false

  constructor(private readonly context: Context) {}

  tell(event: RunEvent): void {
    const { output } = this.context
    if (output.json) {
      output.item(event, () => undefined)
      return
    }
    if (event.type === 'step.delta' && event.data.kind === 'text') {
      output.piece(event.data.text)
      this.#open = !event.data.text.endsWith('\n')
      return
    }
    this.note(lineOf(event))
  }

  /** A line besides the text of the Agent, if there is one. */
  note(line: string | undefined): void {
    if (line === undefined) return
    this.close()
    this.context.output.note(dim(line))
  }

  /** Ends the line of streamed text. */
  close(): void {
    if (this.#open && !this.context.output.json) process.stdout.write('\n')
    this.#open = false
  }
}

/**
 * Shows the events of the run after `after` until it ends; asks for results that it waits for, if there is a person to
 * ask. Throws `RunError` if the run ends without being completed, `awaiting_input` if it waits for a result that this
 * command cannot give.
 */
export async function follow(context: Context, troupe: Troupe, run: Run, after = 0): Promise<void> {
  const teller = new Teller(context)
  const { signal } = context
  const told = new Set<string>()
  let ended: AgentRun | undefined
  const queue = new QueueWatch({ run, signal, say: (line) => !context.output.json && teller.note(line) })
  try {
    for await (const event of run.events({ after }, { signal })) {
      teller.tell(event)
      queue.note(event)
      if (event.type === 'end') ended = event.data
      if (event.type !== 'input.requested') continue
      // another client may have answered
      const { awaiting } = await run.get({ signal })
      for (const call of awaiting?.pending ?? []) {
        if (ownKinds.has(call.kind)) {
          const asked = `${call.kind} ${call.toolCallId}`
          if (!told.has(asked) && !context.output.json) teller.note(await reasonOf(context, troupe, call))
          told.add(asked)
          continue
        }
        teller.close()
        const isOver = isAtTerminal() && !context.output.json && (await answer(context, troupe, run, call))
        if (!isOver) throw waits(run, call)
      }
    }
  } finally {
    queue.stop()
  }
  teller.close()
  context.interruption.ended(run.id)
  const { state, stateReason } = ended ?? (await run.get({ signal }))
  if (state !== 'completed') throw new RunError(run.id, state, stateReason)
}

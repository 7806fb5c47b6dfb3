/** `runs`: list, show, watch, continue, fork, answer and cancel. */
import type { Command } from 'commander'
import type { AgentRun, AgentRunState, Troupe } from '../../../sdk/src/index.ts'
import { agentNames } from '../../agent-names.ts'
import { examples, type Running, several, speaks, waits, wholeNumber, works } from '../../command.ts'
import type { Context } from '../../context.ts'
import { findPlace } from '../../names.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import { facts, table, time } from '../../terminal/text.ts'
import { goesOn } from '../run.ts'
import { follow, resultIn } from './follow.ts'

interface ListOptions {
  on?: string
  state?: string[]
  forksOf?: string
  limit: number
}

const colourOf = (state: AgentRunState) =>
  state === 'completed' ? 'green' : state === 'failed' || state === 'expired' ? 'red' : 'yellow'

const idForm = /^run_[0-9a-z]+$/

/** Throws unless the text is the id of a run. */
function checkedId(id: string): string {
  if (!idForm.test(id))
    throw usageError(`${JSON.stringify(id)} is not the id of a run (run_…): troupe runs list shows them.`)
  return id
}

async function list(context: Context, { on, state, forksOf, limit }: ListOptions): Promise<void> {
  const troupe = context.client()
  const place = on === undefined ? undefined : await findPlace(troupe, on)
  const runs: AgentRun[] = []
  const filter = {
    ...(place && { projectId: place.project.id, environmentId: place.environment.id }),
    ...(state && { states: state as AgentRunState[] }),
    ...(forksOf !== undefined && { forkedFrom: checkedId(forksOf) }),
  }
  for await (const run of troupe.runs.list({ ...filter, limit: Math.min(limit, 100) })) {
    runs.push(run)
    if (runs.length === limit) break
  }
  const names = context.output.json ? [] : await agentNames(troupe, runs)
  context.output.result(runs, () =>
    runs.length === 0
      ? 'No runs.'
      : table(
          ['run', 'state', 'created', 'agent'],
          runs.map((run, index) => [run.id, run.state, time(run.createdAt), names[index] as string]),
        ),
  )
}

async function show(context: Context, id: string): Promise<void> {
  const troupe = context.client()
  const run = await troupe.runs.get({ agentRunId: checkedId(id), include: ['output'] })
  const [name = run.agentId] = context.output.json ? [] : await agentNames(troupe, [run])
  context.output.result(run, () =>
    facts([
      ['run', run.id],
      ['state', run.state, colourOf(run.state)],
      ...(run.stateReason ? [['reason', `${run.stateReason.code}: ${run.stateReason.message}`] as const] : []),
      ...(run.awaiting?.pending ?? []).map(
        ({ kind, toolName, toolCallId }) => ['waits for', `${kind} ${toolName} (${toolCallId})`] as const,
      ),
      ['agent', name],
      ['attempt', String(run.attempt)],
      ['created', time(run.createdAt)],
      ...(run.output ? [['output', run.output.text] as const] : []),
      ...(run.state === 'completed' && !run.output ? [['output', 'removed at the end of its retention'] as const] : []),
    ]),
  )
}

async function startNow(context: Context, id: string): Promise<void> {
  const run = await context.client().runs.startNow({ agentRunId: checkedId(id) })
  context.output.result(run, () => `${run.id} starts now.`)
}

async function watch(context: Context, id: string, after = 0): Promise<void> {
  const troupe = context.client()
  const run = troupe.runs.open(checkedId(id))
  context.interruption.begun(id, goesOn(run))
  await follow(context, troupe, run, after)
}

/** The sequence number of the last event of a run. */
async function lastEventOf({ signal }: Context, troupe: Troupe, agentRunId: string): Promise<number> {
  for await (const event of troupe.runs.stream({ agentRunId }, { signal })) {
    return event.type === 'run.snapshot' ? event.data.lastSequence : event.sequence
  }
  return 0
}

async function goOn(context: Context, id: string, words: string[]): Promise<void> {
  const troupe = context.client()
  // earlier text is not shown again
  const after = await lastEventOf(context, troupe, checkedId(id))
  await troupe.runs.open(id).continue(words.join(' '))
  await watch(context, id, after)
}

interface ForkOptions {
  checkpoint?: number
  model?: string
  detach?: boolean
}

async function fork(context: Context, options: ForkOptions, id: string, words: string[]): Promise<void> {
  const troupe = context.client()
  const { checkpoint, model, detach } = options
  const made = await troupe.runs.open(checkedId(id)).fork({
    ...(checkpoint !== undefined && { checkpointId: checkpoint }),
    ...(words.length > 0 && { query: words.join(' ') }),
    ...(model !== undefined && { model }),
  })
  if (detach) {
    context.output.result(await made.get(), () => made.id)
    return
  }
  context.interruption.begun(made.id, goesOn(made))
  await follow(context, troupe, made)
}

async function answer(context: Context, id: string, call: string, result: string): Promise<void> {
  const run = await context.client().runs.open(checkedId(id)).answer(call, resultIn(result))
  context.output.result(run, () => `${run.id} has the result.`)
}

async function cancel(context: Context, { force }: { force?: boolean }, id: string): Promise<void> {
  const run = await context.client().runs.cancel({ agentRunId: checkedId(id), ...(force && { force }) })
  context.output.result(run, () => `${run.id} is ${run.state}.`)
}

export function addRuns(program: Command, running: Running): void {
  const runs = program.command('runs').summary('list, show, watch and cancel runs').description('Runs of Agents.')
  speaks(runs.command('list'))
    .description('Lists runs, newest first.')
    .option('--on <place>', 'only runs of PROJECT/KIND')
    .option('--state <states>', 'only runs in these states, separated by commas', several)
    .option('--forks-of <run>', 'only forks of this run')
    .option('--limit <number>', 'the most runs', wholeNumber(1, 10_000), 20)
    .addHelpText(
      'after',
      examples('troupe runs list --on shop/production --state failed', "troupe runs list --json | jq '.[].id'"),
    )
    .action(works(running, list))
  speaks(runs.command('show'))
    .description('Shows a run, with its output.')
    .argument('<run>', 'run_…')
    .action(works<[string], object>(running, (context, _, id) => show(context, id)))
  waits(speaks(runs.command('watch')))
    .description('Shows the text of a run so far, and streams the rest until it ends.')
    .argument('<run>', 'run_…')
    .action(works<[string], object>(running, (context, _, id) => watch(context, id)))
  waits(speaks(runs.command('continue')))
    .description('Continues a run that has ended with another query, and streams the answer.')
    .argument('<run>', 'run_…')
    .argument('<query...>', 'the query')
    .action(works<[string, string[]], object>(running, (context, _, id, words) => goOn(context, id, words)))
  waits(speaks(runs.command('fork')))
    .description('Starts a new run that goes on from a checkpoint of this one, and streams the answer.')
    .argument('<run>', 'run_…')
    .argument('[query...]', 'in place of the input; at a later checkpoint, the next message')
    .option('--checkpoint <id>', 'a checkpoint of the run; 0 is its input', wholeNumber(0, Number.MAX_SAFE_INTEGER), 0)
    .option('--model <name>', 'another model of the same provider')
    .option('-d, --detach', 'print the id of the fork without waiting for it')
    .action(works<[string, string[]], ForkOptions>(running, fork))
  speaks(runs.command('answer'))
    .description('Gives the result of a tool call that a run waits for.')
    .argument('<run>', 'run_…')
    .argument('<call>', 'the id of the call, as in runs show')
    .argument('<result>', 'JSON, or text')
    .action(
      works<[string, string, string], object>(running, (context, _, id, call, result) =>
        answer(context, id, call, result),
      ),
    )
  speaks(runs.command('start-now'))
    .description('Starts a run now whose start was put off.')
    .argument('<run>', 'run_…')
    .action(works<[string], object>(running, (context, _, id) => startNow(context, id)))
  speaks(runs.command('cancel'))
    .description('Cancels a run, which first finishes its current step.')
    .argument('<run>', 'run_…')
    .option('--force', 'at once, without waiting for the runner')
    .action(works<[string], { force?: boolean }>(running, cancel))
}

/** `run`: starts a run of an Agent, streams its answer, and asks the person for input that it waits for. */
import type { Command } from 'commander'
import type { Run } from '../../sdk/src/index.ts'
import { examples, instant, type Running, speaks, waits, works } from '../command.ts'
import type { Context } from '../context.ts'
import { isAtTerminal, standardInput } from '../terminal/ask.ts'
import { usageError } from '../terminal/exit-codes.ts'
import { follow } from './runs/follow.ts'

interface RunOptions {
  detach?: boolean
  model?: string
  maxRetries?: number
  at?: string
}

const agentForm = /^(agt_[a-z0-9_]+|[^/\s]+\/[^/\s]+\/[^/\s]+)$/

/** The query: the arguments of the command line, or the standard input if there are none. */
async function queryOf(words: readonly string[]): Promise<string> {
  const given = words.length === 1 && words[0] === '-' ? [] : words
  if (given.length > 0) return given.join(' ')
  if (words.length === 0 && isAtTerminal()) throw usageError('Give the query for the Agent: troupe run AGENT "…".')
  const query = (await standardInput()).trim()
  if (query === '') throw usageError('The standard input is empty, so there is no query.')
  return query
}

/** The sentence about a run that continues after an interruption. */
export const goesOn = ({ id }: Pick<Run, 'id'>) =>
  `${id} goes on: troupe runs watch ${id} follows it, troupe runs cancel ${id} ends it.`

async function run(context: Context, options: RunOptions, agent: string, words: string[]): Promise<void> {
  if (!agentForm.test(agent)) {
    throw usageError(
      `${JSON.stringify(agent)} does not name an Agent: give PROJECT/KIND/AGENT, such as shop/production/clerk.`,
    )
  }
  const query = await queryOf(words)
  const { detach, model, at } = options
  const troupe = context.client()
  const started = await context.output.wait(`Starting ${agent}`, () =>
    troupe.runs.start(
      { agent, query, ...(model !== undefined && { model }), ...(at !== undefined && { startAt: at }) },
      { signal: context.signal },
    ),
  )
  if (detach || at !== undefined) {
    const value = await started.get()
    context.output.result(value, () => started.id)
    return
  }
  context.interruption.begun(started.id, goesOn(started))
  await follow(context, troupe, started)
}

export function addRun(program: Command, running: Running): void {
  waits(speaks(program.command('run')))
    .summary('run an Agent')
    .description(
      'Starts a run and streams the answer of the Agent. Asks at the terminal for tool results and approvals that the run waits for. With --json, prints each event of the run as one line.',
    )
    .argument('<agent>', 'PROJECT/KIND/AGENT, such as shop/production/clerk; or the id of an Agent of the platform')
    .argument('[query...]', 'the query; - or nothing reads the standard input')
    .option('-d, --detach', 'print the id of the run without waiting for it')
    .option('--model <name>', "a model to use instead of the Agent's")
    .option('--at <time>', 'when it may start, at most 30 days ahead; prints the id of the run', instant)
    .addHelpText(
      'after',
      examples(
        'troupe run shop/development/clerk "Where is order A-17?"',
        'troupe run shop/production/clerk - < letter.txt',
        'troupe run shop/production/clerk --detach "Where is order A-17?"',
        'troupe run shop/production/clerk --at 2027-01-31T09:00+01:00 "What came in overnight?"',
      ),
    )
    .action(works<[string, string[]], RunOptions>(running, run))
}

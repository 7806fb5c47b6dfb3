/** `chart`: a statechart in the terminal; with the id of a resource also its current state, live. */
import type { Command } from 'commander'
import { type Actor, type GetActorInput, type Machine, NotFoundError, type Transition } from '../../../sdk/src/index.ts'
import { examples, type Running, speaks, works } from '../../command.ts'
import type { Context } from '../../context.ts'
import { CommandError, usageError } from '../../terminal/exit-codes.ts'
import { styled, time } from '../../terminal/text.ts'
import { drawing, listing, type Marks } from './drawing.ts'

interface ChartOptions {
  list?: boolean
  watch?: boolean
  mermaid?: boolean
}

/** The kinds that this program knows; a server may have others. */
type Kind = GetActorInput['kind']

/** The widest drawing if the output is not a terminal. */
const columns = () => (process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY)

const shown = (machine: Machine, marks: Marks, { list }: ChartOptions): string =>
  (list ? undefined : drawing(machine, columns(), marks)) ?? listing(machine, marks)

const moveLine = ({ at, from, to, event }: Transition) =>
  `${styled('dim', time(at))}  ${styled('cyan', event)}  ${from === to ? to : `${from ?? '●'} → ${to}`}`

/** The line of a transition in the drawing. */
const edgeOf = ({ transitions }: Machine, move: Transition | undefined): string | undefined => {
  const row = transitions.find(({ from, event, to }) => from === move?.from && event === move?.event && to === move?.to)
  return row && `${row.declaredAt ?? row.from} → ${row.declaredTo}`
}

/** Replaces the previous output, if the terminal supports it. */
class Picture {
  #height = 0

  show(text: string): void {
    const back = this.#height > 0 ? `\u001b[${this.#height}A\u001b[J` : ''
    process.stdout.write(`${back}${text}\n`)
    this.#height = text.split('\n').length
  }
}

const journalShown = 5

async function live(context: Context, machine: Machine, id: string, options: ChartOptions): Promise<void> {
  const kind = machine.kind as Kind
  const troupe = context.client()
  const actor = await troupe.machines.getActor({ kind, id })
  const isPicture = process.stdout.isTTY === true && !context.output.json
  const picture = new Picture()
  const journal: Transition[] = [...actor.journal]
  const view = (state: string) => {
    const marks = { state, edge: edgeOf(machine, journal.at(-1)) }
    const heading = `${styled('bold', machine.title)} ${id}: ${styled('green', state)}`
    return [heading, '', shown(machine, marks, options), '', ...journal.slice(-journalShown).map(moveLine)].join('\n')
  }
  if (!(options.watch ?? process.stdout.isTTY === true)) return context.output.result(actor, () => view(actor.state))
  if (isPicture) picture.show(view(actor.state))
  else context.output.item(actor, () => view(actor.state))
  const known = new Set(journal.map(({ sequence }) => sequence))
  for await (const { type, data } of troupe.machines.streamActor({ kind, id }, { signal: context.signal })) {
    if (type === 'end') break
    const moves = type === 'actor.snapshot' ? (data as Actor).journal : [data as Transition]
    for (const move of moves.filter(({ sequence }) => sequence !== undefined && !known.has(sequence))) {
      known.add(move.sequence)
      journal.push(move)
      if (isPicture) picture.show(view(move.to))
      else context.output.item(move, () => moveLine(move))
    }
  }
}

async function chart(context: Context, options: ChartOptions, kind: string, id?: string): Promise<void> {
  if (id !== undefined && options.mermaid) throw usageError('--mermaid is for the chart of a kind, without an id.')
  const machine = await context
    .client()
    .machines.get({ kind })
    .catch((error) => {
      if (!(error instanceof NotFoundError)) throw error
      throw new CommandError('missing', 'not_found', `There is no kind of actor ${kind}.`, ['troupe chart lists them.'])
    })
  if (id !== undefined) return live(context, machine, id, options)
  if (options.mermaid) return context.output.result({ mermaid: machine.mermaid }, () => machine.mermaid)
  context.output.result(machine, () => shown(machine, { state: undefined, edge: undefined }, options))
}

async function kinds(context: Context): Promise<void> {
  const { items } = await context.client().machines.list()
  context.output.result(items, () =>
    items.map(({ kind, about }) => `${styled('bold', kind.padEnd(22))}${about.split('. ')[0]}`).join('\n'),
  )
}

export function addChart(program: Command, running: Running): void {
  speaks(program.command('chart'))
    .summary('draw a statechart, live')
    .description(
      'Draws the statechart of a kind of actor: run, environment, deployment, delivery … With the id of a resource it shows the current state, and on a terminal, or with --watch, follows the transitions until the resource is deleted or Ctrl-C. Without a kind it lists the kinds.',
    )
    .argument('[kind]', 'the kind')
    .argument('[id]', 'the id of a resource')
    .option('--watch', 'with an id: follow the transitions, also without a terminal')
    .option('--no-watch', 'with an id: only show the current state')
    .option('--list', 'a list of states and transitions, not a drawing')
    .option('--mermaid', 'a Mermaid diagram')
    .addHelpText(
      'after',
      examples('troupe chart', 'troupe chart delivery', 'troupe chart run run_01h455vb4pex5vsknk084sn02q'),
    )
    .action(
      works<[string | undefined, string | undefined], ChartOptions>(running, (context, options, kind, id) =>
        kind === undefined ? kinds(context) : chart(context, options, kind, id),
      ),
    )
}

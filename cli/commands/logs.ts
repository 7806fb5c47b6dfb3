/** `logs`: what has happened in an Environment, and what happens. */
import type { Command } from 'commander'
import type { Event, Troupe } from '../../sdk/src/index.ts'
import { examples, type Running, several, speaks, wholeNumber, works } from '../command.ts'
import type { Context } from '../context.ts'
import { findPlace } from '../names.ts'
import { styled, time } from '../terminal/text.ts'

interface LogsOptions {
  follow?: boolean
  type?: string[]
  limit: number
}

/** Between two looks at a history that had nothing new. */
const pollMs = 1_000
const pageSize = 100

export interface Place {
  projectId: string
  environmentId: string
}

/** The events after a cursor as they come, until the command is interrupted. */
export async function* eventsAfter(
  context: Context,
  troupe: Troupe,
  place: Place,
  cursor: string,
): AsyncGenerator<Event> {
  for (let next = cursor; ; ) {
    const { items, pagination } = await troupe.events.list(
      { ...place, cursor: next, limit: pageSize },
      { signal: context.signal },
    )
    yield* items
    next = pagination.nextCursor ?? pagination.resumeCursor
    if (!pagination.hasMore) await context.interruption.sleep(pollMs)
  }
}

const eventLine = ({ timestamp, type, subject, data }: Event): string => {
  const { from, to } = data as { from?: unknown; to?: unknown }
  const move = typeof to === 'string' ? `  ${typeof from === 'string' ? `${from} → ` : ''}${to}` : ''
  return `${styled('dim', time(timestamp))}  ${styled('cyan', type)}  ${subject.id}${move}`
}

async function logs(context: Context, { follow, type, limit }: LogsOptions, on: string): Promise<void> {
  const troupe = context.client()
  const { project, environment } = await findPlace(troupe, on)
  const place = { projectId: project.id, environmentId: environment.id }
  const isWanted = (event: Event) => type === undefined || type.includes(event.type)
  const tell = (event: Event) => context.output.item(event, () => eventLine(event))
  const last: Event[] = []
  let cursor: string | undefined
  for (;;) {
    const page = await troupe.events.list(
      { ...place, limit: pageSize, ...(cursor && { cursor }) },
      { signal: context.signal },
    )
    last.push(...page.items.filter(isWanted))
    last.splice(0, last.length - limit)
    cursor = page.pagination.nextCursor ?? page.pagination.resumeCursor
    if (!page.pagination.hasMore) break
  }
  last.forEach(tell)
  if (!follow) return
  for await (const event of eventsAfter(context, troupe, place, cursor)) if (isWanted(event)) tell(event)
}

export function addLogs(program: Command, running: Running): void {
  speaks(program.command('logs'))
    .summary('what has happened in an Environment')
    .description(
      'Shows the last events of an Environment, and with --follow those that come. With --json each is a line.',
    )
    .argument('<place>', 'PROJECT/KIND')
    .option('-f, --follow', 'go on with what comes')
    .option('--type <types>', 'only these, by commas: run.failed,deployment.ready', several)
    .option('--limit <number>', 'so many of the past', wholeNumber(0, 10_000), 20)
    .addHelpText(
      'after',
      examples('troupe logs shop/production -f', 'troupe logs shop/production --type run.failed --json'),
    )
    .action(works<[string], LogsOptions>(running, logs))
}

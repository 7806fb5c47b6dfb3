/** `logs`: the events of an Environment, past and live. */
import type { Command } from 'commander'
import { type Event, PermissionError, type RunLogLine, type Troupe } from '../../sdk/src/index.ts'
import { examples, type Running, several, speaks, wholeNumber, works } from '../command.ts'
import type { Context } from '../context.ts'
import { findPlace } from '../names.ts'
import { usageError } from '../terminal/exit-codes.ts'
import { styled, time } from '../terminal/text.ts'

interface LogsOptions {
  follow?: boolean
  type?: string[]
  limit: number
}

/** The interval of polls while a history has nothing new. */
const pollMs = 1_000
const pageSize = 100
/** The retries of a poll: the events of a server that is away for up to two minutes follow when it is back. */
const pollRetries = 10
/** The farthest from its head that the server begins a history; more of it is read from its oldest event. */
const lookBackMax = 10_000

interface Place {
  projectId: string
  environmentId: string
}

/** The events after a cursor, live, until the command is interrupted. */
export async function* eventsAfter(
  context: Context,
  troupe: Troupe,
  place: Place,
  cursor: string,
): AsyncGenerator<Event> {
  for (let next = cursor; ; ) {
    const { items, pagination } = await troupe.events.list(
      { ...place, cursor: next, limit: pageSize },
      { signal: context.signal, maxRetries: pollRetries },
    )
    yield* items
    next = pagination.nextCursor ?? pagination.resumeCursor
    if (!pagination.hasMore) await context.interruption.sleep(pollMs)
  }
}

/** Throws `usage` for a type of events that the server does not have, unless the key may not read the list of types. */
export async function checkEventTypes(troupe: Troupe, wanted: readonly string[]): Promise<void> {
  const types = await troupe.webhooks.listEventTypes().catch((error: unknown) => {
    if (error instanceof PermissionError) return undefined
    throw error
  })
  const known = types?.items.map(({ type }) => type) ?? wanted
  const unknown = wanted.find((type) => !known.includes(type))
  if (unknown !== undefined) throw usageError(`There is no event type ${unknown}. There are: ${known.join(', ')}.`)
}

interface Wanted {
  place: Place
  isWanted: (event: Event) => boolean
  /** The most events. */
  limit: number
}

interface Pull {
  /** The newest of the wanted events, oldest first. */
  found: Event[]
  /** The place of later events. */
  cursor: string
  /** Whether no earlier events are known to exist. */
  isWhole: boolean
}

/** Reads this many events before the head, or all of them. */
async function pull(
  { signal }: Context,
  troupe: Troupe,
  { place, isWanted, limit }: Wanted,
  last: number | undefined,
): Promise<Pull> {
  const found: Event[] = []
  let start: { last?: number; cursor?: string } = last === undefined ? {} : { last }
  for (let pages = 1; ; pages += 1) {
    const { items, pagination } = await troupe.events.list({ ...place, limit: pageSize, ...start }, { signal })
    found.push(...items.filter(isWanted))
    found.splice(0, found.length - limit)
    const cursor = pagination.nextCursor ?? pagination.resumeCursor
    // pages are counted, since a key that is bound to an Agent does not see every event of a page
    if (!pagination.hasMore) return { found, cursor, isWhole: last === undefined || pages * pageSize < last }
    start = { cursor }
  }
}

/** The last wanted events, looked for farther and farther back. */
async function lastEvents(context: Context, troupe: Troupe, wanted: Wanted): Promise<Pull> {
  const { limit } = wanted
  for (let last = limit; ; last = Math.min(Math.max(10 * last, pageSize), lookBackMax)) {
    const pulled = await pull(context, troupe, wanted, last)
    if (pulled.found.length >= limit || pulled.isWhole) return pulled
    if (last === lookBackMax) break
  }
  context.output.note('Looking through the whole history, since its last 10,000 events do not have enough of them.')
  return pull(context, troupe, wanted, undefined)
}

const eventLine = ({ timestamp, type, subject, data }: Event): string => {
  const { from, to } = data as { from?: unknown; to?: unknown }
  const move = typeof to === 'string' ? `  ${typeof from === 'string' ? `${from} → ` : ''}${to}` : ''
  return `${styled('dim', time(timestamp))}  ${styled('cyan', type)}  ${subject.id}${move}`
}

const levels = { info: 'dim', warn: 'yellow', error: 'red' } as const

const runLine = ({ at, level, source, attempt, message }: RunLogLine): string =>
  `${styled('dim', time(at))}  ${styled(levels[level], level.padEnd(5))}  ${source} #${attempt}  ${message}`

/** The last lines of a run, then live ones until it has ended. */
async function runLogs(context: Context, { follow, limit }: LogsOptions, agentRunId: string): Promise<void> {
  const troupe = context.client()
  const options = { signal: context.signal }
  const tell = (line: RunLogLine) => context.output.item(line, () => runLine(line))
  const lines: RunLogLine[] = []
  /** The last line that was read; 0: there is none. */
  let after: number | undefined
  for (let hasMore = true; hasMore; ) {
    // at least one, which says where to follow
    const start = after === undefined ? { last: Math.max(1, limit) } : { after }
    const { items, pagination } = await troupe.runs.listLogs({ agentRunId, limit: pageSize, ...start }, options)
    lines.push(...items)
    after = lines.at(-1)?.sequence ?? 0
    hasMore = pagination.hasMore
  }
  if (lines.length === 0) context.output.note('The log was removed with the content of the run.')
  for (const line of lines.slice(Math.max(0, lines.length - limit))) tell(line)
  if (!follow) return
  for await (const line of troupe.runs.followLogs({ agentRunId, after: after ?? 0 }, options)) tell(line)
}

async function logs(context: Context, options: LogsOptions, on: string): Promise<void> {
  const { follow, type, limit } = options
  if (on.startsWith('run_')) {
    if (type) throw usageError('--type is of the events of an Environment; the log of a run has no types.')
    return runLogs(context, options, on)
  }
  const troupe = context.client()
  const { project, environment } = await findPlace(troupe, on)
  const place = { projectId: project.id, environmentId: environment.id }
  if (type) await checkEventTypes(troupe, type)
  const isWanted = (event: Event) => type === undefined || type.includes(event.type)
  const tell = (event: Event) => context.output.item(event, () => eventLine(event))
  const { found, cursor } = await lastEvents(context, troupe, { place, isWanted, limit })
  found.forEach(tell)
  if (!follow) return
  for await (const event of eventsAfter(context, troupe, place, cursor)) if (isWanted(event)) tell(event)
}

export function addLogs(program: Command, running: Running): void {
  speaks(program.command('logs'))
    .summary('show the events of an Environment, or the log of a run')
    .description(
      'Shows the last events of an Environment, or the log of a run; with --follow also new ones, of a run until it has ended. With --json, prints each as one line.',
    )
    .argument('<place>', 'PROJECT/KIND, or the id of a run')
    .option('-f, --follow', 'also show new events, live')
    .option('--type <types>', 'only these types, separated by commas: run.failed,deployment.ready', several)
    .option('--limit <number>', 'the number of past events', wholeNumber(0, 10_000), 20)
    .addHelpText(
      'after',
      examples(
        'troupe logs shop/production -f',
        'troupe logs run_01jd3e5vhbf7t8r2q9x4mzk6ga -f',
        'troupe logs shop/production --type run.failed --json',
      ),
    )
    .action(works<[string], LogsOptions>(running, logs))
}

/** The declaration of commands for commander, with the common options, examples, and a context for their work. */
import { type Command, InvalidArgumentError, Option, type OptionValues } from 'commander'
import { type CommonOptions, Context } from './context.ts'
import { usageError } from './terminal/exit-codes.ts'
import type { Interruption } from './terminal/interruption.ts'

/** The context of the running command, for the report of its end. */
export interface Running {
  interruption: Interruption
  context: Context | undefined
}

/** The action of a command, with its arguments and options. */
export type Work<Arguments extends unknown[], Options> = (
  context: Context,
  options: Options & CommonOptions,
  ...given: Arguments
) => Promise<void> | void

/** A command for `commander`; `work` gets a context as its first argument. */
export function works<Arguments extends unknown[], Options>(running: Running, work: Work<Arguments, Options>) {
  return async (...all: unknown[]): Promise<void> => {
    const command = all.at(-1) as Command
    const options = optionsOf(command) as Options & CommonOptions
    running.context = new Context(options, running.interruption)
    if (options.timeout !== undefined) running.interruption.expire(options.timeout)
    await work(running.context, options, ...(all.slice(0, -2) as Arguments))
  }
}

/**
 * The options of a command, also those before its name; the nearest counts. Throws for one that the command does not
 * take.
 */
function optionsOf(command: Command): OptionValues {
  const own = command.opts()
  let before: OptionValues = {}
  for (let above = command.parent; above; above = above.parent) before = { ...above.opts(), ...before }
  for (const name of Object.keys(before)) {
    if (command.options.some((option) => option.attributeName() === name)) continue
    throw usageError(`troupe ${namesOf(command)} takes no --${name}.`)
  }
  return { ...before, ...own }
}

const namesOf = (command: Command): string =>
  command.parent?.parent ? `${namesOf(command.parent)} ${command.name()}` : command.name()

/** Examples below the help of a command. */
export const examples = (...lines: string[]): string => `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`

const common = {
  json: () => new Option('--json', 'results as JSON, for programs'),
  url: () => new Option('--url <url>', 'the server (default: TROUPE_URL, the current profile, http://localhost:3000)'),
  profile: () => new Option('--profile <name>', 'a server that you have signed in to'),
}

/** `--json`, `--url` and `--profile`, for a command that uses a server. */
export const speaks = (command: Command): Command =>
  answers(command).addOption(common.url()).addOption(common.profile())

/** The same before the names of commands: of all commands of the program, and of those of each group. */
export function speaksBefore(program: Command): void {
  for (const make of Object.values(common)) {
    const { long } = make()
    for (const command of [program, ...program.commands]) {
      const isGroup = command.commands.length > 0 && !command.options.some((option) => option.long === long)
      if (isGroup) command.addOption(make().hideHelp(command !== program))
    }
  }
}

/** `--timeout`, for a command that waits for work on a server. */
export const waits = (command: Command): Command =>
  command.addOption(
    new Option('--timeout <seconds>', 'stop waiting after this time; the work continues').argParser(
      wholeNumber(1, 86_400),
    ),
  )

/** `--json`. */
export const answers = (command: Command): Command => command.addOption(common.json())

/** Parses a whole number within these bounds. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const number = Number(text)
    if (!/^\d+$/.test(text) || number < min || number > max) {
      throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`)
    }
    return number
  }

/** Whether the calendar has this day: `Date` takes February 30 for a day of March. */
const isDay = (day: string): boolean => {
  const at = Date.parse(day)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day)
}

/** Parses an instant with its offset, such as `2027-01-31T09:00+01:00`, to RFC 3339 in UTC. */
export const instant = (text: string): string => {
  const at = Date.parse(text)
  const [day = ''] = text.split(/T/i, 1)
  if (!/T.*(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) || Number.isNaN(at) || !isDay(day)) {
    throw new InvalidArgumentError('Give an instant with its offset, such as 2027-01-31T09:00:00Z.')
  }
  return new Date(at).toISOString()
}

/** Collects an option that may be repeated, or be a list separated by commas. */
export const several = (text: string, before: string[] = []): string[] => {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  if (parts.length === 0) throw new InvalidArgumentError('Name at least one.')
  return [...before, ...parts]
}

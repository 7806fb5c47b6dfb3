/** The declaration of commands for commander, with the common options, examples, and a context for their work. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type CommonOptions, Context } from './context.ts'
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
    const options = command.optsWithGlobals() as Options & CommonOptions
    running.context = new Context(options, running.interruption)
    if (options.timeout !== undefined) running.interruption.expire(options.timeout)
    await work(running.context, options, ...(all.slice(0, -2) as Arguments))
  }
}

/** Examples below the help of a command. */
export const examples = (...lines: string[]): string => `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`

/** `--json`, `--url` and `--profile`, for a command that uses a server. */
export function speaks(command: Command): Command {
  return answers(command)
    .addOption(
      new Option('--url <url>', 'the server (default: TROUPE_URL, the current profile, http://localhost:3000)'),
    )
    .addOption(new Option('--profile <name>', 'a server that you have signed in to'))
}

/** `--timeout`, for a command that waits for work on a server. */
export const waits = (command: Command): Command =>
  command.addOption(
    new Option('--timeout <seconds>', 'stop waiting after this time; the work continues').argParser(
      wholeNumber(1, 86_400),
    ),
  )

/** `--json`. */
export const answers = (command: Command): Command => command.option('--json', 'results as JSON, for programs')

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

/** Parses an instant with its offset, such as `2027-01-31T09:00+01:00`, to RFC 3339 in UTC. */
export const instant = (text: string): string => {
  const at = Date.parse(text)
  if (!/T.*(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) || Number.isNaN(at)) {
    throw new InvalidArgumentError('Give an instant with its offset, such as 2027-01-31T09:00:00Z.')
  }
  return new Date(at).toISOString()
}

/** Collects an option that may be repeated, or be a list separated by commas. */
export const several = (text: string, before: string[] = []): string[] => [
  ...before,
  ...text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
]

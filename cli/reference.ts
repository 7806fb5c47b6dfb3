/** The reference of docs/cli.md, from the declarations of the commands. */
import type { Argument, Command, Option } from 'commander'
import { createProgram } from './program.ts'
import { exitCodes, exitMeanings } from './terminal/exit-codes.ts'
import { Interruption } from './terminal/interruption.ts'

type Table = (headings: readonly string[], rows: readonly (readonly string[])[]) => string

/** Options that are described once for all commands. */
const common = new Set(['--json', '--url', '--profile'])
/** Commands of libraries, which describe themselves. */
const left = new Set(['complete', 'help'])

const program = () => createProgram({ interruption: new Interruption(), context: undefined })

/** Commands with an action, and the names that lead to them. */
function leaves(command: Command, before: readonly string[] = []): { path: string; command: Command }[] {
  const path = [...before, command.name()]
  const inside = command.commands.filter((one) => !left.has(one.name())).flatMap((one) => leaves(one, path))
  // a command with subcommands may also have an action
  const isOne =
    command.commands.length === 0 || command.options.some(({ long, hidden }) => long === '--json' && !hidden)
  return isOne ? [{ path: path.join(' '), command }, ...inside] : inside
}

const withDefault = ({ description, defaultValue }: Option | Argument) =>
  defaultValue === undefined || defaultValue === false ? description : `${description} (default: ${defaultValue})`

/** The examples at the end of its help. */
function examplesOf(command: Command): string | undefined {
  let text = ''
  const writeOut = (piece: string) => {
    text += piece
  }
  command.configureOutput({ writeOut }).outputHelp()
  const lines = [...text.matchAll(/^ {2}\$ (.*)$/gm)].map(([, line]) => line)
  return lines.length > 0 ? ['```sh', ...lines, '```'].join('\n') : undefined
}

function section(path: string, command: Command, table: Table): string {
  const rows = [
    ...command.registeredArguments.map((argument) => [
      `\`${argument.required ? argument.name() : `[${argument.name()}]`}\``,
      withDefault(argument),
    ]),
    ...command.options
      .filter(({ long }) => !common.has(long ?? ''))
      .map((option) => [`\`${option.flags}\``, withDefault(option)]),
  ].filter(([, meaning]) => meaning)
  return [
    `### ${path}`,
    command.description(),
    ...(rows.length > 0 ? [table(['', ''], rows)] : []),
    ...[examplesOf(command)].filter((text) => text !== undefined),
  ].join('\n\n')
}

/** All commands, with their arguments, options and examples. */
export const commandReference = (table: Table): string =>
  program()
    .commands.filter((command) => !left.has(command.name()))
    .flatMap((command) => leaves(command, ['troupe']))
    .map(({ path, command }) => section(path, command, table))
    .join('\n\n')

/** The exit codes. */
export const exitCodeTable = (table: Table): string =>
  table(
    ['code', 'meaning'],
    Object.entries(exitMeanings).map(([name, meaning]) => [
      `\`${exitCodes[name as keyof typeof exitCodes]}\``,
      meaning,
    ]),
  )

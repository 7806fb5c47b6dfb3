/** Command-line arguments. Programs are configured by environment variables, so an unknown argument is an error. */
import { version } from '../../../package.json'

/** The command, such as `bun src/main.ts`, and the text of its `--help`. */
export interface Program {
  command: string
  help(): string
}

/** Answers `--help` and `--version` and exits with 0; refuses anything else in one line and exits with 2. */
export function readArguments(argv: readonly string[], { command, help }: Program): void {
  const unknown = argv.find((word) => word !== '--help' && word !== '--version')
  if (unknown !== undefined) {
    process.stderr.write(`${JSON.stringify(unknown)} is not an argument of this program; see ${command} --help\n`)
    process.exit(2)
  }
  if (argv.length === 0) return
  process.stdout.write(argv.includes('--help') ? help() : `${version}\n`)
  process.exit(0)
}

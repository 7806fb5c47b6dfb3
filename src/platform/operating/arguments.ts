/** What programs are called with: by their settings they are told everything else, so that an unknown word is an error. */
import { version } from '../../../package.json'

/** The program as it is called, such as `bun src/main.ts`, and the text of its `--help`. */
export interface Program {
  command: string
  help(): string
}

/** Answers `--help` and `--version`, with exit code 0, and refuses anything else in one line, with exit code 2. */
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

/** The command line of the server: its settings, `--help` and `--version`. */
import { type Config, command, readConfig, settings } from '../config.ts'
import { readArguments } from '../platform/operating/arguments.ts'
import type { Environment } from '../platform/operating/unknown-settings.ts'
import { InvalidSetting } from '../platform/operating/variable.ts'

/** The text of `--help`. */
export function helpText(): string {
  const width = Math.max(...settings.map(([, { name }]) => name.length))
  const lines = settings.map(
    ([, { name, fallback, meaning }]) => `  ${name.padEnd(width)}  ${meaning} (default: ${fallback})`,
  )
  return [
    `Usage: ${command} [--help | --version]`,
    '',
    'Settings, by environment variables (docs/operating.md explains them):',
    '',
    ...lines,
    '',
  ].join('\n')
}

/**
 * The configuration of this process; an invalid one ends it with one line and exit code 1, `--help` with the table,
 * `--version` with the version, an unknown argument with one line and exit code 2.
 */
export function configure(argv: readonly string[], environment: Environment): Config {
  readArguments(argv, { command, help: helpText })
  try {
    const { config, warnings } = readConfig(environment)
    for (const warning of warnings) process.stderr.write(`${warning}\n`)
    return config
  } catch (error) {
    if (!(error instanceof InvalidSetting)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

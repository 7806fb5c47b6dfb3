/** How the program is started: its settings, or `--help`. */
import { type Config, readConfig, settings } from './config.ts'
import { InvalidSetting } from './operating/variable.ts'

/** The text of `--help`. */
export function helpText(): string {
  const width = Math.max(...settings.map(([, { name }]) => name.length))
  const lines = settings.map(
    ([, { name, fallback, meaning }]) => `  ${name.padEnd(width)}  ${meaning} (default: ${fallback})`,
  )
  return ['Usage: bun src/main.ts [--help]', '', 'Settings, by environment variables:', '', ...lines, ''].join('\n')
}

/** The configuration of this process; an invalid one ends it with one line and exit code 1, `--help` with the table. */
export function configure(argv: readonly string[], environment: Record<string, string | undefined>): Config {
  if (argv.includes('--help')) {
    process.stdout.write(helpText())
    process.exit(0)
  }
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

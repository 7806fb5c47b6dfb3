/** Finds settings that nobody reads: most often a name with a typing error. */

export type Environment = Record<string, string | undefined>

/** What the programs of this repository read between them, and what people set in the shell that they start them from. */
const ofOtherPrograms = /^TROUPE_(KEY|URL|SERVER_URL|RUNNER_MACHINE_ID|TEST_\w+)$/

/** At most one line, which names all `TROUPE_*` variables that are not `known` to this program and mean nothing to others. */
export function unknownSettings(environment: Environment, known: ReadonlySet<string>, command: string): string[] {
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith('TROUPE_') && !known.has(name) && !ofOtherPrograms.test(name),
  )
  if (unknown.length === 0) return []
  const [is, settings] = unknown.length === 1 ? ['is', 'a setting'] : ['are', 'settings']
  return [`${unknown.sort().join(', ')} ${is} not ${settings} of this program, and ignored; see ${command} --help`]
}

/** Finds unknown settings, which are most often misspelled. */

export type Environment = Record<string, string | undefined>

/** Variables of the other programs of this repository, and of the shells that start them. */
const ofOtherPrograms = /^TROUPE_(API_KEY|CONFIG|KEY|URL|SERVER|SERVER_URL|RUNNER_MACHINE_ID|TEST_\w+)$/

/** At most one line, which names all `TROUPE_*` variables that neither this program (`known`) nor the others read. */
export function unknownSettings(environment: Environment, known: ReadonlySet<string>, command: string): string[] {
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith('TROUPE_') && !known.has(name) && !ofOtherPrograms.test(name),
  )
  if (unknown.length === 0) return []
  const [is, settings] = unknown.length === 1 ? ['is', 'a setting'] : ['are', 'settings']
  return [`${unknown.sort().join(', ')} ${is} not ${settings} of this program, and ignored; see ${command} --help`]
}

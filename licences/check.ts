/**
 * Refuses dependencies whose licence nobody has agreed to. Reads the lock file, and where that names no licence the
 * installed package; asks no registry.
 *
 *     bun licences/check.ts     # exit code 1, with a line for each package that is in question
 */
import { readFileSync } from 'node:fs'
import { allowed, exceptions } from './allowed.ts'

/** A package that ships. */
interface Package {
  name: string
  version: string
  /** An SPDX expression; null when the package says nothing. */
  licence: string | null
}

interface LockedPackage {
  version?: string
  license?: string
  dev?: boolean
  link?: boolean
}

/** What a `package.json` says, also in the forms of long ago. */
interface Manifest {
  license?: string | { type?: string }
  licenses?: { type?: string }[]
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

const licenceIn = ({ license, licenses }: Manifest): string | null =>
  (typeof license === 'string' ? license : license?.type) ??
  (licenses?.length ? licenses.map(({ type }) => type ?? '').join(' OR ') : null)

function installed(path: string): Manifest {
  try {
    return JSON.parse(readFileSync(`${path}/package.json`, 'utf8')) as Manifest
  } catch {
    return {}
  }
}

/** The packages of a lock file that are there without `--include=dev`. */
export const shipped = (lock: { packages: Record<string, LockedPackage> }, read = installed): Package[] =>
  Object.entries(lock.packages)
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link)
    .map(([path, { version = '', license }]) => ({
      name: nameOf(path),
      version,
      licence: license ?? licenceIn(read(path)),
    }))

/** Whether the expression can be met by licences that are allowed: one of an OR, both of an AND. */
export function isAllowed(expression: string): boolean {
  const tokens = expression.match(/\(|\)|[^\s()]+/g) ?? []
  let at = 0
  const one = (): boolean => {
    if (tokens[at] !== '(') return allowed.has(tokens[at++] ?? '')
    at += 1
    const inner = either()
    // what is not closed is no expression
    return tokens[at++] === ')' && inner
  }
  const both = (): boolean => {
    let all = one()
    while (tokens[at] === 'AND') {
      at += 1
      all = one() && all
    }
    return all
  }
  const either = (): boolean => {
    let any = both()
    while (tokens[at] === 'OR') {
      at += 1
      any = both() || any
    }
    return any
  }
  return either() && at === tokens.length
}

/** The packages in question, a line for each; and exceptions that nobody needs any more. */
export function questions(packages: readonly Package[], known = exceptions): string[] {
  const excepted = ({ name, licence }: Package) => Object.hasOwn(known, name) && known[name]?.licence === licence
  const inQuestion = packages
    .filter((each) => !(each.licence !== null && isAllowed(each.licence)) && !excepted(each))
    .map(({ name, version, licence }) => `${name}@${version} has the licence ${licence ?? '(none)'}`)
  const left = Object.keys(known)
    .filter((name) => !packages.some((each) => each.name === name && excepted(each)))
    .map((name) => `${name} is excepted and does not ship with that licence`)
  return [...inQuestion, ...left]
}

if (import.meta.main) {
  const packages = shipped(JSON.parse(readFileSync('package-lock.json', 'utf8')))
  const lines = questions(packages)
  for (const line of lines) process.stderr.write(`${line}\n`)
  if (lines.length > 0) process.stderr.write('Another package, or a line with a reason in licences/allowed.ts.\n')
  else process.stdout.write(`The licences of ${packages.length} packages are allowed.\n`)
  process.exit(lines.length > 0 ? 1 : 0)
}

/**
 * Servers with a sign-in, by name, in one file that only its owner can read (0600): addresses and API keys.
 * `TROUPE_CONFIG` names another file.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CommandError } from '../terminal/exit-codes.ts'

interface Profile {
  url: string
  key: string
}

interface Profiles {
  /** The name of the default profile. */
  current: string | null
  profiles: Record<string, Profile>
}

const none: Profiles = { current: null, profiles: {} }
const bytesMax = 1_048_576

/** The path of the file. */
export function profilesFile(): string {
  const { TROUPE_CONFIG, XDG_CONFIG_HOME, HOME } = process.env
  if (TROUPE_CONFIG) return TROUPE_CONFIG
  const folder = XDG_CONFIG_HOME || join(HOME || homedir(), '.config')
  return join(folder, 'troupe', 'config.json')
}

const isProfile = (value: unknown): value is Profile =>
  typeof (value as Profile | null)?.url === 'string' && typeof (value as Profile).key === 'string'

function isProfiles(value: unknown): value is Profiles {
  const { current, profiles } = (value ?? {}) as Partial<Profiles>
  const isName = current === null || typeof current === 'string'
  return isName && typeof profiles === 'object' && profiles !== null && Object.values(profiles).every(isProfile)
}

/** The stored profiles; none if there is no file. Throws for a file with other content. */
export function readProfiles(): Profiles {
  const file = profilesFile()
  let text: string
  try {
    if (statSync(file).size > bytesMax) throw new CommandError('usage', 'invalid_config', `${file} is too large.`)
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return none
    throw error
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (isProfiles(value)) return value
  throw new CommandError('usage', 'invalid_config', `${file} was not written by troupe login.`, [
    'Fix it, or remove it and sign in again.',
  ])
}

/** Stores them, completely or not at all. A link, as of people who keep their settings elsewhere, stays one. */
export function writeProfiles(profiles: Profiles): void {
  const path = profilesFile()
  const file = existsSync(path) ? realpathSync(path) : path
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 })
  chmodSync(draft, 0o600)
  renameSync(draft, file)
}

/** The master keys: the first encrypts, all decrypt. Source: contract 9; design 6. */
import { hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { StoreRefused } from '../../../storage/errors.ts'
import { assertStore, prepareFolder, unwritable } from '../../../storage/sqlite/files.ts'
import { hasCanary } from '../../../storage/sqlite/foreign.ts'
import type { Secret } from '../operating/secret.ts'
import { InvalidSetting } from '../operating/variable.ts'

const keyBytes = 32

/** 32-byte keys with ids, in order; never empty. */
export interface KeyRing {
  /** The key that encrypts new secrets. */
  primary: { id: string; key: Uint8Array }
  /** All keys by id, the primary first. */
  keys: ReadonlyMap<string, Uint8Array>
}

/** Parses `keyId:base64,…`. Throws `InvalidSetting` with the source, without repeating any of the text. */
export function parseKeyRing(text: string, source = 'TROUPE_MASTER_KEYS'): KeyRing {
  const keys = new Map<string, Uint8Array>()
  for (const entry of text.trim().split(',')) {
    const [, id, encoded] = /^\s*([\w.-]{1,64}):([A-Za-z0-9+/_-]+=?)\s*$/.exec(entry) ?? []
    const key = encoded === undefined ? undefined : Buffer.from(encoded, 'base64')
    if (!id || key?.length !== keyBytes) {
      throw new InvalidSetting(`${source}: must be a comma list of keyId:base64 of ${keyBytes} bytes`)
    }
    if (keys.has(id)) throw new InvalidSetting(`${source}: has the key id ${id} twice`)
    keys.set(id, key)
  }
  const [[id, key]] = keys as Iterable<[string, Uint8Array]> as [[string, Uint8Array]]
  return { primary: { id, key }, keys }
}

const newKeyText = () => `local:${randomBytes(keyBytes).toString('base64')}`

function fileOf(store: string): string | null {
  const path = store.startsWith('sqlite:') ? store.slice('sqlite:'.length) : ''
  return path === '' || path === ':memory:' ? null : path
}

/** The path of the generated keys, beside the store's file; null if the store has none. */
export function keyFileOf(store: string): string | null {
  const path = fileOf(store)
  return path === null ? null : `${path}.keys`
}

/** Reads the key file, or creates it, readable by its owner only. Servers that start in parallel agree on one file. */
function keyFileText(path: string): string {
  if (!existsSync(path)) {
    prepareFolder(path)
    const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
    try {
      writeFileSync(draft, `${newKeyText()}\n`, { mode: 0o600 })
      // a link is created atomically and never replaces a file
      linkSync(draft, path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(path, error)
    } finally {
      rmSync(draft, { force: true })
    }
  }
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new InvalidSetting(
      `TROUPE_MASTER_KEYS: is not set, and the file of the generated keys ${path} cannot be read (${(cause as NodeJS.ErrnoException).code})`,
      { cause },
    )
  }
}

interface KeySettings {
  masterKeys: Secret | null
  environment: 'production' | 'development' | 'test'
  /** `TROUPE_STORE`. */
  store: string
}

/**
 * The configured key ring. Outside production, without `TROUPE_MASTER_KEYS`, it is generated into a file beside the store; a
 * store in memory gets temporary keys. With PostgreSQL the variable is required. Throws `InvalidSetting`, and `StoreRefused` for
 * a file that is no store, and for a store whose keys are missing: nothing is left beside it.
 */
export function loadMasterKeys({ masterKeys, environment, store }: KeySettings): KeyRing {
  if (masterKeys) return parseKeyRing(masterKeys.reveal())
  if (environment === 'production') throw new InvalidSetting('TROUPE_MASTER_KEYS: is required in production')
  if (!store.startsWith('sqlite:')) throw new InvalidSetting('TROUPE_MASTER_KEYS: is required with this TROUPE_STORE')
  const path = fileOf(store)
  if (path === null) return parseKeyRing(newKeyText())
  assertStore(path)
  const keyFile = `${path}.keys`
  // another server may be making both right now
  if (!existsSync(keyFile) && hasCanary(path) && !existsSync(keyFile)) {
    throw new StoreRefused(
      `TROUPE_MASTER_KEYS: is not set, and the file ${keyFile} with the keys of this store is missing. Put it back, or set the keys that the secrets of this store are encrypted with.`,
    )
  }
  return parseKeyRing(keyFileText(keyFile), keyFile)
}

/** A 32-byte key for one purpose, derived by HKDF-SHA256. Keys of different labels are independent. */
export const deriveKeyFrom = (key: Uint8Array, label: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', key, new Uint8Array(), `troupe/${label}`, keyBytes))

/** A key for one purpose (`cursors`, `attempt-tokens`) from the primary key: a new primary key invalidates old signatures. */
export const deriveKey = (ring: KeyRing, label: string): Uint8Array => deriveKeyFrom(ring.primary.key, label)

/** Marks by which servers compare their keys, that of the primary key first. They tell nothing of the keys. */
export const fingerprintsOf = ({ keys }: KeyRing): string[] => [...keys.values()].map(fingerprintOf)

const fingerprintOf = (key: Uint8Array): string =>
  Buffer.from(deriveKeyFrom(key, 'fingerprint')).toString('base64url').slice(0, 16)

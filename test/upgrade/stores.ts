/** Stores written by servers of earlier commits, and their expected contents. `make.ts` writes them. */
import { join } from 'node:path'

/** The areas that the server of that version had. */
type Area = 'projects' | 'automation'

export interface OldStore {
  /** The number of its last migration. */
  name: string
  commit: string
  areas: readonly Area[]
  /** Whether its server was killed with active runs, rather than stopped. */
  killed?: boolean
}

export const oldStores: readonly OldStore[] = [
  { name: '0003', commit: '749283e', areas: [] },
  { name: '0009', commit: '57d68e2', areas: ['projects'] },
  { name: '0017', commit: '19f085d', areas: ['projects', 'automation'] },
  { name: '0020', commit: '7542ef9', areas: ['projects', 'automation'] },
  { name: '0021', commit: '91ccf96', areas: ['projects', 'automation'], killed: true },
  // without 0022 and 0023, which were merged later
  { name: '0024', commit: '0602735', areas: ['projects', 'automation'] },
  { name: '0026', commit: '0abd36f', areas: ['projects', 'automation'] },
]

/** The owner's, in all stores. */
export const oldPassword = 'a password of an old store'

/** A resource that can still be read at its path, and some of its fields. */
export interface Read {
  path: string
  has: Record<string, unknown>
}

/** The contents of a store. */
export interface Held {
  /** `held` was running when the server was killed. */
  runs: { ended: string; waiting: string; queued: string; held?: string }
  /** Actors with journals. */
  actors: { kind: string; id: string }[]
  reads: Read[]
  /** The Environment: its path, and its resources. */
  environment?: {
    path: string
    environmentId: string
    agentId: string
    deployment: { releaseId: string; configurationRevisionId: string }
    webhook: { id: string; secret: string }
    /** The API key that the Agent uses for its model. */
    vendorKey: string
  }
  automation?: { workflowRunId: string; jobId: string; entityId: string }
}

/** The description stored next to a store. */
export interface StoreRecord extends Held {
  commit: string
  /** RFC 3339 */
  madeAt: string
  key: string
  runnerToken: string
  masterKeys: string
}

const inStores = (file: string) => join(import.meta.dir, 'stores', file)

/** The compressed files of a store, each with its suffix to the store's name. */
export const storeFiles = (name: string): [file: string, suffix: string][] => [
  [inStores(`${name}.db.gz`), ''],
  [inStores(`${name}.db-wal.gz`), '-wal'],
]

/** Puts the store at `file`, as its server left it. */
export async function putOldStore({ name }: OldStore, file: string): Promise<StoreRecord> {
  for (const [stored, suffix] of storeFiles(name)) {
    const packed = Bun.file(stored)
    if (await packed.exists()) await Bun.write(file + suffix, Bun.gunzipSync(await packed.bytes()), { mode: 0o600 })
  }
  return Bun.file(inStores(`${name}.json`)).json()
}

/**
 * Makes the stores of this folder anew: each is written by the server of an earlier commit, which is checked out beside this
 * one and started on loopback. Needed only for another commit, or for more in the stores; a store that is there is what it is.
 *
 *     bun test/upgrade/make.ts          all of them
 *     bun test/upgrade/make.ts 0017     one of them
 */
import { Database } from 'bun:sqlite'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { $ } from 'bun'
import { newSecret } from '../../src/tenancy/api-keys/secret.ts'
import { fill } from './fill.ts'
import { type OldStore, oldPassword, oldStores, storeFiles } from './stores.ts'

const root = resolve(import.meta.dir, '../..')

/** The server of a commit, on a store of its own, until `work` is done; ended by the signal. */
async function served(
  source: string,
  environment: Record<string, string>,
  signal: NodeJS.Signals,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const server = Bun.spawn([process.execPath, join(source, 'src/main.ts')], {
    cwd: source,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
    env: { PATH: process.env.PATH ?? '', HOME: source, PORT: '0', LOG_LEVEL: 'warn', ...environment },
  })
  try {
    let said = ''
    for await (const chunk of server.stdout.pipeThrough(new TextDecoderStream())) {
      said += chunk
      const [, port] = /ready at http:\/\/[^\s:]+:(\d+)\s/.exec(said) ?? []
      if (!port) continue
      await work(`http://127.0.0.1:${port}`)
      break
    }
  } finally {
    server.kill(signal)
    await server.exited
  }
}

async function pack(file: string, { name, killed }: OldStore): Promise<void> {
  if (!killed) {
    const database = new Database(file)
    database.run('pragma wal_checkpoint(truncate)')
    database.run('vacuum')
    database.run('pragma journal_mode = delete')
    database.close()
  }
  for (const [stored, suffix] of storeFiles(name)) {
    const bytes = Bun.file(file + suffix)
    if (await bytes.exists()) await Bun.write(stored, Bun.gzipSync(await bytes.bytes(), { level: 9 }))
  }
}

async function make(old: OldStore): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-upgrade-'))
  const source = join(folder, 'source')
  const file = join(folder, 'troupe.db')
  await $`git -C ${root} worktree add --detach ${source} ${old.commit}`.quiet()
  try {
    await symlink(join(root, 'node_modules'), join(source, 'node_modules'))
    const key = newSecret()
    const runnerToken = `runner-token-of-${old.name}`
    const masterKeys = `main:${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')}`
    const environment = {
      TROUPE_STORE: `sqlite:${file}`,
      TROUPE_BOOTSTRAP_API_KEY: key,
      TROUPE_OWNER_PASSWORD: oldPassword,
      TROUPE_MASTER_KEYS: masterKeys,
      TROUPE_RUNNER: 'none',
      TROUPE_RUNNER_TOKEN: runnerToken,
      TROUPE_LEASE_TTL_MS: '60000',
      TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
    }
    await served(source, environment, old.killed ? 'SIGKILL' : 'SIGTERM', async (url) => {
      const made = await fill({ url, key, runnerToken }, old)
      const { commit } = old
      const record = { commit, madeAt: new Date().toISOString(), key, runnerToken, masterKeys, ...made }
      await Bun.write(join(import.meta.dir, 'stores', `${old.name}.json`), `${JSON.stringify(record, null, 2)}\n`)
    })
    await pack(file, old)
  } finally {
    await $`git -C ${root} worktree remove --force ${source}`.quiet()
    await rm(folder, { recursive: true, force: true })
  }
}

const wanted = process.argv.slice(2)
for (const old of oldStores) {
  if (wanted.length > 0 && !wanted.includes(old.name)) continue
  await make(old)
  console.log(`${old.name} by ${old.commit}`)
}

/** Stopping the suite stops all of its processes. */
import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { eventually, within } from '../support/process.ts'
import { postgresIsInstalled } from '../support/services/postgres.ts'

const root = resolve(import.meta.dir, '../..')
const folders: string[] = []
afterAll(() => Promise.all(folders.map((each) => rm(each, { recursive: true, force: true }))))

/** The living processes, without those that have ended but were not reaped. */
const living = async (pids: number[]) => {
  const states = pids.map(async (pid) => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3)
  })
  const found = await Promise.all(states)
  return pids.filter((_, index) => !['', 'Z'].includes(found[index] as string))
}

/** Starts the endless test; returns `npm` and, once they run, the processes of the test. */
async function startEndless(environment: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-stopped-'))
  folders.push(folder)
  const started = join(folder, 'pids')
  const npm = Bun.spawn(['npm', 'test', '--', './test/suite/endless.ts'], {
    cwd: root,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
    env: { PATH: process.env.PATH ?? '', HOME: folder, TMPDIR: folder, TROUPE_TEST_STARTED: started, ...environment },
  })
  const pids = await eventually('a test under way', async () => {
    const text = await readFile(started, 'utf8').catch(() => '')
    return text.includes(' ') && text.split(' ').map(Number)
  })
  return { npm, pids, folder }
}

test.concurrent.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('%s to npm test leaves no process', async (signal) => {
  const { npm, pids } = await startEndless()
  expect(await living(pids)).toEqual(pids)
  npm.kill(signal)
  await within(npm.exited, `an end by ${signal}`)
  await eventually('an end of all', async () => (await living(pids)).length === 0)
})

test.skipIf(!postgresIsInstalled())('a killed suite leaves neither data nor shared memory of PostgreSQL', async () => {
  const { npm, pids, folder } = await startEndless({ TROUPE_TEST_DATABASE: 'yes' })
  // the folder of temporary files is in memory if there is room
  const data = [folder, dirname(tmpdir())]
    .map((base) => join(base, `troupe-tests-${pids[0]}-postgres`))
    .find(existsSync)
  const [, , , , , , segment = ''] = (await readFile(join(data as string, 'data/postmaster.pid'), 'utf8')).split('\n')
  const id = segment.trim().split(/\s+/)[1] as string
  const segments = () => `${Bun.spawnSync(['ipcs', '-m']).stdout}`.split('\n').map((line) => line.split(/\s+/)[1])
  expect(segments()).toContain(id)
  npm.kill('SIGKILL')
  await eventually('an end of its data', async () => !existsSync(data as string))
  expect(segments()).not.toContain(id)
})

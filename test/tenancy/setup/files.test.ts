/**
 * Contract 9, "Decided since": the store's files are accessible only to the server's user, and a start that cannot
 * write says so.
 */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../../src/config.ts'
import { createLogger } from '../../../src/platform/operating/logger.ts'
import { startServer } from '../../../src/server/server.ts'
import { prepareFiles } from '../../../storage/sqlite/files.ts'
import { openTroupe } from '../../support/troupe.ts'

const folders: string[] = []
let home: string
let folder: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'troupe-files-'))
  folders.push(home)
  folder = join(home, 'data')
})
afterAll(() => Promise.all(folders.map((each) => rm(each, { recursive: true, force: true }))))

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
const modes = async () =>
  Object.fromEntries(
    await Promise.all((await readdir(folder)).sort().map(async (name) => [name, await modeOf(join(folder, name))])),
  )
const open = () =>
  openTroupe({ folder, environment: { TROUPE_STORE: `sqlite:${join(folder, 'own.db')}`, TROUPE_RUNNER: 'none' } })
const warnings = (lines: Record<string, unknown>[]) =>
  lines.map(({ msg }) => String(msg)).filter((line) => line.includes('files of the store'))
/** Runs a server in the folder until it has created its files, and stops it. */
const openAndStop = async () => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const server = await open()
  await server.stop()
}
const mine = Object.fromEntries(
  ['', '-shm', '-wal', '.keys', '.lock', '.lock-journal'].map((suffix) => [`own.db${suffix}`, '600']),
)
const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(mine).filter(([name]) => !names.includes(name)))

/** `openTroupe` puts a store next to it, which is in the way here. */
const onlyOwn = () =>
  Promise.all(['', '-wal', '-shm'].map((suffix) => rm(join(folder, `troupe.db${suffix}`), { force: true })))

test('a new store and its folder are accessible only to its user, whatever the umask', async () => {
  const umask = process.umask(0)
  try {
    const lines: string[] = []
    const environment = { PORT: '0', TROUPE_STORE: `sqlite:${join(folder, 'own.db')}`, TROUPE_RUNNER: 'none' }
    const logger = createLogger('warn', { write: (line) => void lines.push(line) })
    const server = await startServer(readConfig(environment).config, logger)
    expect(await modes()).toEqual(mine)
    expect(await modeOf(folder)).toBe('700')
    expect(lines).toEqual([])
    await server.stop()
  } finally {
    process.umask(umask)
  }
})

test('the permissions of a readable store are restricted, with one line in the log', async () => {
  await openAndStop()
  await onlyOwn()
  await chmod(folder, 0o755)
  for (const name of await readdir(folder)) await chmod(join(folder, name), 0o644)
  // a store of the tests is put next to it only if there is none: the folder contains only the store
  await writeFile(join(folder, 'own.db.keys.1.abcd'), '')
  const line = prepareFiles(join(folder, 'own.db'))
  expect(line).toStartWith('Others could read files of the store: ')
  expect(line).toContain(`${folder} was 0755 and is 0700 now`)
  expect(line).toContain(`${join(folder, 'own.db.keys')} was 0644 and is 0600 now`)
  expect(line).not.toContain('\n')
  expect(await modeOf(folder)).toBe('700')
  expect(await modes()).toMatchObject(without('own.db-shm', 'own.db-wal', 'own.db.lock-journal'))
  expect(prepareFiles(join(folder, 'own.db'))).toBeUndefined()
})

test('the server logs a warning about it', async () => {
  await openAndStop()
  await chmod(join(folder, 'own.db'), 0o666)
  const server = await open()
  expect(warnings(server.lines)).toHaveLength(1)
  expect(warnings(server.lines)[0]).toContain('own.db was 0666 and is 0600 now')
  await server.stop()
  const again = await open()
  expect(warnings(again.lines)).toEqual([])
  await again.stop()
})

describe('a folder that is shared keeps its mode', () => {
  test('because it contains other files', async () => {
    await mkdir(folder)
    await chmod(folder, 0o755)
    await writeFile(join(folder, 'letters.txt'), 'dear')
    const server = await open()
    expect(await modeOf(folder)).toBe('755')
    expect(await modeOf(join(folder, 'letters.txt'))).not.toBe('600')
    expect(await modeOf(join(folder, 'own.db'))).toBe('600')
    expect(warnings(server.lines)[0]).toContain('is 0755 and stays so, since it holds other things as well')
    await server.stop()
  })

  test('because it is public, like /tmp', async () => {
    await mkdir(folder)
    await chmod(folder, 0o1777)
    const line = prepareFiles(join(folder, 'own.db'))
    expect(await modeOf(folder)).toBe('777')
    expect(line).toContain('is 1777 and stays so, since it is shared')
    expect(await modeOf(join(folder, 'own.db'))).toBe('600')
  })

  test("because it is the server's working directory", async () => {
    await mkdir(folder)
    await chmod(folder, 0o755)
    const program = `
      import { prepareFiles } from ${JSON.stringify(join(import.meta.dir, '../../../storage/sqlite/files.ts'))}
      console.log(prepareFiles('./troupe.db'))`
    await writeFile(join(home, 'program.ts'), program)
    const child = Bun.spawn([process.execPath, join(home, 'program.ts')], { cwd: folder, stdout: 'pipe' })
    expect(await new Response(child.stdout).text()).toContain('stays so')
    expect(await modeOf(folder)).toBe('755')
    expect(await modeOf(join(folder, 'troupe.db'))).toBe('600')
  })
})

test("if the path is a link, the target's permissions are restricted", async () => {
  await mkdir(folder)
  await writeFile(join(home, 'real.db'), '')
  await chmod(join(home, 'real.db'), 0o644)
  await symlink(join(home, 'real.db'), join(folder, 'own.db'))
  expect(prepareFiles(join(folder, 'own.db'))).toContain('own.db was 0644 and is 0600 now')
  expect(await modeOf(join(home, 'real.db'))).toBe('600')
})

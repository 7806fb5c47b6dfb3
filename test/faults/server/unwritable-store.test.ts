/** A store that cannot be written at the start: one line with the path and the remedy, exit code 1, no stack. */
import { afterAll, describe, expect, test } from 'bun:test'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shortLived } from '../../support/process.ts'
import { bundledPrograms } from '../../support/programs.ts'

const folders: string[] = []
const newFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-unwritable-'))
  folders.push(folder)
  return folder
}
afterAll(() => Promise.all(folders.map((each) => rm(each, { recursive: true, force: true }))))

/** Root may write anywhere, so the tests run as another user. */
const isRoot = process.getuid?.() === 0
const asNobody = isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []
const canBeNobody = !isRoot || Bun.which('setpriv') !== null

/** The output of a server that fails to start. */
async function refusal(path: string, environment: Record<string, string> = {}, before: string[] = asNobody) {
  const { server } = await bundledPrograms()
  const child = Bun.spawn([...before, process.execPath, server], {
    stdout: 'pipe',
    stderr: 'pipe',
    env: {
      PATH: process.env.PATH ?? '',
      HOME: tmpdir(),
      PORT: '0',
      TROUPE_STORE: `sqlite:${path}`,
      TROUPE_RUNNER: 'none',
      ...shortLived,
      ...environment,
    },
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err.trimEnd().split('\n')).toHaveLength(1)
  expect(err).not.toMatch(/\bat .+:\d+:\d+/)
  return err.trimEnd()
}

const masterKeys = { TROUPE_MASTER_KEYS: `one:${Buffer.alloc(32, 1).toString('base64')}` }

describe.skipIf(!canBeNobody)('without the permission to write', () => {
  test.each([
    ['with generated keys', {}],
    ['with given keys', masterKeys],
  ])('to the folder, %s', async (_, environment) => {
    const folder = await newFolder()
    await chmod(folder, 0o555)
    const line = await refusal(join(folder, 'troupe.db'), environment)
    expect(line).toContain(join(folder, 'troupe.db'))
    expect(line).toContain('read-only to this user')
    expect(line).toEndWith('Let the user that runs Troupe write there, or name another path in TROUPE_STORE.')
  })

  test('to the parent of the folder', async () => {
    const folder = await newFolder()
    await chmod(folder, 0o555)
    expect(await refusal(join(folder, 'data', 'troupe.db'))).toMatch(
      /^The store's folder \S+\/data cannot be created: .+ name another path in TROUPE_STORE\.$/,
    )
  })

  test('without the permission to read the keys', async () => {
    const folder = await newFolder()
    await chmod(folder, 0o777)
    const path = join(folder, 'troupe.db')
    await Bun.write(`${path}.keys`, 'local:x')
    await chmod(`${path}.keys`, 0o000)
    const line = await refusal(path)
    expect(line).toContain(`${path}.keys`)
    expect(line).toMatch(/^TROUPE_MASTER_KEYS: /)
  })
})

/** A separate mount, which ends with the process. */
const canMount = isRoot && Bun.which('unshare') !== null && Bun.which('mount') !== null
const mounted = (options: string, folder: string) => [
  'unshare',
  '--mount',
  'sh',
  '-c',
  `mount -t tmpfs -o ${options} tmpfs "$0" && exec "$@"`,
  folder,
]

describe.skipIf(!canMount)('on a disk that', () => {
  test.each([
    ['is read-only', 'ro', masterKeys, /read-only, for its file system is\. Let the user/],
    ['is read-only, with generated keys', 'ro', {}, /read-only, for its file system is\. Let the user/],
    ['is full before a first start is complete', 'size=128k', masterKeys, /disk (is full|space)/],
    ['is full from the beginning', 'size=4k,nr_inodes=2', {}, /disk space\. Make room/],
  ])('%s', async (_, options, environment, expected) => {
    const folder = join(await newFolder(), 'disk')
    await mkdir(folder)
    const path = join(folder, 'troupe.db')
    const line = await refusal(path, environment, mounted(options, folder))
    expect(line).toContain(path)
    expect(line).toMatch(expected)
  })
})

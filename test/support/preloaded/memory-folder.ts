/**
 * Loaded before the tests: temporary folders lie in a folder of this process, which is removed with it; the folder of a
 * killed process is removed by a later one. It lies in memory if the machine has a memory file system with enough room.
 * Stores stay real files; only the commits do not wait for the disk, which these tests are not about.
 */
import { afterAll, beforeAll } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const roomMin = 4 * 1024 ** 3

function room(): number {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize
  } catch {
    return 0
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // it belongs to another user
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })

/** Removes the folder that a killed test process left: a small disk mounted in it is unmounted first. */
function removeLeft(folder: string): void {
  const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8').split('\n') : []
  for (const place of mounts.map((line) => line.split(' ')[1] ?? ''))
    if (place.startsWith(`${folder}/`)) Bun.spawnSync(['umount', place])
  try {
    remove(folder)
  } catch {
    // it is somebody else's, and goes with the machine
  }
}

const base = room() >= roomMin ? memory : tmpdir()
for (const name of readdirSync(base)) {
  const [, pid] = /^troupe-tests-(\d+)-/.exec(name) ?? []
  if (pid !== undefined && !isAlive(Number(pid))) removeLeft(join(base, name))
}
// short: the length of socket paths in it is limited
const folder = join(base, `troupe-tests-${process.pid}-${crypto.randomUUID().slice(0, 8)}`)
process.env.TMPDIR = folder
// in a worker these run around each file
beforeAll(() => void mkdirSync(folder, { recursive: true, mode: 0o711 }))
afterAll(() => remove(folder))
